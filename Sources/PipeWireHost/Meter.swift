import CPipeWire
import HostSupport

/// Measures the level of a stream, with a stream of the module's own that records it (N13).
final class Meter {
    private let report: (Double) -> Void
    private var meter: OpaquePointer?

    /// - Parameters:
    ///   - core: A connection to the daemon itself (`cpw_meters_connect`), which has to outlive the meter.
    ///   - serial: The serial number of the stream's node.
    ///   - report: Called with the stream's highest sample of each period.
    init(_ core: OpaquePointer, serial: String, report: @escaping (Double) -> Void) {
        self.report = report
        meter = cpw_meter_new(
            core, serial, { data, peak in object(data, as: Meter.self)?.report(Double(peak)) }, pointer(to: self))
    }

    deinit { cpw_meter_destroy(meter) }
}
