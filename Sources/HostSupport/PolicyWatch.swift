import DBus
import PolicyFile

/// Reads the policy again soon after a change in its folders, on a separate thread: a remote machine that holds them
/// may not answer, while the server's main loop continues.
final class PolicyWatch<Contents: Sendable> {
    /// In nanoseconds. An editor writes, renames and removes files together, so changes must pause this long.
    private var quiet: Int64 { 100_000_000 }
    /// The time for reading after which a delay is reported, in nanoseconds.
    private var patience: Int64 { 5_000_000_000 }

    private let loop: any EventLoop
    private let read: @Sendable () -> Contents
    private let changed: (Contents) -> Void
    private var folders: FolderWatch
    private var input: (any LoopWatch)?
    private var timer: (any LoopTimer)?
    private var alarm: (any LoopTimer)?
    private var work: BackgroundWork<(FolderSearch.Found, Contents)>?
    /// Whether a change came after the present reading began.
    private var isDue = false

    /// If not, the system has no descriptor or no watch left.
    var isWatching: Bool { folders.isWatching }

    /// Starts watching absolute paths. Blocks on the file system. `read` runs on another thread, the other closures on
    /// the loop; `whenSlow` when reading takes very long.
    init(
        _ folders: [String], on loop: any EventLoop, read: @escaping @Sendable () -> Contents,
        changed: @escaping (Contents) -> Void, whenSlow: @escaping () -> Void
    ) {
        self.loop = loop
        self.read = read
        self.changed = changed
        self.folders = FolderWatch(folders)
        guard self.folders.descriptor >= 0 else { return }
        timer = loop.timer { [unowned self] in
            isDue = true
            begin()
        }
        alarm = loop.timer(whenSlow)
        input = loop.watch(self.folders.descriptor) { [unowned self] _ in folderChanged() }
        input?.update(.readable)
    }

    deinit {
        input?.cancel()
        timer?.cancel()
        alarm?.cancel()
    }

    private func folderChanged() {
        if folders.consumeChange() { timer?.arm(at: loop.now &+ quiet) }
    }

    private func begin() {
        guard isDue, work == nil else { return }
        let search = folders.search
        let read = read
        work = BackgroundWork(on: loop) {
            // Changes after this point cause another reading.
            let found = search.run()
            return (found, read())
        } done: { [unowned self] result in
            work = nil
            alarm?.arm(at: nil)
            folders.update(with: result.0)
            changed(result.1)
            begin()
        }
        if work != nil {
            isDue = false
            alarm?.arm(at: loop.now &+ patience)
        } else {
            // The system has no thread or descriptor left now: try again.
            timer?.arm(at: loop.now &+ patience)
        }
    }
}
