import CPulseCore
import DBus
import HostSupport

/// The daemon's main loop, as the bus needs it.
final class PulseAudioLoop: EventLoop {
    private let core: OpaquePointer
    private let api: UnsafeMutablePointer<pa_mainloop_api>

    init?(_ core: OpaquePointer) {
        guard let api = cpc_mainloop(core) else { return nil }
        self.core = core
        self.api = api
    }

    var now: Int64 { cpc_monotonic_nanoseconds() }

    func watch(_ descriptor: Int32, _ body: @escaping (Readiness) -> Void) -> any LoopWatch {
        Watch(api, descriptor, body)
    }

    func timer(_ body: @escaping () -> Void) -> any LoopTimer { Timer(core, api, body) }

    private final class Watch: LoopWatch {
        private let api: UnsafeMutablePointer<pa_mainloop_api>
        private let body: (Readiness) -> Void
        private var event: OpaquePointer?

        init(
            _ api: UnsafeMutablePointer<pa_mainloop_api>, _ descriptor: Int32, _ body: @escaping (Readiness) -> Void
        ) {
            self.api = api
            self.body = body
            event = api.pointee.io_new(
                api, descriptor, PA_IO_EVENT_NULL,
                { _, _, _, flags, data in object(data, as: Watch.self)?.ready(flags) }, pointer(to: self))
        }

        deinit { cancel() }

        private func ready(_ flags: pa_io_event_flags_t) {
            var readiness = Readiness()
            if flags.rawValue & PA_IO_EVENT_INPUT.rawValue != 0 { readiness.insert(.readable) }
            if flags.rawValue & PA_IO_EVENT_OUTPUT.rawValue != 0 { readiness.insert(.writable) }
            if flags.rawValue & (PA_IO_EVENT_HANGUP.rawValue | PA_IO_EVENT_ERROR.rawValue) != 0 {
                readiness.insert(.hungUp)
            }
            // The callback may release this object.
            withExtendedLifetime(self) { body(readiness) }
        }

        func update(_ interest: Readiness) {
            guard let event else { return }
            var flags = PA_IO_EVENT_NULL.rawValue
            if interest.contains(.readable) { flags |= PA_IO_EVENT_INPUT.rawValue }
            if interest.contains(.writable) { flags |= PA_IO_EVENT_OUTPUT.rawValue }
            api.pointee.io_enable(event, pa_io_event_flags_t(rawValue: flags))
        }

        func cancel() {
            if let event { api.pointee.io_free(event) }
            event = nil
        }
    }

    private final class Timer: LoopTimer {
        private let core: OpaquePointer
        private let api: UnsafeMutablePointer<pa_mainloop_api>
        private let body: () -> Void
        private var event: OpaquePointer?

        /// libpulse's value for a timer that never fires.
        private static let never = pa_usec_t.max

        init(_ core: OpaquePointer, _ api: UnsafeMutablePointer<pa_mainloop_api>, _ body: @escaping () -> Void) {
            self.core = core
            self.api = api
            self.body = body
            // Created disarmed.
            event = cpc_timer(
                core, Timer.never,
                { _, _, _, data in
                    guard let timer = object(data, as: Timer.self) else { return }
                    withExtendedLifetime(timer) { timer.body() }
                }, pointer(to: self))
        }

        deinit { cancel() }

        func arm(at moment: Int64?) {
            guard let event else { return }
            cpc_timer_restart(core, event, moment.map { pa_usec_t(max($0, 1_000) / 1_000 + 1) } ?? Timer.never)
        }

        func cancel() {
            if let event { api.pointee.time_free(event) }
            event = nil
        }
    }
}

/// Calls back once in the daemon's next turn, however often the call was requested.
final class Deferred {
    private let api: UnsafeMutablePointer<pa_mainloop_api>
    private let body: () -> Void
    private var event: OpaquePointer?

    init?(_ core: OpaquePointer, _ body: @escaping () -> Void) {
        guard let api = cpc_mainloop(core) else { return nil }
        self.api = api
        self.body = body
        event = api.pointee.defer_new(
            api,
            { _, event, data in
                guard let deferred = object(data, as: Deferred.self) else { return }
                deferred.api.pointee.defer_enable(event, 0)
                withExtendedLifetime(deferred) { deferred.body() }
            }, pointer(to: self))
        if let event { api.pointee.defer_enable(event, 0) }
    }

    deinit { if let event { api.pointee.defer_free(event) } }

    func ask() { if let event { api.pointee.defer_enable(event, 1) } }
}
