import BusInterface

/// One property on the bus, and how to read it; the tables in `Sources/BusInterface` document the same names.
///
/// `Shown` is the part of an object's state from which the properties of one table are read.
struct PropertyRow<Shown>: Sendable {
    let name: String
    /// The value.
    let value: @Sendable (Shown, SessionService) -> WireValue
    /// Whether two states have different values.
    let differs: @Sendable (Shown, Shown) -> Bool

    /// A row whose value follows from a part of what is shown, and from what the service knows at that moment. The property
    /// has changed when the part has.
    init<Part: Equatable & Sendable>(
        _ name: String, _ part: @escaping @Sendable (Shown) -> Part,
        _ value: @escaping @Sendable (Part, SessionService) -> WireValue
    ) {
        self.name = name
        self.value = { value(part($0), $1) }
        differs = { part($0) != part($1) }
    }

    /// A row whose value follows from a part of what is shown.
    init<Part: Equatable & Sendable>(
        _ name: String, _ part: @escaping @Sendable (Shown) -> Part, _ value: @escaping @Sendable (Part) -> WireValue
    ) {
        self.init(name, part) { part, _ in value(part) }
    }
}

extension Array {
    /// The value of a property; `nil` if the table has none of that name.
    func value<Shown>(of name: String, in shown: @autoclosure () -> Shown, _ service: SessionService) -> WireValue?
    where Element == PropertyRow<Shown> {
        first { $0.name == name }?.value(shown(), service)
    }

    /// The names of the properties that differ between two states.
    func changes<Shown>(from old: Shown, to new: Shown) -> [String] where Element == PropertyRow<Shown> {
        filter { $0.differs(old, new) }.map(\.name)
    }
}
