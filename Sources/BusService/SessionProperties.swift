import BusInterface
import PolicyEngine
import PolicyRuntime

/// The properties of a session, as `WireInterface.session` describes them. A new one is a row there and a row here.
extension SessionObject {
    /// The properties that never change.
    static let fixedProperties: [PropertyRow<SessionObject>] = [
        .init("ApplicationId", { $0.application.name }, WireValue.string),
        .init("DisplayName", { $0.displayName }, WireValue.string),
    ]

    /// The state from the engine and the application, as published last.
    struct Shown {
        /// Its state.
        var state = SessionState()
        /// The preferences that concern the route and the streams, in the order in which they were set.
        var preferences: [Preference] = []
        /// Its part of the route (R57).
        var route: Route

        /// All preferences.
        fileprivate var allPreferences: Preferences {
            Preferences(
                avoidsAlerts: state.configuration.avoidsAlerts,
                onRouteDisconnect: state.configuration.interruptionOnRouteDisconnect, others: preferences)
        }
    }

    /// A preference that is set, as published.
    struct Preference: Equatable {
        var name: String
        var value: WireValue
    }

    fileprivate struct Preferences: Equatable {
        var avoidsAlerts: Bool
        var onRouteDisconnect: Bool?
        var others: [Preference]

        var record: WireValue {
            let ofRoute = onRouteDisconnect.map { [("interruption-on-route-disconnect", WireValue.boolean($0))] }
            return .record(
                [("no-interruptions-from-system-alerts", .boolean(avoidsAlerts))] + (ofRoute ?? [])
                    + others.map { ($0.name, $0.value) })
        }
    }

    static let properties: [PropertyRow<Shown>] = [
        .init("Category", { $0.state.configuration.category }, { .string($0.rawValue) }),
        .init("Options", { $0.state.configuration.options }, Records.options),
        .init("EffectiveOptions", { $0.state.configuration.effectiveOptions }, Records.options),
        .init("Mode", { $0.state.configuration.mode }, { .string($0.rawValue) }),
        .init("Active", { $0.state.isActive }, WireValue.boolean),
        .init("Interrupted", { $0.state.isInterrupted }, WireValue.boolean),
        .init("ActivationDelayed", { $0.state.isDelayed }, WireValue.boolean),
        .init("OutputOverride", { $0.state.configuration.outputOverride }, { .string($0.rawValue) }),
        .init("Preferences", { $0.allPreferences }, \.record),
        .init("CurrentRoute", { $0.route }, { $1.record(of: $0) }),
        .init("OtherAudioPlaying", { $0.state.isOtherAudioPlaying }, WireValue.boolean),
        .init("InputMuted", { $0.state.isInputMuted }, WireValue.boolean),
        .init("SecondaryAudioShouldBeSilenced", { $0.state.isSecondaryAudioToBeSilenced }, WireValue.boolean),
    ]
}

/// What a session's properties show of its preferences' results and of its route's devices (R74, R76).
struct HardwareProperties {
    /// The rate and quantum of the graph.
    var clock: GraphClock
    /// The source of the route's first input and the sink of its first output, without channels where there is none.
    var input: DeviceProperties
    var output: DeviceProperties
    /// The volume of that sink, or of the default one for a session that does not play.
    var outputVolume: Double
    /// The gain on recorded sound.
    var inputGain: LinearGain
    /// Whether the session records a stream whose gain can be changed.
    var isInputGainAvailable: Bool

    init(of session: SessionID, in runtime: SessionRuntime) {
        clock = runtime.clock(of: session)
        input = runtime.device(.input, of: session) ?? DeviceProperties()
        output = runtime.device(.output, of: session) ?? DeviceProperties()
        outputVolume = (runtime.device(.output, of: session) ?? runtime.defaultOutput ?? output).volume
        (inputGain, isInputGainAvailable) = runtime.inputGain(of: session)
    }

    static let properties: [PropertyRow<HardwareProperties>] = [
        .init("SampleRate", { $0.clock.sampleRate }, WireValue.double),
        .init("BufferDuration", { $0.clock.quantum / .seconds(1) }, WireValue.double),
        .init("OutputVolume", { $0.outputVolume }, WireValue.double),
        .init("OutputLatency", { $0.output.latency / .seconds(1) }, WireValue.double),
        .init("InputLatency", { $0.input.latency / .seconds(1) }, WireValue.double),
        .init("OutputChannels", { $0.output.channels }, WireValue.uint32),
        .init("InputChannels", { $0.input.channels }, WireValue.uint32),
        .init("InputGain", { $0.inputGain.value }, WireValue.double),
        .init("InputGainAvailable", { $0.isInputGainAvailable }, WireValue.boolean),
    ]
}

extension SessionService {
    /// Has the hardware properties of all sessions read again, because the graph's clock or a sink or source has changed.
    public func graphChanged() { for object in objects { object.isStale = true } }

    /// Has the hardware properties of a stream's session read again, because the stream got or lost its volumes.
    public func volumeAppeared(of stream: StreamID) {
        if let session = runtime.streams[stream]?.session { runtime.sessions[session]?.isStale = true }
    }

    /// Announces the sessions' hardware properties that have changed.
    func measure() {
        guard !isMeasuring else { return }
        var rest = objects(where: \.isStale)[...]
        while let object = rest.popFirst() {
            object.measure()
            guard !rest.isEmpty, !connection.mayHurry() else { continue }
            isMeasuring = true
            connection.bitByBit { [weak self] in
                guard let self else { return false }
                objects.first { $0.isStale }?.measure()
                isMeasuring = objects.contains { $0.isStale }
                return isMeasuring
            }
            return
        }
    }
}
