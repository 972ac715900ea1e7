import SessionWire

/// An input or output as the service's CurrentRoute describes it. What a record lacks is empty.
struct PortRecord {
    var type: String
    var id: String
    /// For people.
    var name: String
    /// The record itself, with its keys in the documented order.
    var record: WireValue

    private static let keys = [
        "type", "name", "id", "node-name", "node", "device", "device-id", "availability", "server-type",
    ]

    init(_ value: WireValue) {
        type = value["type"]?.text ?? ""
        id = value["id"]?.text ?? ""
        name = value["name"]?.text.flatMap { $0.isEmpty ? nil : $0 } ?? id
        record = value.ordered(by: Self.keys)
    }
}

/// What is in use, and what there is.
struct RouteRecord {
    var inputs: [PortRecord]
    var outputs: [PortRecord]
    /// What can be chosen; `nil` where the service does not tell.
    private var offeredInputs: [PortRecord]?
    private var offeredOutputs: [PortRecord]?

    /// What is in use, `a{sv}` as the service's signals have it.
    init(_ value: WireValue?) {
        inputs = (value?["inputs"]?.elements ?? []).map(PortRecord.init)
        outputs = (value?["outputs"]?.elements ?? []).map(PortRecord.init)
    }

    /// - Parameter properties: All properties of the manager, `a{sv}`.
    init(properties: WireValue) {
        self.init(properties["CurrentRoute"])
        offeredInputs = properties["AvailableInputs"]?.elements?.map(PortRecord.init)
        offeredOutputs = properties["AvailableOutputs"]?.elements?.map(PortRecord.init)
    }

    /// What can be chosen.
    var availableInputs: [PortRecord] { offeredInputs ?? [] }
    /// What can be chosen.
    var availableOutputs: [PortRecord] { offeredOutputs ?? [] }

    /// Whether there is nothing at all.
    var isUnknown: Bool { inputs.isEmpty && outputs.isEmpty && availableInputs.isEmpty && availableOutputs.isEmpty }

    /// For machines.
    var record: WireValue {
        let lists = [
            ("inputs", inputs), ("outputs", outputs), ("available-inputs", offeredInputs),
            ("available-outputs", offeredOutputs),
        ]
        return .record(lists.compactMap { name, ports in ports.map { (name, .records($0.map(\.record))) } })
    }

    /// What is in use, for people; empty without anything.
    func words(_ style: Style) -> String {
        [("output", outputs), ("input", inputs)].compactMap { direction, ports in
            let names = ports.map { style.safe($0.name) }.joined(separator: " + ")
            return ports.isEmpty ? nil : "\(direction) \(names)"
        }.joined(separator: ", ")
    }
}
