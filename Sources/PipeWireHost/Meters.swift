import CPipeWire
import SessionCore
import SessionHost
import SessionRuntime

/// Measures the levels of streams, with streams of the module's own that record them (N13).
final class Meters {
    private let context: OpaquePointer
    /// The connection of these streams to the daemon itself; made for the first one.
    private var core: OpaquePointer?
    private var meters: [StreamID: Meter] = [:]
    private let report: (StreamID, Double) -> Void

    /// One stream that is measured.
    private final class Meter {
        let report: (Double) -> Void
        var pointer: OpaquePointer?

        init(report: @escaping (Double) -> Void) { self.report = report }

        deinit { cpw_meter_destroy(pointer) }
    }

    /// - Parameter report: Called with a stream's highest sample of each period.
    init(context: OpaquePointer, report: @escaping (StreamID, Double) -> Void) {
        self.context = context
        self.report = report
    }

    deinit { leave() }

    /// Measures a stream, or no longer does.
    ///
    /// - Parameter serial: The serial number of the stream's node.
    func measure(_ stream: StreamID, serial: String?) {
        guard let serial else {
            meters[stream] = nil
            return
        }
        guard meters[stream] == nil else { return }
        core = core ?? cpw_meters_connect(context)
        guard let core else { return }
        let meter = Meter { [unowned self] in report(stream, $0) }
        meters[stream] = meter
        meter.pointer = cpw_meter_new(
            core, serial, { data, peak in object(data, as: Meter.self)?.report(Double(peak)) }, pointer(to: meter))
    }

    /// Ends all measurements.
    func leave() {
        meters = [:]
        if let core { pw_core_disconnect(core) }
        core = nil
    }
}
