import SessionCore
import Testing

/// What is done in the server for sessions, and that all of it is undone.
@Suite struct RouteSteeringTests {
    // MARK: - Ports

    @Test("R41 R46 a port of the same sink is used while it is wanted, then the former one")
    func port() {
        var desk = SteeringDesk()
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        #expect(desk.say([1: "receiver"]) == [])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "receiver"]) == [])
        #expect(desk.say([1: "speaker"]) == ["laptop: speaker"])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([1: "headphones"]) == ["laptop: headphones"])
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([:]) == ["laptop: speaker"])
        #expect(desk.say([:]) == [])
        #expect(!desk.steering.isEmpty)
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([:]) == [])
        #expect(desk.steering.isEmpty)
    }

    @Test("R41 what is over before it has shown is undone all the same")
    func quick() {
        var desk = SteeringDesk()
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        #expect(desk.say([1: "headphones"]) == ["laptop: headphones"])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "headphones"]) == [])
        #expect(desk.say([:]) == ["laptop: speaker"])
        // Wanted again before that has shown.
        #expect(desk.say([1: "headphones"]) == ["laptop: headphones"])
        #expect(desk.say([:]) == ["laptop: speaker"])
        #expect(desk.say([1: "speaker"]) == [])
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "speaker"]) == [])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([:]) == [])
        #expect(desk.steering.isEmpty)
    }

    @Test("R41 R66 what the user chooses later stays, and is not fought", arguments: [true, false])
    func userChoosesPort(hasShown: Bool) {
        var desk = SteeringDesk()
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        if hasShown {
            desk.laptop.active = "laptop/receiver"
            #expect(desk.say([1: "receiver"]) == [])
            desk.laptop.active = "laptop/headphones"
            #expect(desk.say([1: "receiver"]) == [])
            #expect(desk.say([:]) == [])
            #expect(desk.steering.isEmpty)
        } else {
            // The user was first, and the command comes after that.
            desk.laptop.active = "laptop/headphones"
            #expect(desk.say([1: "receiver"]) == [])
            desk.laptop.active = "laptop/receiver"
            #expect(desk.say([1: "receiver"]) == [])
            #expect(desk.say([:]) == ["laptop: headphones"])
        }
    }

    @Test("R41 a wish for another port counts after the user's choice, and goes back to it")
    func wishAfterUser() {
        var desk = SteeringDesk()
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "receiver"]) == [])
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "receiver"]) == [])
        #expect(desk.say([1: "speaker"]) == ["laptop: speaker"])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([1: "speaker"]) == [])
        #expect(desk.say([:]) == ["laptop: headphones"])
    }

    @Test("R46 what is used anyway needs nothing, and the user may leave it")
    func usedAnyway() {
        var desk = SteeringDesk()
        #expect(desk.say([1: "speaker"]) == [])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "speaker"]) == [])
        #expect(desk.say([:]) == [])
        #expect(desk.steering.isEmpty)
    }

    @Test("R46 two sessions want different ports of one sink: the latest activated has its way")
    func latestWins() {
        var desk = SteeringDesk()
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "receiver", 2: "headphones"]) == ["laptop: headphones"])
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "receiver", 2: "headphones"]) == [])
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([:]) == ["laptop: speaker"])
    }

    @Test("R41 R66 the former port is gone: nothing to go back to", arguments: [true, false])
    func formerGone(isBack: Bool) {
        var desk = SteeringDesk()
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "speaker"]) == ["laptop: speaker"])
        desk.laptop.active = "laptop/speaker"
        desk.laptop.ports = ["laptop/speaker", "laptop/receiver"]
        #expect(desk.say([1: "speaker"]) == [])
        if isBack { desk.laptop.ports.append("laptop/headphones") }
        #expect(desk.say([:]) == (isBack ? ["laptop: headphones"] : []))
    }

    @Test("R66 a port that is plugged out is not wanted any more, and is again when it is back")
    func wantedGone() {
        var desk = SteeringDesk()
        #expect(desk.say([1: "headphones"]) == ["laptop: headphones"])
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "headphones"]) == [])
        desk.laptop.ports = ["laptop/speaker", "laptop/receiver"]
        #expect(desk.say([1: "headphones"]) == ["laptop: speaker"])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([1: "headphones"]) == [])
        #expect(desk.steering.isEmpty)
        desk.laptop.ports.append("laptop/headphones")
        #expect(desk.say([1: "headphones"]) == ["laptop: headphones"])
    }

    @Test("R63 a sink that goes is forgotten, and another with its number is another")
    func sinkGone() {
        var desk = SteeringDesk()
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "receiver"]) == [])
        desk.laptop.nodeName = "sink.other"
        #expect(desk.say([:]) == [])
        #expect(desk.steering.isEmpty)
    }

    @Test("R46 while a device shows nothing as active, nothing is concluded from it")
    func nothingActive() {
        var desk = SteeringDesk()
        desk.laptop.active = nil
        #expect(desk.say([1: "receiver"]) == [])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        desk.laptop.active = nil
        #expect(desk.say([1: "receiver"]) == [])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "receiver"]) == [])
        desk.laptop.active = nil
        #expect(desk.say([:]) == ["laptop: speaker"])
    }

    // MARK: - Streams

    @Test("R48 R66 streams of the session are sent to another sink, and back")
    func send() {
        var desk = SteeringDesk()
        desk.play(1, of: 1)
        desk.play(2, of: 2)
        desk.play(3, of: 1, .capture)
        #expect(desk.say([1: "usb"]) == ["1 to usb"])
        #expect(desk.say([1: "usb"]) == [])
        desk.link(1, to: "usb")
        #expect(desk.say([1: "usb"]) == [])
        // One that starts meanwhile, and is not linked yet.
        desk.play(4, of: 1, on: nil)
        #expect(desk.say([1: "usb"]) == ["4 to usb"])
        #expect(desk.say([:]) == ["1 to default", "4 to default"])
        #expect(desk.say([:]) == [])
        #expect(desk.steering.isEmpty)
    }

    @Test("R66 a sink that is the default anyway gets nothing sent to, until it is not the default")
    func becomesDefault() {
        var desk = SteeringDesk()
        desk.play(1, of: 1)
        #expect(desk.say([1: "speaker"]) == [])
        desk.setDefault("usb")
        desk.link(1, to: "usb")
        #expect(desk.say([1: "speaker"]) == ["1 to laptop"])
        desk.link(1, to: "laptop")
        #expect(desk.say([1: "speaker"]) == [])
        desk.setDefault("laptop")
        #expect(desk.say([1: "speaker"]) == [])
        #expect(desk.say([:]) == ["1 to default"])
    }

    @Test("R66 the wish changes from one sink to another, and to the default")
    func changes() {
        var desk = SteeringDesk()
        desk.play(1, of: 1)
        #expect(desk.say([1: "usb"]) == ["1 to usb"])
        desk.link(1, to: "usb")
        #expect(desk.say([1: "television"]) == ["1 to television"])
        #expect(desk.say([1: "speaker"]) == ["1 to default"])
        #expect(desk.steering.isEmpty == false)
        #expect(desk.say([:]) == [])
        #expect(desk.steering.isEmpty)
    }

    @Test("R66 a stream that the user has put elsewhere stays there")
    func userMoves() {
        var desk = SteeringDesk()
        desk.play(1, of: 1)
        desk.play(2, of: 1, on: "television")
        #expect(desk.say([1: "usb"]) == ["1 to usb"])
        desk.link(1, to: "usb")
        #expect(desk.say([1: "usb"]) == [])
        desk.link(1, to: "television")
        #expect(desk.say([1: "usb"]) == [])
        #expect(desk.say([:]) == [])
        #expect(desk.steering.isEmpty)
    }

    @Test("R66 a stream that was away for a moment only is sent back as others")
    func bounces() {
        var desk = SteeringDesk()
        desk.play(1, of: 1)
        #expect(desk.say([1: "usb"]) == ["1 to usb"])
        for place in ["usb", "television", "usb"] {
            desk.link(1, to: place)
            #expect(desk.say([1: "usb"]) == [])
        }
        #expect(desk.say([:]) == ["1 to default"])
    }

    @Test("R66 a stream that vanished gets no command; one that changes its session goes back")
    func vanishes() {
        var desk = SteeringDesk()
        desk.play(1, of: 1)
        desk.play(2, of: 1)
        #expect(desk.say([1: "usb"]) == ["1 to usb", "2 to usb"])
        desk.streams.removeFirst()
        desk.streams[0].session = nil
        #expect(desk.say([1: "usb"]) == ["2 to default"])
        #expect(desk.say([:]) == [])
    }

    @Test("R63 R66 the sink goes: its streams go where the server sends them; it is back: there again")
    func sinkOfStreamGone() {
        var desk = SteeringDesk()
        desk.play(1, of: 1)
        #expect(desk.say([1: "usb"]) == ["1 to usb"])
        desk.link(1, to: "usb")
        #expect(desk.say([1: "usb"]) == [])
        let usb = desk.places.remove(at: 1)
        #expect(desk.say([1: "usb"]) == ["1 to default"])
        desk.link(1, to: "laptop")
        #expect(desk.say([1: "usb"]) == [])
        desk.places.append(usb)
        desk.places[2].nodeID = 90
        #expect(desk.say([1: "usb"]) == ["1 to usb"])
        #expect(desk.say([:]) == ["1 to default"])
    }

    @Test("R66 a port whose profile is not in use can not be chosen; a node without ports can")
    func nodes() {
        var desk = SteeringDesk()
        desk.play(1, of: 1)
        #expect(desk.say([1: "elsewhere"]) == [])
        #expect(desk.say([1: "sink.television"]) == ["1 to television"])
    }

    @Test("R41 R46 both at once: the port first, and last when it goes back")
    func order() {
        var desk = SteeringDesk()
        desk.play(1, of: 1)
        desk.usb.ports.append("usb/line")
        #expect(desk.say([1: "line"]) == ["usb: line", "1 to usb"])
        desk.usb.active = "usb/line"
        desk.link(1, to: "usb")
        #expect(desk.say([1: "line"]) == [])
        #expect(desk.say([:]) == ["1 to default", "usb: usb"])
    }

    // MARK: - All of it

    @Test("R12 R41 undo: what was sent and changed, but not what the user chose")
    func undo() {
        var desk = SteeringDesk()
        desk.play(1, of: 1)
        desk.play(2, of: 1)
        desk.usb.ports.append("usb/line")
        #expect(desk.say([2: "receiver", 1: "line"]) == ["laptop: receiver", "usb: line", "1 to usb", "2 to usb"])
        desk.laptop.active = "laptop/headphones"
        desk.usb.active = "usb/line"
        desk.link(1, to: "usb")
        desk.link(2, to: "usb")
        #expect(desk.say([2: "receiver", 1: "line"]) == [])
        desk.link(2, to: "television")
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([2: "receiver", 1: "line"]) == [])
        #expect(desk.words(desk.steering.undo()) == ["1 to default", "laptop: headphones", "usb: usb"])
        #expect(desk.steering.isEmpty)
        #expect(desk.steering.undo() == [])
    }

    @Test("R46 what a choice depends on is what would be there without it")
    func untouched() {
        var desk = SteeringDesk()
        let outputs = desk.outputs
        var present = Route(outputs: outputs.filter { $0.id == "laptop/speaker" })
        #expect(desk.steering.untouched(present, inputs: [], outputs: outputs) == present)
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "receiver"]) == [])
        let before = present
        present = Route(outputs: outputs.filter { $0.id == "laptop/receiver" })
        #expect(desk.steering.untouched(present, inputs: [], outputs: outputs) == before)
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "receiver"]) == [])
        present = Route(outputs: outputs.filter { $0.id == "laptop/headphones" })
        #expect(desk.steering.untouched(present, inputs: [], outputs: outputs) == present)
    }

    @Test("R46 R63 the places that a tracker knows")
    func places() {
        let desk = Laptop.desk(Laptop(headset: .yes))
        #expect(
            desk.tracker.places == [
                RoutePlace(
                    nodeID: 20, nodeName: "sink.laptop", direction: .output, deviceID: 10, ports: ["laptop/speaker"],
                    active: "laptop/speaker", isDefault: true),
                RoutePlace(
                    nodeID: 21, nodeName: "source.laptop", direction: .input, deviceID: 10,
                    ports: ["laptop/mic", "laptop/headset"], active: "laptop/mic", isDefault: true),
            ])
    }
}

/// Three sinks, the streams on them, and sessions by number that want a port or sink each.
private struct SteeringDesk {
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
