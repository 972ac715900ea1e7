import HostSupport
import PolicyEngine
import Testing

/// What is known of cards, sinks and sources.
@Suite struct RouteRegistryTests {
    /// What was reported, and where each sink without a card passes its sound.
    private final class Server {
        var reports: [RouteEvent] = []
        var next: [UInt32: [UInt32]] = [:]
        /// Asked whenever something is reported.
        var during: () -> Void = {}
        lazy var registry = RouteRegistry(
            report: { [unowned self] event in
                reports.append(event)
                during()
            }, findNext: { [unowned self] node in next[node.id] ?? [] })

        /// The reports since the last call.
        func take() -> [RouteEvent] {
            defer { reports = [] }
            return reports
        }
    }

    private let server = Server()
    private var registry: RouteRegistry { server.registry }

    private func sink(_ id: UInt32, card: UInt32? = nil) -> RouteNode {
        RouteNode(id: id, name: "sink \(id)", direction: .output, deviceID: card)
    }

    @Test("only what is new is reported")
    func news() {
        let card = RouteDevice(id: 1, name: "card", ports: [])
        #expect(registry.put(sink(7), isOfCard: false))
        #expect(!registry.put(sink(7), isOfCard: false))
        registry.put(card)
        registry.put(card)
        #expect(registry.put(sink(7, card: 1), isOfCard: true))
        #expect(server.take() == [.node(sink(7)), .device(card), .node(sink(7, card: 1))])
        registry.remove(node: 7)
        registry.remove(node: 7)
        registry.remove(device: 1)
        registry.remove(device: 1)
        #expect(server.take() == [.nodeGone(7), .deviceGone(1)])
        registry.put(card)
        #expect(server.take() == [.device(card)])
    }

    @Test("a sink that goes is still known, and followed through filters, while that is reported")
    func lossComesFirst() {
        for id: UInt32 in [1, 2] { _ = registry.put(sink(id), isOfCard: false) }
        server.next = [1: [2]]
        registry.followAll()
        #expect(server.take().last == .passesOn(1, to: [2]))
        var isKnown = false
        server.during = { isKnown = server.registry.nodes[1] != nil && server.registry.reaches(2, from: 1) }
        registry.remove(node: 1)
        #expect(isKnown)
        #expect(registry.nodes[1] == nil && !registry.reaches(2, from: 1))
    }

    @Test("what programs make does not use up the room for cards' sinks and sources")
    func roomOfNodes() {
        for id in 0..<2000 as Range<UInt32> { _ = registry.put(sink(id), isOfCard: false) }
        #expect(registry.nodes.count == 512)
        for id in 2000..<4000 as Range<UInt32> { _ = registry.put(sink(id, card: 1), isOfCard: true) }
        #expect(registry.nodes.count == 1024)
        // Who is known may change.
        #expect(registry.put(sink(3, card: 1), isOfCard: false))
    }

    @Test("there is room for so many cards")
    func roomOfCards() {
        for id in 0..<300 as Range<UInt32> { registry.put(RouteDevice(id: id, name: "card", ports: [])) }
        #expect(server.take().count == RouteRegistry.mostDevices)
        registry.put(RouteDevice(id: 5, name: "other", ports: []))
        #expect(server.take().count == 1)
    }

    @Test("a chain of filters is followed, and a ring of them ends")
    func filters() {
        for id: UInt32 in 1...4 { _ = registry.put(sink(id, card: id == 4 ? 1 : nil), isOfCard: id == 4) }
        server.next = [1: [2], 2: [1, 3], 3: [4], 4: [1]]
        registry.followAll()
        #expect(registry.reaches(4, from: 1))
        #expect(registry.reaches(1, from: 1))
        // A card's sink passes nothing on, even if its monitor is heard elsewhere.
        #expect(!registry.reaches(1, from: 4))
        _ = server.take()
        registry.followAll()
        #expect(server.take() == [])
        server.next[2] = []
        registry.follow(2)
        #expect(server.take() == [.passesOn(2, to: [])])
        #expect(!registry.reaches(4, from: 1))
    }

    @Test("only a known source is muted, and told of once")
    func mutes() {
        let source = RouteNode(id: 9, name: "microphone", direction: .input)
        #expect(registry.setMuted(9, true) == nil)
        _ = registry.put(source, isOfCard: false)
        _ = registry.put(sink(1), isOfCard: false)
        #expect(registry.setMuted(1, true) == nil)
        #expect(registry.setMuted(9, true) == source)
        #expect(registry.setMuted(9, true) == nil)
        registry.remove(node: 9)
        _ = registry.put(source, isOfCard: false)
        #expect(registry.setMuted(9, false) == nil)
    }

    @Test(
        "properties are read in each server's spelling",
        arguments: [
            (
                PropertyKeys.pipeWire,
                ["device.form-factor": "webcam", "device.icon-name": "camera", "api.bluez5.profile": "a2dp-sink"]
            ),
            (
                .pulseAudio,
                ["device.form_factor": "webcam", "device.icon_name": "camera", "bluetooth.protocol": "a2dp-sink"]
            ),
        ])
    func spellings(keys: PropertyKeys, properties: [String: String]) {
        let all = properties.merging(["device.bus": "usb", "device.api": "alsa", "device.profile.name": "p"]) { $1 }
        var expected = PortFacts()
        expected.formFactor = "webcam"
        expected.iconName = "camera"
        expected.bus = "usb"
        expected.deviceAPI = "alsa"
        expected.nodeName = "card"
        #expect(PortFacts(nil, of: "card", keys) { all[$0] } == expected)
        expected.direction = .output
        expected.profileName = "p"
        expected.bluetoothProfile = "a2dp-sink"
        #expect(PortFacts(.output, of: "card", keys) { all[$0] } == expected)
    }

    @Test("what a sink without a card does with the sound")
    func kinds() {
        func kind(
            _ name: String, _ direction: PortDirection = .output, card: UInt32? = nil, isFilter: Bool = true
        ) -> RouteNode.Kind? {
            var facts = PortFacts()
            facts.nodeName = name
            facts.direction = direction
            return RouteNode(
                id: 1, facts, description: nil, deviceID: card, profileDevice: nil, isFilter: isFilter, isRemote: true
            )?.kind
        }
        #expect(kind("auto_null") == .dummy)
        #expect(kind("auto_null", .input) == .filter)
        #expect(kind("equalizer") == .filter)
        #expect(kind("tunnel", isFilter: false) == .network)
        #expect(kind("auto_null", card: 1) == .plain)
        #expect(
            RouteNode(
                id: 1, PortFacts(), description: nil, deviceID: nil, profileDevice: nil, isFilter: false,
                isRemote: false) == nil)
    }
}
