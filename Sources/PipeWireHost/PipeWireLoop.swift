import CPipeWire
import DBus
import HostSupport

/// The daemon's main loop, as the bus needs it.
final class PipeWireLoop: EventLoop {
    private let loop: UnsafeMutablePointer<pw_loop>

    init(_ loop: UnsafeMutablePointer<pw_loop>) { self.loop = loop }

    var now: Int64 { cpw_monotonic_nanoseconds() }

    func watch(_ descriptor: Int32, _ body: @escaping (Readiness) -> Void) -> any LoopWatch {
        Watch(loop, descriptor, body)
    }

    func timer(_ body: @escaping () -> Void) -> any LoopTimer { Timer(loop, body) }

    private final class Watch: LoopWatch {
        private let loop: UnsafeMutablePointer<pw_loop>
        private let descriptor: Int32
        private let body: (Readiness) -> Void
        private var isCancelled = false
        private var source: UnsafeMutablePointer<spa_source>?

        init(_ loop: UnsafeMutablePointer<pw_loop>, _ descriptor: Int32, _ body: @escaping (Readiness) -> Void) {
            self.loop = loop
            self.descriptor = descriptor
            self.body = body
            add()
        }

        deinit { cancel() }

        /// The daemon may have no memory for it now; the next ``update(_:)`` tries again.
        private func add() {
            source = cpw_loop_add_io(
                loop, descriptor, { data, _, mask in object(data, as: Watch.self)?.ready(mask) }, pointer(to: self))
        }

        private func ready(_ mask: UInt32) {
            var readiness = Readiness()
            if Int(mask) & CPW_IO_IN != 0 { readiness.insert(.readable) }
            if Int(mask) & CPW_IO_OUT != 0 { readiness.insert(.writable) }
            if Int(mask) & CPW_IO_GONE != 0 { readiness.insert(.hungUp) }
            // The callback may release this object.
            withExtendedLifetime(self) { body(readiness) }
        }

        func update(_ interest: Readiness) {
            if source == nil, !isCancelled { add() }
            guard let source else { return }
            var mask = 0
            if interest.contains(.readable) { mask |= CPW_IO_IN }
            if interest.contains(.writable) { mask |= CPW_IO_OUT }
            cpw_loop_update_io(loop, source, UInt32(mask))
        }

        func cancel() {
            isCancelled = true
            if let source { cpw_loop_destroy_source(loop, source) }
            source = nil
        }
    }

    private final class Timer: LoopTimer {
        private let loop: UnsafeMutablePointer<pw_loop>
        private let body: () -> Void
        private var isCancelled = false
        private var source: UnsafeMutablePointer<spa_source>?

        init(_ loop: UnsafeMutablePointer<pw_loop>, _ body: @escaping () -> Void) {
            self.loop = loop
            self.body = body
            add()
        }

        deinit { cancel() }

        /// The daemon may have no descriptor for it now; the next ``arm(at:)`` tries again.
        private func add() {
            source = cpw_loop_add_timer(
                loop,
                { data, _ in
                    guard let timer = object(data, as: Timer.self) else { return }
                    withExtendedLifetime(timer) { timer.body() }
                }, pointer(to: self))
        }

        // A time of 0 would disarm the timer.
        func arm(at moment: Int64?) {
            if source == nil, !isCancelled, moment != nil { add() }
            if let source { cpw_loop_arm_timer(loop, source, moment.map { max($0, 1) } ?? 0) }
        }

        func cancel() {
            isCancelled = true
            if let source { cpw_loop_destroy_source(loop, source) }
            source = nil
        }
    }
}
