public import DBus

/// Keeps the mark of a start for ten seconds after the module is loaded, and for ten seconds after its first stream,
/// the first object that the module changes.
public final class StartWatch {
    /// In nanoseconds.
    static let probation: Int64 = 10_000_000_000

    private var mark: StartMark
    private let settled: () -> Void
    private var loop: (any EventLoop)?
    private var timer: (any LoopTimer)?
    private var hasStream = false

    /// Begins a start, before anything is done to the server. `settled` is called on the loop whenever the mark goes
    /// because nothing has crashed.
    public init(_ mark: StartMark, settled: @escaping () -> Void) {
        self.mark = mark
        self.settled = settled
        self.mark.write()
    }

    /// Removes the mark of a start that was given up.
    deinit { end() }

    /// Starts the timer, after everything is loaded.
    public func run(on loop: any EventLoop) {
        self.loop = loop
        timer = loop.timer { [unowned self] in
            mark.remove()
            settled()
        }
        timer?.arm(at: loop.now &+ StartWatch.probation)
    }

    /// Records a stream; only the first one matters.
    public func streamCame() {
        guard !hasStream else { return }
        hasStream = true
        guard let loop else { return }
        mark.write()
        timer?.arm(at: loop.now &+ StartWatch.probation)
    }

    /// Removes the mark when the module is unloaded normally.
    public func end() {
        timer?.cancel()
        timer = nil
        loop = nil
        mark.remove()
    }
}
