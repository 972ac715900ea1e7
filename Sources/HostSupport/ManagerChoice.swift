public import PolicyRuntime

/// Chooses the session manager among those who offer the metadata "default", as any program can.
///
/// The first offer is chosen. After its withdrawal, the first of the same program is chosen, or else the first that
/// remains. Programs in a sandbox, and programs that the kernel does not identify, are never chosen.
public struct ManagerChoice<Offer: Hashable> {
    /// The maximum number of offers from the session manager's program, and from others.
    public static var most: Int { 16 }

    private var offers: [(id: Offer, program: Program)] = []
    /// Of the first session manager.
    private var executable: String?
    /// The session manager's offer; `nil` if there is none.
    public private(set) var chosen: Offer?

    /// Creates a choice without offers.
    public init() {}

    /// The valid offers, oldest first.
    public var all: [Offer] { offers.map(\.id) }

    /// Adds an offer by a program as identified by the kernel; `nil` if unknown.
    public mutating func add(_ offer: Offer, of program: Program?) {
        guard let program, program.confinement == .unconfined, !all.contains(offer) else { return }
        let isManager = isManager(program)
        guard offers.count(where: { self.isManager($0.program) == isManager }) < Self.most else { return }
        // One offer for each other process, or their number would be unbounded.
        guard isManager || !offers.contains(where: { $0.program.process == program.process }) else { return }
        offers.append((offer, program))
        choose()
    }

    /// Removes an offer.
    public mutating func remove(_ offer: Offer) {
        offers.removeAll { $0.id == offer }
        choose()
    }

    private func isManager(_ program: Program) -> Bool { executable == nil || program.executable == executable }

    private mutating func choose() {
        let first = offers.first { isManager($0.program) } ?? offers.first
        if executable == nil { executable = first?.program.executable }
        chosen = first?.id
    }
}
