import BusInterface

extension SessionRecord {
    /// The name for people.
    var name: String { displayName.isEmpty ? application : displayName }
}

extension StreamRecord {
    /// In dB, at the moment of the record. An older service says only where the fade leads.
    var presentGain: Double { gainNow ?? gain }
    /// Whether the stream is untreated.
    var isFree: Bool { treatment.isEmpty || treatment == "untouched" }
    /// Whether the stream is inaudible because of its treatment.
    var isSilenced: Bool { !isFree && treatment != "ducked" }
}

extension PortRecord {
    /// The name for people, or else the id.
    var label: String { name.isEmpty ? id : name }
}
