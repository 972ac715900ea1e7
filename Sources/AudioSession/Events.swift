extension AudioSession {
    /// Everything of which a session is notified, in the order in which it happened.
    public enum Event: Sendable, Hashable {
        /// An interruption began or ended.
        case interruption(Interruption)
        /// The session became active or inactive, or should be activated again.
        case activation(ActivationChange)
        /// The session's route has changed.
        case routeChange(RouteChange)
        /// The available inputs have changed.
        case availableInputs([PortDescription])
        /// The available outputs have changed.
        case availableOutputs([PortDescription])
        /// The factor on recorded sound has changed.
        case inputGain(Float)
        /// The level of what the session records can be changed now, or no longer.
        case inputGainSettable(Bool)
        /// The volume of the output in use has changed, also because the user has muted it, or another output is in
        /// use.
        case outputVolume(Float)
        /// The sample rate in use has changed, in Hz.
        case sampleRate(Double)
        /// The buffer duration in use has changed, in seconds.
        case ioBufferDuration(Double)
        /// The number of channels of the input in use has changed.
        case inputNumberOfChannels(Int)
        /// The number of channels of the output in use has changed.
        case outputNumberOfChannels(Int)
        /// Whether the application's background sound should be silent.
        case silenceSecondaryAudioHint(SilenceSecondaryAudioHint)
        /// The service has gone, or is back.
        case mediaServices(MediaServicesChange)
    }

    /// An interruption begins or ends. Source: Audio Session Programming Guide, "Responding to Interruptions".
    public enum Interruption: Sendable, Hashable {
        /// The session is inactive, and its sound has stopped already. `by` is the cause, for people; empty if unknown.
        case began(reason: InterruptionReason, by: String)
        /// The interruption is over. The options say whether to go on. To go on, activate the session first: it is
        /// inactive.
        case ended(InterruptionOptions)
    }

    /// What comes with the end of an interruption.
    public struct InterruptionOptions: OptionSet, Sendable, Hashable {
        /// One bit for each option.
        public let rawValue: UInt
        /// Makes a set of bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Go on. Without this option, wait until the user presses play.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// What kind of cause an interruption has.
    public enum InterruptionReason: String, Sendable, Hashable, CaseIterable {
        /// Another session, such as a telephone call or an alarm; also a reason that this library does not know.
        case `default`
        /// The machine sleeps.
        case suspended
        /// The user has muted the session's input.
        case deviceMuted = "device-muted"
        /// The session's output has gone, or the route of a recording has changed.
        case routeDisconnected = "route-disconnected"
    }

    /// The session became active or inactive, and why; or it should be activated.
    public enum ActivationChange: Sendable, Hashable {
        /// The session may be heard.
        case becameActive
        /// The session may not be heard any more.
        case becameInactive(DeactivationSource)
        /// The application should activate the session and go on: the interruption is over, or an activation that was
        /// refused would succeed now.
        case resumptionRecommended
    }

    /// Who made a session inactive.
    public enum DeactivationSource: Sendable, Hashable {
        /// The application: it deactivated the session, or stopped its streams without ever activating the session.
        case application
        /// The system, by an interruption.
        case interruption(InterruptionReason)
        /// The system, without an interruption.
        case system
        /// The service has gone. The session becomes active again, if it can, when the service is back.
        case mediaServicesLost
    }

    /// Whether the application's background sound should be silent.
    public enum SilenceSecondaryAudioHint: Sendable, Hashable {
        /// Another session that does not mix has begun to play.
        case begin
        /// It has stopped.
        case end
    }

    /// Whether the service is there.
    public enum MediaServicesChange: Sendable, Hashable {
        /// The service, or the bus, has gone.
        case wereLost
        /// The service is back, or is there for the first time after a method failed without it. The session is set up
        /// as the application had asked, and active if it was active before and can be active now.
        case wereReset
    }

    /// All events from now on, in order. See ``EventSequence``.
    public var events: EventSequence<Event> { sequence { $0 } }

    /// Interruptions from now on.
    ///
    /// After the service was lost, an interruption that had begun ends without ``InterruptionOptions/shouldResume``,
    /// and one begins if the session was active and cannot become active again.
    public var interruptions: EventSequence<Interruption> {
        sequence { if case .interruption(let interruption) = $0 { interruption } else { nil } }
    }

    /// Changes of whether the session is active, from now on.
    public var activationChanges: EventSequence<ActivationChange> {
        sequence { if case .activation(let change) = $0 { change } else { nil } }
    }

    /// Changes of the session's route from now on.
    public var routeChanges: EventSequence<RouteChange> {
        sequence { if case .routeChange(let change) = $0 { change } else { nil } }
    }

    /// The available inputs, at each change from now on.
    public var availableInputsChanges: EventSequence<[PortDescription]> {
        sequence { if case .availableInputs(let inputs) = $0 { inputs } else { nil } }
    }

    /// The available outputs, at each change from now on.
    public var availableOutputsChanges: EventSequence<[PortDescription]> {
        sequence { if case .availableOutputs(let outputs) = $0 { outputs } else { nil } }
    }

    /// The factor on recorded sound in use, 0…1, at each change from now on.
    public var inputGainChanges: EventSequence<Float> {
        sequence { if case .inputGain(let gain) = $0 { gain } else { nil } }
    }

    /// Whether the level of what the session records can be changed, at each change from now on.
    public var inputGainSettableChanges: EventSequence<Bool> {
        sequence { if case .inputGainSettable(let isSettable) = $0 { isSettable } else { nil } }
    }

    /// The volume of the output in use, 0…1, at each change from now on.
    public var outputVolumeChanges: EventSequence<Float> {
        sequence { if case .outputVolume(let volume) = $0 { volume } else { nil } }
    }

    /// The sample rate in use, in Hz, at each change from now on. A preference takes effect with the first stream.
    public var sampleRateChanges: EventSequence<Double> {
        sequence { if case .sampleRate(let rate) = $0 { rate } else { nil } }
    }

    /// The buffer duration in use, in seconds, at each change from now on. A preference takes effect with the first
    /// stream.
    public var ioBufferDurationChanges: EventSequence<Double> {
        sequence { if case .ioBufferDuration(let duration) = $0 { duration } else { nil } }
    }

    /// The number of channels of the input in use, at each change from now on.
    public var inputNumberOfChannelsChanges: EventSequence<Int> {
        sequence { if case .inputNumberOfChannels(let count) = $0 { count } else { nil } }
    }

    /// The number of channels of the output in use, at each change from now on.
    public var outputNumberOfChannelsChanges: EventSequence<Int> {
        sequence { if case .outputNumberOfChannels(let count) = $0 { count } else { nil } }
    }

    /// Hints to silence the application's background sound, from now on.
    public var silenceSecondaryAudioHints: EventSequence<SilenceSecondaryAudioHint> {
        sequence { if case .silenceSecondaryAudioHint(let hint) = $0 { hint } else { nil } }
    }

    /// Losses and returns of the service from now on.
    public var mediaServicesChanges: EventSequence<MediaServicesChange> {
        sequence { if case .mediaServices(let change) = $0 { change } else { nil } }
    }

    private func sequence<Element>(
        _ pick: @escaping @Sendable (Event) -> Element?
    ) -> EventSequence<Element> {
        EventSequence(start: worker.feed.position, pick: pick)
    }
}
