import BusInterface

extension SessionRecord {
    /// The name for people.
    var name: String { displayName.isEmpty ? application : displayName }

    /// The name, or else the number.
    var label: String { name.isEmpty ? "session \(id)" : name }

    /// Category, options and mode, but for the usual mode.
    var traits: [String] { ([category] + options + [mode == "default" ? "" : mode]).filter { !$0.isEmpty } }

    /// How the state is coloured.
    var meaning: Style.Meaning {
        switch state {
        case "active", "starting", "releasing": .good
        case "holding", "delayed": .lowered
        case "interrupted": .silenced
        default: .faint
        }
    }

    /// Who interrupts the session, which an older service says only of its streams.
    func interrupter(of streams: [StreamRecord]) -> String {
        by.isEmpty ? streams.first(where: \.isSilenced)?.by ?? "" : by
    }
}

extension StreamRecord {
    /// In dB, at the moment of the record. An older service says only where the fade leads.
    var presentGain: Double { gainNow ?? gain }
    /// Whether the stream is untreated.
    var isFree: Bool { treatment.isEmpty || treatment == "untouched" }
    /// Whether the stream is inaudible because of its treatment.
    var isSilenced: Bool { !isFree && treatment != "ducked" }
    /// Whether it records.
    var isCapture: Bool { direction == "capture" }
}

extension PortRecord {
    /// The name for people, or else the id.
    var label: String { name.isEmpty ? id : name }
}
