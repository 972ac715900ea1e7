/// Combines the calls of all modems into one phase: none, ringing or active. A pure value.

/// The phase of all calls together.
public enum CallPhase: String, Sendable, Equatable {
    /// There is no call.
    case none
    /// At least one call is incoming, and none is active or being dialled (N8: ringing need not interrupt, the call
    /// does).
    case ringing
    /// At least one call is being dialled, rings at the other end, is active or on hold.
    case active
}

/// The state of one call.
///
/// Source: ModemManager's D-Bus reference, `MMCallState`; the raw values are the numbers on the bus.
enum CallState: Int64, Sendable, Equatable {
    case unknown = 0
    case dialing = 1
    case ringingOut = 2
    case ringingIn = 3
    case active = 4
    case held = 5
    case waiting = 6
    case terminated = 7

    /// The phase of this call alone; nil for an unknown state, so that the former phase stays.
    var phase: CallPhase? {
        switch self {
        case .unknown: nil
        case .ringingIn, .waiting: .ringing
        case .dialing, .ringingOut, .active, .held: .active
        case .terminated: CallPhase.none
        }
    }
}

/// The present calls, by the paths of their objects.
///
/// When a call is accepted, the phase changes from ringing to active in one step. It returns to none only at the end of
/// the last call.
struct CallRegistry: Sendable, Equatable {
    /// The number of calls that are followed at most; no modem can have as many.
    static let limit = 64

    private struct Call: Sendable, Equatable {
        var phase: CallPhase
        var number: String
    }
    private var calls: [String: Call] = [:]

    /// No calls.
    init() {}

    /// The phase of all calls together.
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

    /// The caller's or callee's number, of a call in the present phase; empty if it is withheld or there is no call. Of
    /// several calls, the one whose path sorts first.
    var number: String {
        let phase = phase
        return calls.filter { $0.value.phase == phase && phase != .none }.min { $0.key < $1.key }?.value.number ?? ""
    }

    /// Adds a call whose state is not known yet. False if the call is already known or there are too many.
    mutating func add(_ path: String) -> Bool {
        guard calls[path] == nil, calls.count < CallRegistry.limit else { return false }
        calls[path] = Call(phase: .none, number: "")
        return true
    }

    /// Records a call's state and number. Ignored if the call has been removed meanwhile.
    mutating func describe(_ path: String, state: CallState, number: String) {
        guard calls[path] != nil else { return }
        calls[path]?.number = number
        change(path, to: state)
    }

    /// Records a new state of a call.
    mutating func change(_ path: String, to state: CallState) {
        if let phase = state.phase { calls[path]?.phase = phase }
    }

    /// Removes a call.
    mutating func remove(_ path: String) { calls[path] = nil }

    /// Removes all calls, because the service has gone.
    mutating func removeAll() { calls = [:] }
}
