import BusInterface
import PolicyEngine
import PolicyRuntime

/// The manager's properties, as `WireInterface.manager` describes them. A new one is a row there and a row here.
extension ManagerObject {
    /// The properties that never change; and the origin of the policy, which is announced whenever the policy is read.
    static let fixedProperties: [PropertyRow<SessionService>] = [
        .init("Version", { _ in AudioSessionBus.version }, WireValue.string),
        .init("SchemaVersion", { _ in AudioSessionBus.schemaVersion }, WireValue.uint32),
        .init("Server", { $0.runtime.host.server.name }, WireValue.string),
        .init("ServerLimits", { Records.limits($0.runtime.host.server) }, { $0 }),
        .init("Preset", { $0.runtime.preset }, WireValue.string),
        .init("Policy", { $0.runtime.policyOrigin }, WireValue.string),
    ]

    /// The switches (N16), each with its name in events.
    static let switches: [(event: String, row: PropertyRow<Switches>)] =
        Switch.allCases.map { one in (one.rawValue, .init(one.property, { $0[one] }, WireValue.boolean)) } + [
            ("paused-until", .init("PausedUntil", { $0.pausedUntil }, { .uint64($1.realTime(until: $0)) }))
        ]

    /// The ports that are used, and those that can be (R56, R78).
    struct Ports {
        var route: Route
        var inputs: [RoutePort]
        var outputs: [RoutePort]

        init(_ runtime: SessionRuntime) {
            route = runtime.engine.route
            inputs = runtime.engine.availableInputs
            outputs = runtime.engine.availableOutputs
        }

        static let properties: [PropertyRow<Ports>] = [
            .init("CurrentRoute", { $0.route }, { $1.record(of: $0) }),
            .init("AvailableInputs", { $0.inputs }, { $1.record(of: $0) }),
            .init("AvailableOutputs", { $0.outputs }, { $1.record(of: $0) }),
        ]
    }
}

extension SessionService {
    /// The end of a pause in microseconds since 1970; 0 for none, and the largest number for one without an end.
    fileprivate func realTime(until moment: Instant?) -> UInt64 {
        guard let moment else { return 0 }
        return moment == Switches.never ? .max : realTime(of: moment)
    }
}
