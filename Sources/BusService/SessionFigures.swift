import BusInterface
import PolicyEngine
import PolicyRuntime

/// What a session's properties show of its preferences' results and of its route's devices (R74, R76).
struct SessionFigures: Equatable {
    /// The rate and quantum of the graph.
    var clock: GraphClock
    /// The source of the route's first input and the sink of its first output, without channels where there is none.
    var input: DeviceFigures
    var output: DeviceFigures
    /// The gain on recorded sound.
    var inputGain: LinearGain
    /// Whether the session records a stream whose gain can be changed.
    var isInputGainAvailable: Bool

    init(of session: SessionID, in runtime: SessionRuntime) {
        clock = runtime.clock(of: session)
        input = runtime.device(.input, of: session) ?? DeviceFigures()
        output = runtime.device(.output, of: session) ?? DeviceFigures()
        (inputGain, isInputGainAvailable) = runtime.inputGain(of: session)
    }

    /// The value of a property; `nil` for a property of another kind.
    func value(of property: String) -> WireValue? {
        switch property {
        case "SampleRate": return .double(clock.sampleRate)
        case "BufferDuration": return .double(clock.quantum / .seconds(1))
        case "OutputLatency": return .double(output.latency / .seconds(1))
        case "InputLatency": return .double(input.latency / .seconds(1))
        case "OutputVolume": return .double(output.volume)
        case "OutputChannels": return .uint32(output.channels)
        case "InputChannels": return .uint32(input.channels)
        case "InputGain": return .double(inputGain.value)
        case "InputGainAvailable": return .boolean(isInputGainAvailable)
        default: return nil
        }
    }

    /// The names of the properties that differ from `other`.
    func changes(since other: SessionFigures) -> [String] {
        [
            "SampleRate", "BufferDuration", "OutputVolume", "OutputLatency", "InputLatency", "OutputChannels",
            "InputChannels", "InputGain", "InputGainAvailable",
        ].filter { value(of: $0) != other.value(of: $0) }
    }
}

extension SessionService {
    /// Schedules new figures for all sessions, because the graph's clock or a sink or source has changed.
    public func graphChanged() { for object in objects { object.isStale = true } }

    /// Schedules new figures for a stream's session, because the stream got or lost its volumes.
    public func volumeAppeared(of stream: StreamID) {
        if let session = runtime.streams[stream]?.session { runtime.sessions[session]?.isStale = true }
    }

    /// Announces the sessions' figures that have changed.
    func measure() {
        guard !isMeasuring else { return }
        var rest = objects(where: \.isStale)[...]
        while let object = rest.popFirst() {
            measure(object)
            guard !rest.isEmpty, !connection.mayHurry() else { continue }
            isMeasuring = true
            connection.bitByBit { [weak self] in
                guard let self else { return false }
                if let object = objects.first(where: { $0.isStale }) { measure(object) }
                isMeasuring = objects.contains { $0.isStale }
                return isMeasuring
            }
            return
        }
    }

    private func measure(_ object: SessionObject) {
        object.isStale = false
        let names = object.measure()
        if !names.isEmpty { changed(names, of: object) }
    }
}
