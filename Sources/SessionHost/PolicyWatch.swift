import PolicyFile
import SessionBus

/// Calls back, on the server's main loop, a moment after anything has changed in the policy's folders.
final class PolicyWatch {
    /// How long it is quiet before the files are read, in nanoseconds: an editor writes, renames and removes in one go.
    private static let quiet: Int64 = 100_000_000

    private let loop: any EventLoop
    private var folders: FolderWatch
    private var input: (any LoopWatch)?
    private var timer: (any LoopTimer)?

    init(_ folders: [String], on loop: any EventLoop, changed: @escaping () -> Void) {
        self.loop = loop
        self.folders = FolderWatch(folders)
        guard self.folders.descriptor >= 0 else { return }
        timer = loop.timer(changed)
        input = loop.watch(self.folders.descriptor) { [unowned self] _ in look() }
        input?.update(.readable)
    }

    deinit {
        input?.cancel()
        timer?.cancel()
    }

    private func look() {
        if folders.take() { timer?.arm(at: loop.now &+ PolicyWatch.quiet) }
    }
}
