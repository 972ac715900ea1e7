import PolicyFile
import SessionBus

/// Has the policy read again a moment after anything has changed in its folders. The folders may be on a distant machine that
/// does not answer: they are looked into on a thread of their own, and the server's main loop goes on.
final class PolicyWatch<Contents: Sendable> {
    /// How long it is quiet before the files are read, in nanoseconds: an editor writes, renames and removes in one go.
    private var quiet: Int64 { 100_000_000 }
    /// How long the files may take to be read before that is said, in nanoseconds.
    private var patience: Int64 { 5_000_000_000 }

    private let loop: any EventLoop
    private let read: @Sendable () -> Contents
    private let changed: (Contents) -> Void
    private var folders: FolderWatch
    private var input: (any LoopWatch)?
    /// Ends the quiet.
    private var timer: (any LoopTimer)?
    /// Ends the patience.
    private var alarm: (any LoopTimer)?
    private var work: BackgroundWork<(FolderSearch.Found, Contents)>?
    /// Something has changed since the files were last begun to be read, and it has been quiet since.
    private var isDue = false

    /// Starts to watch folders, given by absolute paths. Looks into the file system, and waits for that.
    ///
    /// - Parameters:
    ///   - read: Reads what is in them, on another thread.
    ///   - changed: Called on the loop with what was read.
    ///   - isSlow: Called on the loop when the files have not been read for a long time.
    init(
        _ folders: [String], on loop: any EventLoop, read: @escaping @Sendable () -> Contents,
        changed: @escaping (Contents) -> Void, isSlow: @escaping () -> Void
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
        alarm = loop.timer(isSlow)
        input = loop.watch(self.folders.descriptor) { [unowned self] _ in look() }
        input?.update(.readable)
    }

    deinit {
        input?.cancel()
        timer?.cancel()
        alarm?.cancel()
    }

    private func look() {
        if folders.take() { timer?.arm(at: loop.now &+ quiet) }
    }

    private func begin() {
        guard isDue, work == nil else { return }
        let search = folders.search
        let read = read
        work = BackgroundWork(on: loop) {
            // What changes after this is seen, and read again.
            let found = search.run()
            return (found, read())
        } done: { [unowned self] result in
            work = nil
            alarm?.arm(at: nil)
            folders.take(result.0)
            changed(result.1)
            begin()
        }
        if work != nil {
            isDue = false
            alarm?.arm(at: loop.now &+ patience)
        } else {
            // The system has no thread or descriptor to spare now.
            timer?.arm(at: loop.now &+ patience)
        }
    }
}
