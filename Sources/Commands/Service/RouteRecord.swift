import BusInterface

/// The ports in use and the ports available.
struct RouteRecord {
    var inputs: [PortRecord]
    var outputs: [PortRecord]
    /// The available inputs; `nil` if the service does not report them.
    var availableInputs: [PortRecord]?
    /// The available outputs.
    var availableOutputs: [PortRecord]?

    /// Reads the ports in use, `a{sv}` as in the service's signals.
    init(_ value: WireValue?) {
        inputs = (value?["inputs"]?.elements ?? []).map(PortRecord.init)
        outputs = (value?["outputs"]?.elements ?? []).map(PortRecord.init)
    }

    /// - Parameter properties: All properties of the manager, `a{sv}`.
    init(properties: WireValue) {
        self.init(properties["CurrentRoute"])
        availableInputs = properties["AvailableInputs"]?.elements?.map(PortRecord.init)
        availableOutputs = properties["AvailableOutputs"]?.elements?.map(PortRecord.init)
    }

    /// Whether no port is known.
    var isUnknown: Bool {
        [inputs, outputs, availableInputs ?? [], availableOutputs ?? []].allSatisfy(\.isEmpty)
    }

    /// The ports as a record, for machines.
    var record: WireValue {
        let lists = [
            ("inputs", inputs), ("outputs", outputs), ("available-inputs", availableInputs),
            ("available-outputs", availableOutputs),
        ]
        return .record(lists.compactMap { name, ports in ports.map { (name, .records($0.map(\.record))) } })
    }

    /// The ports in use, for people; empty if there are none.
    func words(_ style: Style) -> String {
        let words = [("output", outputs), ("input", inputs)].compactMap { direction, ports in
            let names = ports.map { style.safe($0.label) }.joined(separator: " + ")
            return ports.isEmpty ? nil : "\(direction) \(names)"
        }.joined(separator: ", ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
