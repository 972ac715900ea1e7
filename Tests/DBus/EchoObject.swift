import BusInterface
import DBus

/// An object with a method, a signal and properties of every kind, to be called by real peers.
final class EchoObject: ServedObject {
    static let interface = WireInterface(
        "org.test.Echo", "What is said comes back.",
        methods: [
            .init("Echo", [.init("value", "v")], returns: [.init("value", "v")], "Answers what it is given."),
            .init(
                "Add", [.init("first", "i"), .init("second", "i")], returns: [.init("sum", "x")],
                "The sum of <two> & \"more\"."),
            .init("Later", [], "Is answered by the test."),
            .init("Drop", [], "Is never answered."),
            .init("Fail", [.init("name", "s"), .init("text", "s")], "Fails as it is told."),
            .init("Wrong", [], returns: [.init("number", "u")], "Answers a text where it has promised a number."),
            .init("Take", [.init("values", "as"), .init("record", "a{sv}")], "Takes what it is given."),
            .init("Descriptor", [], returns: [.init("descriptor", "h")], "The end of a pipe."),
        ],
        signals: [.init("Said", [.init("text", "s"), .init("number", "u")], "Something was said.")],
        properties: [
            .init("Volume", "d", setter: .anyone, "Between 0 and 1."),
            .init("Name", "s", isConstant: true, "What it is called."),
            .init("Count", "u", "How often it was called."),
            .init("Absent", "s", "Has never a value."),
        ])

    let name: String
    weak var server: ObjectServer?
    let path: String
    var volume = 0.5
    /// What errors begin with.
    var odd = ""
    private(set) var count: UInt32 = 0
    /// Called for each call, with who calls.
    var heard: (BusCall) -> Void = { _ in }
    var later: [BusCall] = []
    var descriptor: Int32 = -1
    var interfaces: [WireInterface] { [Self.interface] }

    init(_ name: String, at path: String = "/org/test/Echo") {
        self.name = name
        self.path = path
    }

    func value(of property: String, interface: String) -> WireValue? {
        switch property {
        case "Volume": .double(volume)
        case "Name": .string(name)
        case "Count": .uint32(count)
        default: nil
        }
    }

    func set(_ property: String, interface: String, to value: WireValue, call: BusCall) {
        guard let number = value.number, (0...1).contains(number) else {
            return call.fail(WireError(WireErrorName.invalidArguments, "Volume is between 0 and 1"))
        }
        volume = number
        server?.changed(["Volume"], interface: interface, at: path)
        call.answer()
    }

    func call(_ method: String, interface: String, _ call: BusCall) {
        count &+= 1
        heard(call)
        server?.changed(["Count"], interface: interface, at: path)
        switch method {
        case "Echo": call.answer(call.arguments)
        case "Add": call.answer([.int64(call.arguments.compactMap(\.integer).reduce(0, +))])
        case "Later": later.append(call)
        case "Fail": call.fail(WireError(call.arguments.first?.text ?? "", odd + (call.arguments.last?.text ?? "")))
        case "Wrong": call.answer([.string("one")])
        case "Take": call.answer()
        case "Descriptor": call.answer([.unixDescriptor(descriptor)])
        default: break
        }
    }
}
