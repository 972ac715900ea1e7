public import PolicyEngine

/// What an application prefers for the streams of its session while the session is active (R74, R76).
public struct StreamPreferences: Sendable, Hashable {
    /// The preferred sample rate of the graph, in Hz; `nil` for any.
    public var sampleRate: Double?
    /// The preferred duration of one cycle of the graph; `nil` for any.
    public var bufferDuration: Duration?
    /// The factor on recordings, on top of the user's own volume.
    public var inputGain = LinearGain.unity

    /// Creates preferences.
    public init(sampleRate: Double? = nil, bufferDuration: Duration? = nil, inputGain: LinearGain = .unity) {
        self.sampleRate = sampleRate
        self.bufferDuration = bufferDuration
        self.inputGain = inputGain
    }

    /// No preferences.
    public static let none = StreamPreferences()
}

/// Preferences apply to the streams of a session while it is active.
extension SessionRuntime {
    /// Sets an application's preferences for its opened session.
    public func prefer(_ preferences: StreamPreferences, of session: SessionID) {
        sessions[session]?.preferences = preferences
        preferencesAreStale = true
        drain()
    }

    /// The newest first.
    private func streams(of session: SessionID) -> [StreamEntry] {
        engine.streams(of: session).compactMap { streams[$0.id] }
    }

    /// The timing of the graph of a session's streams, or of the graph that they would join (R74).
    public func clock(of session: SessionID) -> GraphClock {
        let streams = streams(of: session)
        return (streams.first { $0.isRunning } ?? streams.first)?.server?.clock ?? host.clock
    }

    /// The present factor on a session's recordings, and whether it applies: to a stream, or before there is one, to
    /// the input in the session's route (R76).
    public func inputGain(of session: SessionID) -> (gain: LinearGain, isAvailable: Bool) {
        let captures = streams(of: session).filter { $0.direction == .capture }
        if let stream = captures.first(where: { $0.server?.hasVolume == true }) {
            return (stream.preferences.inputGain, true)
        }
        guard captures.isEmpty, !engine.route(of: session).inputs.isEmpty else { return (.unity, false) }
        let isActive = engine.state(of: session)?.isActive == true
        return (isActive ? sessions[session]?.preferences.inputGain ?? .unity : .unity, true)
    }

    /// Whether an opened session only records, without a stream, an input, or an output whose sound can be recorded.
    /// `false` while the route of a starting server is unknown: inputs may come, and libraries retry then.
    public func hasNothingToRecord(_ session: SessionID) -> Bool {
        engine.hasRoute && engine.configuration(of: session)?.category == .record && engine.availableInputs.isEmpty
            && engine.availableOutputs.isEmpty && !streams(of: session).contains { $0.direction == .capture }
    }

    func applyPreferences() {
        guard preferencesAreStale else { return }
        preferencesAreStale = false
        let preferring = sessions.values.filter { $0.preferences != .none && engine.state(of: $0.id)?.isActive == true }
        guard !preferring.isEmpty || streams.values.contains(where: { $0.preferences != .none }) else { return }
        var due: [StreamID: StreamPreferences] = [:]
        for session in preferring {
            for stream in streams(of: session.id) {
                due[stream.id] = session.preferences
                // Playback has no input gain.
                if stream.direction == .playback { due[stream.id]?.inputGain = .unity }
            }
        }
        for stream in streams(where: { due[$0.id] ?? .none != $0.preferences }) {
            let next = due[stream.id] ?? .none
            stream.preferences = next
            stream.server?.apply(next)
        }
    }
}
