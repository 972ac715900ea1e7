/// The calls of all modems as one thing: does the telephone ring, is somebody on the line. A pure value.

/// What all calls together amount to.
public enum CallPhase: String, Sendable, Equatable {
    /// There is no call.
    case none
    /// At least one call comes in, and none is spoken or dialled (N8: ringing need not interrupt, the call does).
    case ringing
    /// At least one call is dialled, rings at the other end, is spoken or held.
    case active
}

/// What one call is doing.
///
/// Source: ModemManager's D-Bus reference, `MMCallState`; the numbers are those that go over the bus.
enum CallState: Int64, Sendable, Equatable {
    case unknown = 0
    case dialing = 1
    case ringingOut = 2
    case ringingIn = 3
    case active = 4
    case held = 5
    case waiting = 6
    case terminated = 7

    /// What this call alone amounts to; nil where nothing is known, so that what was known stays.
    var phase: CallPhase? {
        switch self {
        case .unknown: nil
        case .ringingIn, .waiting: .ringing
        case .dialing, .ringingOut, .active, .held: .active
        case .terminated: CallPhase.none
        }
    }
}

/// The calls there are, by the paths of their objects.
///
/// The phase goes from ringing to active in one step when a call is accepted, and only the last call's end ends it:
/// what depends on it never sees a gap.
struct CallBook: Sendable, Equatable {
    /// The most calls that are followed; more than any modem can have.
    static let limit = 64

    private struct Call: Sendable, Equatable {
        var phase: CallPhase
        var number: String
    }
    private var calls: [String: Call] = [:]

    /// No calls.
    init() {}

    /// What all calls together amount to.
    var phase: CallPhase {
        var phase = CallPhase.none
        for call in calls.values {
            switch call.phase {
            case .active: return .active
            case .ringing: phase = .ringing
            case .none: break
            }
        }
        return phase
    }

    /// Who is calling or is called: the number of a call in the present phase, empty where it is withheld or there is
    /// none. Of several the first path's.
    var number: String {
        let phase = phase
        return calls.filter { $0.value.phase == phase && phase != .none }.min { $0.key < $1.key }?.value.number ?? ""
    }

    /// A call is there, whose state is not known yet. False when it is known already, or there are too many.
    mutating func add(_ path: String) -> Bool {
        guard calls[path] == nil, calls.count < CallBook.limit else { return false }
        calls[path] = Call(phase: .none, number: "")
        return true
    }

    /// What a call's object says of itself. A call that is gone in the meantime stays gone.
    mutating func describe(_ path: String, state: CallState, number: String) {
        guard calls[path] != nil else { return }
        calls[path]?.number = number
        change(path, to: state)
    }

    /// A call's state changed.
    mutating func change(_ path: String, to state: CallState) {
        if let phase = state.phase { calls[path]?.phase = phase }
    }

    /// A call's object is gone.
    mutating func remove(_ path: String) { calls[path] = nil }

    /// The service has gone, and with it all that was known.
    mutating func removeAll() { calls = [:] }
}
