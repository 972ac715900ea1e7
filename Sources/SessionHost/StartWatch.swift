public import SessionBus

/// Keeps the mark of a start as long as it is under way: for ten seconds from the module's load, and for ten seconds more from
/// its first stream, which is the first that it does anything to.
public final class StartWatch {
    /// How long what has begun is not taken for survived, in nanoseconds.
    static let probation: Int64 = 10_000_000_000

    private var mark: StartMark
    private var loop: (any EventLoop)?
    private var timer: (any LoopTimer)?
    private var hasStream = false

    /// Begins a start. Comes before anything is done to the server.
    ///
    /// - Parameter mark: in which nothing was found that speaks against it.
    public init(_ mark: StartMark) {
        self.mark = mark
        self.mark.write()
    }

    /// A start that has come to no end was none.
    deinit { end() }

    /// Everything is loaded; from here on time decides.
    public func run(on loop: any EventLoop) {
        self.loop = loop
        timer = loop.timer { [unowned self] in mark.remove() }
        timer?.arm(at: loop.now &+ StartWatch.probation)
    }

    /// There is a stream; the first one counts.
    public func streamCame() {
        guard !hasStream else { return }
        hasStream = true
        guard let loop else { return }
        mark.write()
        timer?.arm(at: loop.now &+ StartWatch.probation)
    }

    /// The module goes in good order.
    public func end() {
        timer?.cancel()
        timer = nil
        loop = nil
        mark.remove()
    }
}
