public import PolicyEngine

/// Something that has happened in a turn.
public enum News {
    case event(Event)
    /// `SessionState`: that of the effect's opened session, if any, at that time.
    case effect(Effect, SessionState?)
}

/// Learns at the end of each turn what has happened, on the server's main loop.
public protocol RuntimeObserver: AnyObject {
    /// What is posted now is handled in another turn, before the runtime gives control back to the server.
    func turnEnded(_ runtime: SessionRuntime, _ news: [News])
}

extension Effect {
    var session: SessionID? {
        switch self {
        case .answered(let id, _), .sessionChanged(let id), .activationGranted(let id): id
        case .interruptionBegan(let session, _), .interruptionEnded(let session, _): session.id
        default: nil
        }
    }
}
