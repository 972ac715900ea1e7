public import SessionCore

/// Observes everything that the runtime does, on the server's main loop.
public protocol SessionObserver: AnyObject {
    /// The engine has handled an event.
    func runtime(_ runtime: SessionRuntime, handled event: Event)
    /// An effect was carried out.
    func runtime(_ runtime: SessionRuntime, carriedOut effect: Effect)
    /// All events have been handled. An event posted now is handled at once.
    func runtimeIsIdle(_ runtime: SessionRuntime)
}
