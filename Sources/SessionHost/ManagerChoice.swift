public import SessionDesktop

/// Which of those that offer the metadata "default" is the session manager. Every program can register metadata of that name.
///
/// It is the first that comes; and when that has gone, the first that runs the same program, or else the first of those that
/// are left. What runs in a sandbox, and what the kernel tells nothing of, has no say in where sound goes.
public struct ManagerChoice<Offer: Hashable> {
    /// The most of the session manager's program that are looked at, and the most of others.
    public static var most: Int { 16 }

    private var offers: [(id: Offer, program: Program)] = []
    /// The program that the first session manager was.
    private var executable: String?
    /// The session manager's; `nil` where there is none.
    public private(set) var chosen: Offer?

    /// Nobody has offered anything.
    public init() {}

    /// The offers that count, in the order in which they came.
    public var all: [Offer] { offers.map(\.id) }

    /// Somebody offers it.
    ///
    /// - Parameter program: Who, as the kernel says; `nil` when it does not.
    public mutating func add(_ offer: Offer, of program: Program?) {
        guard let program, program.sandbox == nil, !all.contains(offer) else { return }
        let isManager = isManager(program)
        guard offers.count(where: { self.isManager($0.program) == isManager }) < Self.most else { return }
        // One for each other program, or there would be no end of them.
        guard isManager || !offers.contains(where: { $0.program.process == program.process }) else { return }
        offers.append((offer, program))
        choose()
    }

    /// It is not offered any more.
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
