import PolicyEngine

/// A message about a session, with the state at that moment.
struct Notice: Equatable {
    enum Kind: Equatable {
        case stateChanged, granted
        case began(reason: InterruptionReason, by: String)
        case ended(shouldResume: Bool)
        case refused(StreamID)
    }
    var kind: Kind
    var state: SessionState?
}

/// The messages about one session that wait to be sent. Their number stays small however often the session changes: an
/// interruption that ended before its beginning was sent is dropped, and of several states in a row only the last is
/// kept.
struct Notices {
    private var waiting: [Notice] = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func add(_ notice: Notice) {
        var notice = notice
        if case .ended = notice.kind, let begin = waiting.lastIndex(where: \.isBeginning) {
            waiting.remove(at: begin)
            notice.kind = .stateChanged
        }
        if notice.kind == .stateChanged { while waiting.last?.kind == .stateChanged { waiting.removeLast() } }
        waiting.append(notice)
    }

    mutating func removeAll() -> [Notice] {
        defer { waiting = [] }
        return waiting
    }
}

extension Notice {
    fileprivate var isBeginning: Bool { if case .began = kind { true } else { false } }
}
