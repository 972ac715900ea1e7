public import PolicyEngine

/// What an application prefers for the streams of its session while the session is active (R74, R76).
public struct StreamPreferences: Sendable, Hashable {
    /// The preferred sample rate of the graph, in Hz; `nil` for any.
    public var sampleRate: Double?
    /// The preferred duration of one cycle of the graph; `nil` for any.
    public var bufferDuration: Duration?
    /// The factor on what is recorded, on top of the user's own volume. It does not apply to playback.
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

/// The preferences of sessions. They apply to the streams of active sessions. A stream loses them when its session becomes
/// inactive, when it moves to another session, or when they are withdrawn.
extension SessionRuntime {
    /// Sets an application's preferences for its opened session.
    public func prefer(_ preferences: StreamPreferences, of session: SessionID) {
        sessions[session]?.preferences = preferences
        preferencesAreStale = true
        drain()
    }

    /// The streams of an opened session, the newest first; empty if the session is unknown.
    private func streams(of session: SessionID) -> [StreamEntry] {
        engine.streams(of: session).compactMap { streams[$0.id] }
    }

    /// The timing of the graph of a session's streams. For a session without streams, of the graph that they would join
    /// (R74).
    public func clock(of session: SessionID) -> GraphClock {
        let streams = streams(of: session)
        return (streams.first { $0.isRunning } ?? streams.first)?.server?.clock ?? host.clock
    }

    /// The present factor on what a session records, and whether it applies to anything: to a stream, or before there is
    /// one, to those that will record from the input in the session's route (R76).
    public func inputGain(of session: SessionID) -> (gain: LinearGain, isAvailable: Bool) {
        let captures = streams(of: session).filter { $0.direction == .capture }
        if let stream = captures.first(where: { $0.server?.hasVolume == true }) {
            return (stream.preferences.inputGain, true)
        }
        guard captures.isEmpty, !engine.route(of: session).inputs.isEmpty else { return (.unity, false) }
        let isActive = engine.state(of: session)?.isActive == true
        return (isActive ? sessions[session]?.preferences.inputGain ?? .unity : .unity, true)
    }

    /// Whether an opened session only records, and there is nothing to record: no input, no output, whose sound can be
    /// recorded too, and no stream of the session that records already. `false` while the server has just started and the
    /// route is not known: inputs may still come, and a library sets its session up again at that moment.
    public func hasNothingToRecord(_ session: SessionID) -> Bool {
        engine.hasRoute && engine.configuration(of: session)?.category == .record && engine.availableInputs.isEmpty
            && engine.availableOutputs.isEmpty && !streams(of: session).contains { $0.direction == .capture }
    }

    /// Has the server apply preferences that have changed.
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
