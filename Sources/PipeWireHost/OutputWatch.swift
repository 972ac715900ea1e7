import CPipeWire
import SessionCore

/// Sees the outputs go and come, and which streams are heard on which (R63, R64).
///
/// A sink that goes says so before its links go, and long before the session manager gives its streams another one. So
/// what was heard on it is stopped in time, inside the daemon's own call.
final class OutputWatch {
    /// One sink of a device.
    private final class Sink {
        let global: UInt32
        let port: PortID
        let name: String
        unowned let watch: OutputWatch
        var listener: Listener<pw_impl_node_events>?

        init(global: UInt32, port: PortID, name: String, watch: OutputWatch) {
            self.global = global
            self.port = port
            self.name = name
            self.watch = watch
        }
    }

    private unowned let host: PipeWireHost
    /// By the node's global id.
    private var sinks: [UInt32: Sink] = [:]
    /// From which node to which, by the link's global id.
    private var links: [UInt32: (output: UInt32, input: UInt32)] = [:]
    /// Outputs that have gone, with the nodes that were heard on them.
    private var awaited: [PortID: Set<UInt32>] = [:]
    /// More than that are not waited for.
    private static let limit = 64

    init(host: PipeWireHost) { self.host = host }

    /// Looks at a node: is it a sink that can be unplugged? What belongs to no device, such as a filter's, cannot.
    func added(node: OpaquePointer, global: UInt32) {
        let properties = pw_impl_node_get_properties(node)
        guard sinks[global] == nil, text(pw_properties_get(properties, "media.class")) == "Audio/Sink",
            pw_properties_get(properties, "device.id") != nil,
            let port = name(pw_properties_get(properties, "node.name"))
        else { return }
        let sink = Sink(
            global: global, port: PortID(port), name: name(pw_properties_get(properties, "node.description")) ?? port,
            watch: self)
        sinks[global] = sink
        var events = pw_impl_node_events()
        events.version = UInt32(PW_VERSION_IMPL_NODE_EVENTS)
        events.destroy = { data in
            guard let sink = object(data, as: Sink.self) else { return }
            sink.listener = nil
            sink.watch.lost(sink)
        }
        sink.listener = Listener(events) { pw_impl_node_add_listener(node, $0, $1, pointer(to: sink)) }
    }

    private func lost(_ sink: Sink) {
        sinks[sink.global] = nil
        let heard = Set(links.values.filter { $0.input == sink.global }.map(\.output))
        let known = awaited[sink.port] ?? []
        if host.outputLost(sink.port, sink.name, nodes: heard), awaited.count < OutputWatch.limit {
            awaited[sink.port] = known.union(heard)
        }
    }

    /// A link was made. A stream that is linked to an output which was awaited may go on there, and nowhere else.
    func added(link: OpaquePointer, global: UInt32) {
        guard let info = pw_impl_link_get_info(link) else { return }
        let ends = (output: info.pointee.output_node_id, input: info.pointee.input_node_id)
        links[global] = ends
        guard let port = sinks[ends.input]?.port, awaited[port]?.remove(ends.output) != nil else { return }
        if awaited[port]?.isEmpty == true { awaited[port] = nil }
        host.outputReturned(port, node: ends.output)
    }

    /// A link is gone.
    func removed(link global: UInt32) { links[global] = nil }
}
