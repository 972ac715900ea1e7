import PolicyEngine
import RandomEvents

/// An engine, and a judgement by all properties after every event.
public struct PropertyJudge: EventJudge {
    /// The engine.
    public private(set) var engine: Engine
    /// The first property that does not hold, and where; `nil` while all hold.
    public private(set) var flaw: String?
    /// Whether the policy makes sessions silence each other in a circle, so that the rules have no answer.
    public private(set) var isOver = false
    private var scene: Scene
    private var others: [OtherEngine]
    private let isThorough: Bool

    /// An engine without streams.
    ///
    /// - Parameter isThorough: Whether to judge also what needs other engines.
    public init(policy: Policy, isThorough: Bool) { self.init(policy: policy, isThorough: isThorough, rules: nil) }

    /// - Parameter rules: The policy by which the engine is judged, to see whether it is found out; `nil` for its own.
    public init(policy: Policy, isThorough: Bool, rules: Policy?) {
        engine = Engine(policy: policy)
        self.isThorough = isThorough
        others = isThorough ? OtherWay.allCases.map { OtherEngine($0, policy) } : []
        scene = Scene(engine, Record(policy: rules ?? policy), told: [], at: Instant(nanoseconds: 0))
    }

    /// Sends an event and judges what follows. Returns the effects.
    public mutating func send(_ event: Event, at now: Instant) -> [Effect] {
        let effects = engine.handle(event, at: now)
        if flaw != nil || isOver { return effects }
        let before = scene
        var record = before.record
        record.take(event, at: now)
        record.note(effects, of: event, at: now)
        scene = Scene(engine, record, told: effects, at: now)
        if scene.isContradictory {
            isOver = true
            return effects
        }
        var different: [OtherWay: String] = [:]
        for index in others.indices {
            different[others[index].way] = others[index].difference(event, at: now, effects)
        }
        let step = Step(
            event: event, now: now, before: before, after: scene, effects: effects, others: different,
            isThorough: isThorough)
        for property in Property.all {
            guard let found = property.check(step) else { continue }
            flaw = "\(property.name) (\(property.rules.joined(separator: " "))): \(property.sentence) But: \(found)"
            break
        }
        return effects
    }
}
