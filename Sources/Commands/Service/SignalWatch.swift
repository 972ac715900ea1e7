import DBus
import Glibc

/// Delivers system signals as events of a loop.
///
/// The signals are blocked in the whole process. A separate thread waits for them and passes them on through a socket,
/// so no signal handler interrupts other code.
final class SignalWatch {
    private let watch: any LoopWatch

    /// Passes signals on from now until the process ends.
    init(_ signals: [Int32], loop: PollLoop, _ body: @escaping (Int32) -> Void) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
        let (reader, writer) = (ends[0], ends[1])
        let context = UnsafeMutablePointer<(set: sigset_t, writer: Int32)>.allocate(capacity: 1)
        context.initialize(to: (set, writer))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                guard let context = argument?.assumingMemoryBound(to: (set: sigset_t, writer: Int32).self) else {
                    return nil
                }
                var number: Int32 = 0
                while sigwait(&context.pointee.set, &number) == 0 {
                    var byte = UInt8(truncatingIfNeeded: number)
                    _ = write(context.pointee.writer, &byte, 1)
                }
                return nil
            }, context)
        pthread_detach(thread)
        watch = loop.watch(reader) { _ in
            var byte: UInt8 = 0
            if read(reader, &byte, 1) == 1 { body(Int32(byte)) }
        }
        watch.update(.readable)
    }

    deinit { watch.cancel() }
}
