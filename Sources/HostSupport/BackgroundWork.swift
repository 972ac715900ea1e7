import DBus
import Glibc

/// Work that may have to wait for a file system, on its own thread. The result arrives on the server's main loop, which
/// does not wait. A release of this object cancels the callback; the thread still finishes.
final class BackgroundWork<Result: Sendable> {
    private var input: (any LoopWatch)?

    /// `nil` if the system has no descriptor or thread left. `work` runs on the thread and must not touch anything of
    /// the loop; `done` is called once, on the loop.
    init?(on loop: any EventLoop, _ work: @escaping @Sendable () -> Result, done: @escaping (Result) -> Void) {
        let job = Job(work)
        guard job.end.output >= 0, BackgroundThread.start(job) else { return nil }
        input = loop.watch(job.end.output) { [weak self] _ in
            guard let self, let result = job.result else { return }
            input?.cancel()
            input = nil
            done(result)
        }
        input?.update(.readable)
    }

    deinit { input?.cancel() }

    /// Shared by thread and loop. The result is written before the pipe signals its end, and read only after that.
    private final class Job: BackgroundThread.Job, @unchecked Sendable {
        /// A pipe that is readable when the work is done; −1 when the system has none left.
        let end: (output: Int32, input: Int32)
        private let work: @Sendable () -> Result
        private(set) var result: Result?

        init(_ work: @escaping @Sendable () -> Result) {
            self.work = work
            var ends: (Int32, Int32) = (-1, -1)
            let status = withUnsafeMutableBytes(of: &ends) { bytes in
                pipe(bytes.bindMemory(to: Int32.self).baseAddress)
            }
            end = status == 0 ? (ends.0, ends.1) : (-1, -1)
            for descriptor in [end.output, end.input] where descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
        }

        deinit {
            guard end.output >= 0 else { return }
            close(end.output)
            close(end.input)
        }

        override func run() {
            result = work()
            var byte: UInt8 = 0
            _ = write(end.input, &byte, 1)
        }
    }
}

private enum BackgroundThread {
    class Job: @unchecked Sendable {
        func run() {}
    }

    /// The thread blocks all signals, which are for the server's own threads. Returns whether it started.
    static func start(_ job: Job) -> Bool {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let owned = Unmanaged.passRetained(job)
        let status = pthread_create(
            &thread, &attributes,
            { job in
                if let job { Unmanaged<Job>.fromOpaque(job).takeRetainedValue().run() }
                return nil
            }, owned.toOpaque())
        if status != 0 { owned.release() }
        return status == 0
    }
}
