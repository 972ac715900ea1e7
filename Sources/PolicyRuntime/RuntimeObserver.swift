public import PolicyEngine

/// Something that has happened in a turn.
public enum News {
    /// The engine was told of an event.
    case event(Event)
    /// An effect was applied; with the state that its session had then, if it concerns an opened one.
    case effect(Effect, SessionState?)
}

/// Is told what has happened, at the end of each turn, on the server's main loop.
public protocol RuntimeObserver: AnyObject {
    /// All events of a turn were handled, and all effects applied. What is posted now is handled in another turn, before the
    /// runtime gives control back to the server.
    func turnEnded(_ runtime: SessionRuntime, _ news: [News])
}

extension Effect {
    /// The opened session that it tells something about; `nil` for none.
    var session: SessionID? {
        switch self {
        case .answered(let id, _), .sessionChanged(let id), .activationGranted(let id): id
        case .interruptionBegan(let session, _), .interruptionEnded(let session, _): session.id
        default: nil
        }
    }
}
