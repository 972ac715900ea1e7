import PolicyEngine
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
        desk.steering.settle()
        #expect(desk.steering.isEmpty)
    }

    @Test("R41 R46 an earlier command is answered after the last one: the last one is repeated, for a time")
    func answeredLate() {
        var desk = SteeringDesk()
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([:]) == ["laptop: speaker"])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([:]) == [])
        #expect(desk.words(desk.steering.unanswered(desk.places)) == [])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([:]) == [])
        #expect(desk.words(desk.steering.unanswered(desk.places)) == ["laptop: speaker"])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([:]) == [])
        desk.steering.settle()
        #expect(desk.steering.isEmpty)
        // From now on it is the user's choice.
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([:]) == [])
        #expect(desk.words(desk.steering.unanswered(desk.places)) == [])
    }

    @Test("R41 R66 a port that was asked for earlier is the user's choice when the commands have settled")
    func choosesEarlierPort() {
        var desk = SteeringDesk()
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "headphones"]) == ["laptop: headphones"])
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "headphones"]) == [])
        desk.steering.settle()
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "headphones"]) == [])
        #expect(desk.words(desk.steering.unanswered(desk.places)) == [])
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
        desk.steering.settle()
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

    @Test(
        "R41 R66 the former port is gone: nothing to go back to, nor when it is back and not used",
        arguments: [true, false])
    func formerGone(isBack: Bool) {
        var desk = SteeringDesk()
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "speaker"]) == ["laptop: speaker"])
        desk.laptop.active = "laptop/speaker"
        desk.laptop.ports = ["laptop/speaker", "laptop/receiver"]
        #expect(desk.say([1: "speaker"]) == [])
        if isBack { desk.laptop.ports.append("laptop/headphones") }
        #expect(desk.say([1: "speaker"]) == [])
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "receiver"]) == [])
        #expect(desk.say([:]) == ["laptop: speaker"])
    }

    @Test("R41 R66 the former port was out before, and used all the same: it is again when it is back")
    func formerOutBefore() {
        var desk = SteeringDesk()
        desk.laptop.active = "laptop/headphones"
        desk.laptop.ports = ["laptop/speaker", "laptop/receiver"]
        #expect(desk.say([1: "speaker"]) == ["laptop: speaker"])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([1: "speaker"]) == [])
        desk.laptop.ports.append("laptop/headphones")
        #expect(desk.say([1: "speaker"]) == [])
        #expect(desk.say([:]) == ["laptop: headphones"])
    }

    @Test("R41 R66 what was asked for is pulled out when the user has chosen another one: that stays")
    func askedGone() {
        var desk = SteeringDesk()
        desk.laptop.fallback = "laptop/speaker"
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "headphones"]) == ["laptop: headphones"])
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "headphones"]) == [])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([1: "headphones"]) == [])
        desk.laptop.ports = ["laptop/speaker", "laptop/receiver"]
        #expect(desk.say([1: "headphones"]) == [])
        #expect(desk.steering.isEmpty)
    }

    @Test("R41 R66 what the user has chosen instead is pulled out: where the server falls back to is where it stays")
    func chosenGone() {
        var desk = SteeringDesk()
        desk.laptop.fallback = "laptop/speaker"
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "speaker"]) == ["laptop: speaker"])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([1: "speaker"]) == [])
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "speaker"]) == [])
        desk.laptop.ports = ["laptop/speaker", "laptop/receiver"]
        #expect(desk.say([1: "speaker"]) == [])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([1: "speaker"]) == [])
        #expect(desk.say([:]) == [])
        #expect(desk.steering.isEmpty)
    }

    @Test("R41 R46 headphones are pulled out in a call: the receiver, and the speaker after it, not the receiver")
    func headphonesPulled() {
        var desk = SteeringDesk()
        desk.laptop.fallback = "laptop/speaker"
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "speaker"]) == ["laptop: speaker"])
        desk.laptop.active = "laptop/speaker"
        #expect(desk.say([1: "speaker"]) == [])
        desk.laptop.ports = ["laptop/speaker", "laptop/receiver"]
        #expect(desk.say([1: "receiver"]) == ["laptop: receiver"])
        desk.laptop.active = "laptop/receiver"
        #expect(desk.say([1: "receiver"]) == [])
        #expect(desk.say([:]) == ["laptop: speaker"])
    }

    @Test("R64 R66 what was used anyway is pulled out: that is the server's business")
    func usedAnywayPulled() {
        var desk = SteeringDesk()
        desk.laptop.fallback = "laptop/speaker"
        desk.laptop.active = "laptop/headphones"
        #expect(desk.say([1: "headphones"]) == [])
        desk.laptop.ports = ["laptop/speaker", "laptop/receiver"]
        #expect(desk.say([1: "headphones"]) == [])
        #expect(desk.steering.isEmpty)
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
        #expect(desk.say([1: "sink.television"]) == ["1 to television"])
        #expect(desk.say([1: "speaker"]) == ["1 to default"])
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
        var other = desk
        other.streams = []
        #expect(other.say([1: "usb"]) == [])
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

    @Test("R66 a stream that is not told of any more goes back, and so does one that changes its session")
    func vanishes() {
        var desk = SteeringDesk()
        desk.play(1, of: 1)
        desk.play(2, of: 1)
        #expect(desk.say([1: "usb"]) == ["1 to usb", "2 to usb"])
        desk.streams.removeFirst()
        desk.streams[0].session = nil
        #expect(desk.say([1: "usb"]) == ["2 to default", "1 to default"])
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
                    fallback: "laptop/speaker", active: "laptop/speaker", isDefault: true),
                RoutePlace(
                    nodeID: 21, nodeName: "source.laptop", direction: .input, deviceID: 10,
                    ports: ["laptop/mic", "laptop/headset"], fallback: "laptop/mic", active: "laptop/mic",
                    isDefault: true),
            ])
    }
}
