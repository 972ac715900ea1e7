import BusInterface

@testable import DBus

/// Valid and invalid messages of peers and of a bus, to a connection of ours.
func fuzzMessages(_ bytes: [UInt8]) { desk.play(Input(bytes)) }

nonisolated(unsafe) private let desk = MessageDesk()

/// A connection with served objects, which is used for all inputs.
private final class MessageDesk {
    /// Answers each call with its arguments, and checks their types.
    private final class Object: ServedObject {
        static let echo = "org.test.Echo"
        let interfaces: [WireInterface]
        private let signatures: [String]

        init() {
            let signatures = ["v", "a{sv}", "aas", "a(ivs)", "ybnqiuxtd", "sog", "a{oa{sv}}", "aay", ""]
            let methods = signatures.enumerated().map { index, signature in
                WireInterface.Method(
                    "Echo\(index)", [.init("value", signature)], returns: [.init("value", signature)], "")
            }
            let silent = WireInterface.Method("Drop", [.init("value", "v")], "")
            interfaces = [
                WireInterface(
                    Object.echo, "", methods: methods + [silent],
                    properties: [
                        .init("Level", "d", setter: .anyone, ""), .init("Names", "as", setter: .anyone, ""),
                        .init("Fixed", "s", isConstant: true, ""), .init("Record", "a{sv}", setter: .anyone, ""),
                    ])
            ]
            self.signatures = signatures
        }

        func value(of property: String, interface: String) -> WireValue? {
            switch property {
            case "Level": .double(0.5)
            case "Names": .strings(["a"])
            case "Fixed": .string("x")
            default: nil
            }
        }

        func set(_ property: String, interface: String, to value: WireValue, call: BusCall) {
            let expected = interfaces[0].property(property)?.signature
            found("\(property) is set to \(value)", value.typeSignature != expected)
            call.answer()
        }

        func call(_ method: String, interface: String, _ call: BusCall) {
            let signature = call.arguments.map(\.typeSignature).joined()
            found("\(method) of \(call.signature) was given \(signature)", signature != call.signature)
            if method == "Drop" { return }
            _ = call.arguments.map(\.json)
            call.answer(call.arguments)
        }
    }

    private let loop = ManualLoop()
    private let end = BusEnd("messages", uniqueName: ":1.5")
    private let connection: BusConnection
    private let server: ObjectServer
    private var subscriptions: [Subscription] = []
    /// The calls that our end has sent: the serial, and the destination that has to answer.
    private var asked: [(serial: UInt32, destination: String)] = []
    /// The peers' calls without an answer, and the calls that must get one.
    private var open: Set<UInt32> = []
    private var owed: Set<UInt32> = []
    /// How often each of our own calls has ended, by its number.
    private var ended: [Int: Int] = [:]
    private var calls = 0

    private static let words = [
        "a", "", "org.test.Echo", "Level", "Names", "Fixed", "Record", "/org/test", ":1.10", ":1.11", "org.test.Name",
        "org.test.Name.Sub", "ä", "PlaybackStatus",
    ]
    private static let members = [
        "Get", "Set", "GetAll", "Introspect", "GetManagedObjects", "Ping", "GetMachineId", "NameOwnerChanged",
        "NameAcquired", "NameLost", "Changed", "PropertiesChanged", "Drop",
    ]
    private static let interfaces = [
        Object.echo, "", "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable",
        "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Peer", "org.freedesktop.DBus", "org.test.Other",
    ]
    private static let paths = [
        "/org/test/Echo", "/org/test", "/", "/org", "/org/test/None", "/org/freedesktop/DBus", "/org/test/Echo/below",
    ]
    private static let signatures = [
        "", "v", "a{sv}", "aas", "a(ivs)", "ybnqiuxtd", "sog", "a{oa{sv}}", "aay", "s", "ss", "ssv", "sss", "as", "b",
        "sa{sv}as", "ah", "o",
    ]
    private static let senders = [":1.10", ":1.11", ":1.12", "org.freedesktop.DBus"]

    init() {
        connection = BusConnection(.custom(end.address), loop: loop)
        server = ObjectServer(connection: connection, root: "/org/test")
        server.add(Object(), at: "/org/test/Echo")
        let rules = [
            MatchRule(sender: "org.test.Name", path: "/org/test/Echo", interface: "org.test.Other", member: "Changed"),
            MatchRule(pathNamespace: "/org/test", interface: "org.freedesktop.DBus.Properties"),
            MatchRule(
                sender: BusConnection.busName, interface: BusConnection.busName, member: "NameOwnerChanged",
                argument0Namespace: "org.test.Name"),
            MatchRule(interface: Object.echo, argument0: "a"),
        ]
        for rule in rules {
            subscriptions.append(
                connection.subscribe(rule) { signal in _ = signal.arguments.map(\.typeSignature) })
        }
        subscriptions.append(connection.follow("org.test.Name") { _ in })
        connection.requestName("org.test.Own") { _ in }
        connection.open()
    }

    /// Turns the loop until nothing more happens.
    private func settle() {
        for _ in 0..<64 {
            loop.turn()
            let traffic = end.traffic
            for letter in end.receive() { handle(letter) }
            if end.traffic == traffic, !loop.isDue { break }
        }
    }

    private func handle(_ letter: BusMessage) {
        switch letter.kind {
        case .answer, .error:
            // Exactly one answer to each call, and none to a call that wants none.
            found("an answer to nothing: \(letter)", open.remove(letter.answers) == nil)
        case .signal: break
        case .call:
            if letter.member == "Hello" {
                var answer = BusMessage(kind: .answer, answers: letter.serial, sender: BusConnection.busName)
                answer.carry([.string(end.uniqueName)])
                end.send(answer)
            } else {
                asked.append((letter.serial, letter.destination))
            }
        }
    }

    /// Makes a connection without waiting calls.
    private func begin() {
        loop.cost = 0
        for _ in 0..<8 {
            settle()
            if connection.isConnected, end.isConnected { break }
            loop.pass(6_000_000_000)
        }
        found("no connection", !connection.isConnected)
        // Let the calls of the last input expire.
        loop.pass(30_000_000_000)
        settle()
        asked = []
        open = []
        owed = []
        ended = [:]
        calls = 0
    }

    func play(_ input: Input) {
        var input = input
        begin()
        let connections = end.connections
        loop.cost = input.oneIn(3) ? Int64(input.byte()) * 5_000 : 0
        for _ in 0..<64 {
            if input.isEmpty { break }
            switch input.below(12) {
            case 0: call(input.pick(["org.test.Name", ":1.10", BusConnection.busName]))
            case 1: settle()
            case 2: loop.pass(Int64(input.byte()) * 100_000_000)
            case 3:
                server.changed(["Level", "Record", "Names"], interface: Object.echo, at: "/org/test/Echo")
                server.emit("Shown", interface: Object.echo, at: "/org/test/Echo", [.byte(1)])
            default:
                let (letter, isRight) = letter(&input)
                printStep("\(letter)")
                let serial = end.send(letter)
                if letter.wantsAnswer { open.insert(serial) }
                if letter.wantsAnswer, isRight { owed.insert(serial) }
            }
        }
        loop.cost = 0
        settle()
        loop.pass(30_000_000_000)
        settle()
        if end.connections == connections, connection.isConnected {
            found("calls without an answer: \(owed.intersection(open))", !owed.isDisjoint(with: open))
        }
        for number in 0..<calls { found("call \(number) ended \(ended[number, default: 0]) times", ended[number] != 1) }
    }

    private func call(_ destination: String) {
        let number = calls
        calls += 1
        var hasReturned = false
        connection.call(
            destination, path: "/org/test", interface: "org.test.Other", "Ask", [.string("x")], timeout: .seconds(5)
        ) { [weak self] result in
            found("an answer before the call", !hasReturned)
            if case .success(let values) = result { _ = values.map(\.json) }
            self?.ended[number, default: 0] += 1
        }
        hasReturned = true
    }

    /// A random message, and whether it is valid, so that a bus would deliver it and it must be answered.
    private func letter(_ input: inout Input) -> (BusMessage, isRight: Bool) {
        let kind = input.byte()
        var letter = BusMessage(kind: kind < 150 ? .call : kind < 200 ? .signal : kind < 240 ? .answer : .error)
        letter.flags = input.oneIn(8) ? input.byte() : 0
        letter.sender = input.pick(Self.senders)
        var isRight = true
        if letter.kind == .call || letter.kind == .signal {
            letter.path = input.pick(Self.paths)
            letter.interface = input.pick(Self.interfaces)
            letter.member = input.oneIn(3) ? "Echo\(input.below(10))" : input.pick(Self.members)
            if letter.kind == .signal, letter.interface.isEmpty { letter.interface = Object.echo }
            if input.oneIn(16) {
                letter.member = input.text()
                isRight = false
            }
        } else {
            let own = asked.isEmpty || input.oneIn(8) ? nil : asked[input.below(asked.count)]
            letter.answers = own?.serial ?? UInt32(input.byte()) + 1
            if let own, own.destination.hasPrefix(":") { letter.sender = own.destination }
            if letter.kind == .error { letter.errorName = "org.test.Error" }
        }
        letter.signature = input.oneIn(4) ? input.type() : input.pick(Self.signatures)
        if input.oneIn(3) {
            // Keep the body's bytes, whatever the signature says.
            if input.oneIn(8) { letter.signature = input.text() }
            letter.body = input.bytes(Int(input.byte()))
            isRight = false
        } else {
            letter.carry(input.values(letter.signature, Self.words))
        }
        return (letter, isRight)
    }
}
