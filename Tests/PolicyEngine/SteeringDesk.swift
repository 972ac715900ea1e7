import PolicyEngine
import Testing

/// Three sinks, the streams on them, and sessions by number that want a port or sink each.
struct SteeringDesk {
    var steering = RouteSteering()
    var streams: [RouteStream] = []
    var places = [
        RoutePlace(
            nodeID: 20, nodeName: "sink.laptop", direction: .output, deviceID: 10,
            ports: ["laptop/speaker", "laptop/receiver", "laptop/headphones"], active: "laptop/speaker",
            isDefault: true),
        RoutePlace(
            nodeID: 30, nodeName: "sink.usb", direction: .output, deviceID: 11, ports: ["usb/usb"], active: "usb/usb"),
        RoutePlace(nodeID: 40, nodeName: "sink.television", direction: .output),
    ]
    private var names: [UInt32: String] = [20: "laptop", 30: "usb", 40: "television", 90: "usb"]

    var laptop: RoutePlace {
        get { places[0] }
        set { places[0] = newValue }
    }

    var usb: RoutePlace {
        get { places[1] }
        set { places[1] = newValue }
    }

    /// What there is to choose from.
    var outputs: [RoutePort] {
        places.flatMap { place in
            (place.ports + [place.nodeName]).map { id in
                RoutePort(type: .unknown, name: "", id: id, nodeName: place.nodeName, nodeID: place.nodeID)
            }
        }
    }

    mutating func play(_ id: UInt32, of session: UInt32, _ direction: StreamDirection = .playback) {
        play(id, of: session, direction, on: direction == .playback ? "laptop" : nil)
    }

    mutating func play(
        _ id: UInt32, of session: UInt32, _ direction: StreamDirection = .playback, on place: String?
    ) {
        let node = places.first { $0.nodeName == place.map { "sink.\($0)" } }?.nodeID
        streams.append(RouteStream(StreamID(id), of: SessionID(session), direction, on: node))
    }

    mutating func link(_ id: UInt32, to place: String) {
        let node = places.first { $0.nodeName == "sink.\(place)" }?.nodeID
        for index in streams.indices where streams[index].id == StreamID(id) { streams[index].nodeID = node }
    }

    mutating func setDefault(_ place: String) {
        for index in places.indices { places[index].isDefault = places[index].nodeName == "sink.\(place)" }
    }

    /// Says what the sessions want, in the order of their numbers, and returns what is done for it.
    mutating func say(_ wishes: [UInt32: String]) -> [String] {
        let choices = wishes.sorted { $0.key < $1.key }.map { session, port in
            let output =
                outputs.first { $0.id.hasSuffix("/\(port)") || $0.id == port }
                ?? RoutePort(type: .unknown, name: "", id: "away/\(port)")
            return (session: SessionID(session), choice: RouteChoice(output: output))
        }
        let commands = steering.update(choices, streams: streams, places: places)
        let again = steering.update(choices, streams: streams, places: places)
        #expect(again == [], "the same once more")
        return words(commands)
    }

    /// The commands, as words: `laptop: speaker`, `1 to usb`.
    func words(_ commands: [RouteCommand]) -> [String] {
        commands.map { command in
            switch command {
            case .send(let stream, let node):
                "\(stream.rawValue) to \(node.map { names[$0] ?? "?" } ?? "default")"
            case .usePort(let id, _, _, let node): "\(names[node] ?? "?"): \(id.drop { $0 != "/" }.dropFirst())"
            }
        }
    }
}
