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
        /// The card's global id, and the device of its profile.
        let card: UInt32?
        let profileDevice: Int32?
        unowned let watch: OutputWatch
        var listener: Listener<pw_impl_node_events>?

        init(
            global: UInt32, port: PortID, name: String, card: UInt32?, profileDevice: Int32?, watch: OutputWatch
        ) {
            self.global = global
            self.card = card
            self.profileDevice = profileDevice
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
            card: text(pw_properties_get(properties, "device.id")).flatMap { UInt32($0) },
            profileDevice: text(pw_properties_get(properties, "card.profile.device")).flatMap { Int32($0) },
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
        lost(sink.port, sink.name, of: sink.global)
    }

    /// A place where a sink is heard is gone, or is about to be.
    private func lost(_ port: PortID, _ name: String, of sink: UInt32) {
        let heard = Set(links.values.filter { $0.input == sink }.map(\.output))
        let known = awaited[port] ?? []
        if host.outputLost(port, name, nodes: heard), awaited.count < OutputWatch.limit {
            awaited[port] = known.union(heard)
        }
    }

    // MARK: - Ports of cards

    /// A client wants a card to use another port. Where the present one has been pulled out, what is heard there stops
    /// first.
    func requested(_ index: UInt32, profileDevice: Int32, of card: CardWatch.Card) {
        guard let present = card.active[profileDevice], present != index, let port = card.ports[present],
            port.isOutput, port.isUnplugged
        else { return }
        for sink in sinks(of: card.global, profileDevice) {
            lost(OutputWatch.id(of: port, card), port.description, of: sink.global)
        }
    }

    /// What a card says of its ports has changed: what was awaited may be in use again.
    func changed(_ card: CardWatch.Card) {
        for (profileDevice, index) in card.active {
            guard let port = card.ports[index], port.isOutput, !port.isUnplugged,
                let waiting = awaited[OutputWatch.id(of: port, card)]
            else { continue }
            let id = OutputWatch.id(of: port, card)
            for sink in sinks(of: card.global, profileDevice) {
                let heard = Set(links.values.filter { $0.input == sink.global }.map(\.output))
                let back = waiting.intersection(heard)
                guard !back.isEmpty else { continue }
                awaited[id] = waiting.subtracting(back)
                if awaited[id]?.isEmpty == true { awaited[id] = nil }
                for node in back.sorted() { host.outputReturned(id, node: node) }
            }
        }
    }

    private static func id(of port: CardWatch.Port, _ card: CardWatch.Card) -> PortID {
        PortID("\(card.name)/\(port.name)")
    }

    private func sinks(of card: UInt32, _ profileDevice: Int32) -> [Sink] {
        sinks.values.filter { $0.card == card && ($0.profileDevice == profileDevice || $0.profileDevice == nil) }
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
