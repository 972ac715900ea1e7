import PolicyEngine

/// What an application can say of its session: every category, the options that make a difference to others, and the
/// modes that do.
public enum Configurations {
    /// All of them, by number.
    public static let all: [(category: PolicyEngine.Category, options: CategoryOptions, mode: Mode)] = {
        var result: [(PolicyEngine.Category, CategoryOptions, Mode)] = []
        let mixing: [CategoryOptions] = [[], .mixWithOthers, .duckOthers, .interruptSpokenAudio]
        for category in PolicyEngine.Category.allCases {
            for options in mixing where options.options.allSatisfy(category.takes) {
                let modes: [Mode] =
                    switch category {
                    case .playback: [.default, .spokenAudio, .voicePrompt]
                    case .playAndRecord: [.default, .spokenAudio]
                    default: [.default]
                    }
                for mode in modes { result.append((category, options, mode)) }
            }
        }
        return result
    }()

    static func name(_ index: Int) -> String {
        let (category, options, mode) = all[index]
        return ([category.rawValue] + options.names + (mode == .default ? [] : [mode.rawValue])).joined(separator: " ")
    }
}

/// One event of the world, or a few that always come together.
public enum Step: Sendable, Hashable, CustomStringConvertible {
    /// The next moment that the engine has asked for.
    case clock
    /// A call begins or ends; ringing that somebody else makes begins or ends.
    case call, ringing
    /// The user moves a switch; suspends the policy or takes that back.
    case silentSwitch, screenLock, suspension
    /// What an application asks for its session, by the session's number.
    case activate(Int), wait(Int), cancel(Int), leave(Int), leaveQuietly(Int)
    /// The session is closed, and another one opened, which the application's stream joins.
    case reopen(Int)
    /// The session's stream is played or paused; it has fallen silent, as it was told to.
    case stream(Int), settle(Int)
    /// Ringing is not to interrupt the session, or is again.
    case avoidAlerts(Int)
    /// The session is something else, by the number among ``Configurations``.
    case configure(Int, Int)

    /// Every step for so many sessions.
    public static func all(sessions: Int) -> [Step] {
        var result: [Step] = [.clock, .call, .ringing, .silentSwitch, .screenLock, .suspension]
        for session in 0..<sessions {
            result += [
                .activate(session), .wait(session), .cancel(session), .leave(session), .leaveQuietly(session),
                .reopen(session), .stream(session), .settle(session), .avoidAlerts(session),
            ]
            result += Configurations.all.indices.map { .configure(session, $0) }
        }
        return result
    }

    /// For people.
    public var description: String {
        switch self {
        case .clock: "time passes until the engine's next moment"
        case .call: "a call begins or ends"
        case .ringing: "ringing begins or ends"
        case .silentSwitch: "the silent switch"
        case .screenLock: "the screen lock"
        case .suspension: "the policy is suspended or in force again"
        case .activate(let session): "session \(session): activate"
        case .wait(let session): "session \(session): activate, and wait if need be"
        case .cancel(let session): "session \(session): wait no longer"
        case .leave(let session): "session \(session): deactivate and notify others"
        case .leaveQuietly(let session): "session \(session): deactivate"
        case .reopen(let session): "session \(session): close, and open another one"
        case .stream(let session): "session \(session): its stream plays or pauses"
        case .settle(let session): "session \(session): its stream has fallen silent"
        case .avoidAlerts(let session): "session \(session): ringing may interrupt or not"
        case .configure(let session, let index): "session \(session): configure as \(Configurations.name(index))"
        }
    }
}
