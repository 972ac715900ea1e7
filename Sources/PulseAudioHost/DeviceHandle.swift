import CPulseCore
import HostSupport
import PolicyEngine

/// A sink or source of the daemon, with the operations that both have in common.
struct DeviceHandle {
    let pointer: OpaquePointer
    let direction: PortDirection

    /// Distinguishes sources from sinks in a node number: the daemon numbers the two separately.
    private static let sourceBit: UInt32 = 1 << 31

    init(_ pointer: OpaquePointer, _ direction: PortDirection) {
        self.pointer = pointer
        self.direction = direction
    }

    /// The sink or source with a node number; `nil` if there is none.
    init?(_ node: UInt32, in core: OpaquePointer) {
        let isSink = node & DeviceHandle.sourceBit == 0
        let found = cpc_object(core, isSink ? CPC_SINKS : CPC_SOURCES, node & ~DeviceHandle.sourceBit)
        guard let found else { return nil }
        self.init(OpaquePointer(found), isSink ? .output : .input)
    }

    private var isSink: Bool { direction == .output }

    /// The number in the engine.
    var node: UInt32 { isSink ? cpc_sink_index(pointer) : cpc_source_index(pointer) | DeviceHandle.sourceBit }

    var name: String? { HostSupport.name(isSink ? cpc_sink_name(pointer) : cpc_source_name(pointer)) }

    var properties: OpaquePointer? { isSink ? cpc_sink_proplist(pointer) : cpc_source_proplist(pointer) }

    func property(_ key: String) -> String? { properties.flatMap { HostSupport.name(pa_proplist_gets($0, key)) } }

    var card: OpaquePointer? { isSink ? cpc_sink_card(pointer) : cpc_source_card(pointer) }

    /// The ports that it can have.
    var ports: [OpaquePointer] {
        list { isSink ? cpc_sink_ports(pointer, $0) : cpc_source_ports(pointer, $0) }
    }

    var activePort: OpaquePointer? { isSink ? cpc_sink_active_port(pointer) : cpc_source_active_port(pointer) }

    var isMonitor: Bool { !isSink && cpc_source_monitor_of(pointer) != nil }

    var channels: UInt32 {
        UInt32((isSink ? cpc_sink_sample_spec(pointer) : cpc_source_sample_spec(pointer)).channels)
    }

    /// Its latency. The daemon waits for the answer of the sink's or source's thread.
    var latency: Duration {
        .microseconds(Int64(clamping: isSink ? cpc_sink_latency(pointer) : cpc_source_latency(pointer)))
    }

    /// Activates one of its ports. `isSaved` marks a choice of the user, which the daemon remembers.
    func use(_ port: String, isSaved: Bool) {
        _ = isSink ? cpc_sink_set_port(pointer, port, isSaved) : cpc_source_set_port(pointer, port, isSaved)
    }
}

/// All that an iteration of the daemon finds.
func list(_ next: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> OpaquePointer?) -> [OpaquePointer] {
    var found: [OpaquePointer] = []
    var state: UnsafeMutableRawPointer?
    while let object = next(&state) { found.append(object) }
    return found
}
