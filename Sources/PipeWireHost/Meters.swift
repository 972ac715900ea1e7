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
        let stream: StreamID
        unowned let meters: Meters
        var pointer: OpaquePointer?

        init(_ stream: StreamID, _ meters: Meters) {
            self.stream = stream
            self.meters = meters
        }

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
        let meter = Meter(stream, self)
        meters[stream] = meter
        meter.pointer = cpw_meter_new(
            core, serial,
            { data, peak in
                guard let meter = object(data, as: Meter.self) else { return }
                meter.meters.report(meter.stream, Double(peak))
            }, pointer(to: meter))
    }

    /// Ends all measurements.
    func leave() {
        meters = [:]
        cpw_meters_disconnect(core)
        core = nil
    }
}
