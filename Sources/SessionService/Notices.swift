import SessionCore

/// Something to be told of a session, with what it was at that moment.
struct Notice: Equatable {
    enum Kind: Equatable {
        case shown, granted
        case began(reason: InterruptionReason, by: String)
        case ended(shouldResume: Bool)
        case refused(StreamID)
    }
    var kind: Kind
    var state: SessionState?
}

/// What waits to be told of one session. However often it changes meanwhile, that is not much: what was over before anybody
/// was told has not been.
struct Notices {
    private var waiting: [Notice] = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ notice: Notice) {
        var notice = notice
        if case .ended = notice.kind, let begin = waiting.lastIndex(where: \.isBeginning) {
            waiting.remove(at: begin)
            notice.kind = .shown
        }
        if notice.kind == .shown { while waiting.last?.kind == .shown { waiting.removeLast() } }
        waiting.append(notice)
    }

    mutating func take() -> [Notice] {
        defer { waiting = [] }
        return waiting
    }
}

extension Notice {
    fileprivate var isBeginning: Bool { if case .began = kind { true } else { false } }
}
