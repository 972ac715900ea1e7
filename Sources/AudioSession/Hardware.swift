extension AudioSession {
    // MARK: - Sample rate and buffer

    /// Sets the sample rate that the application prefers, in Hz, from 1 to 768000; 0, the default, for none. The
    /// preference counts while the session is active; ``sampleRate`` is the rate in use.
    ///
    /// - Throws: ``AudioSessionError/Code/unsupportedProperty`` for another value; as ``setCategory(_:mode:options:)``
    ///   without the service.
    public func setPreferredSampleRate(_ sampleRate: Double) throws(AudioSessionError) {
        try change(.sampleRate(sampleRate))
    }
    /// The sample rate that the application prefers, in Hz; 0 for none.
    public var preferredSampleRate: Double { preference { $0.sampleRate } }
    /// The sample rate in use, in Hz.
    public var sampleRate: Double { get throws(AudioSessionError) { try property("SampleRate", \.number) } }

    /// Sets the buffer duration that the application prefers, in seconds, up to 10; 0, the default, for none. The
    /// preference counts while the session is active; ``ioBufferDuration`` is the duration in use.
    ///
    /// - Throws: ``AudioSessionError/Code/unsupportedProperty`` for another value; as ``setCategory(_:mode:options:)``
    ///   without the service.
    public func setPreferredIOBufferDuration(_ duration: Double) throws(AudioSessionError) {
        try change(.bufferDuration(duration))
    }
    /// The buffer duration that the application prefers, in seconds; 0 for none.
    public var preferredIOBufferDuration: Double { preference { $0.bufferDuration } }
    /// The buffer duration in use, in seconds.
    public var ioBufferDuration: Double { get throws(AudioSessionError) { try property("BufferDuration", \.number) } }

    // MARK: - Input

    /// Sets the factor on the sound that the session records. The factor is limited to 0…1, and counts while the
    /// session is active and ``isInputGainSettable``.
    ///
    /// - Throws: ``AudioSessionError/Code/unsupportedProperty`` if the factor is not a number; as
    ///   ``setCategory(_:mode:options:)`` without the service.
    public func setInputGain(_ gain: Float) throws(AudioSessionError) { try change(.inputGain(gain)) }
    /// The factor on recorded sound that is in use, 0…1.
    public var inputGain: Float {
        get throws(AudioSessionError) { try property("InputGain") { $0.number.map { Float($0) } } }
    }
    /// Whether the level of recordings can be changed: of a stream of the session that records, else of the input in
    /// use.
    public var isInputGainSettable: Bool {
        get throws(AudioSessionError) { try property("InputGainAvailable", \.truth) }
    }
    /// Whether the user has muted all inputs that the session records from.
    public var isInputMuted: Bool { get throws(AudioSessionError) { try property("InputMuted", \.truth) } }
    /// Whether there is any input.
    public var isInputAvailable: Bool { get throws(AudioSessionError) { try !availableInputs.isEmpty } }

    // MARK: - Channels, latencies, volume

    /// The number of channels of the input in use.
    ///
    /// - Throws: ``AudioSessionError/Code/unspecified`` also with a service that does not know it, like the following
    ///   properties.
    public var inputNumberOfChannels: Int {
        get throws(AudioSessionError) { try property("InputChannels") { $0.integer.map { Int($0) } } }
    }
    /// The number of channels of the output in use.
    public var outputNumberOfChannels: Int {
        get throws(AudioSessionError) { try property("OutputChannels") { $0.integer.map { Int($0) } } }
    }
    /// The most channels that the input in use can have: as many as it has, because the user chooses their number.
    public var maximumInputNumberOfChannels: Int { get throws(AudioSessionError) { try inputNumberOfChannels } }
    /// The most channels that the output in use can have: as many as it has.
    public var maximumOutputNumberOfChannels: Int { get throws(AudioSessionError) { try outputNumberOfChannels } }

    /// Sets how many channels of the input the application prefers; 0, the default, for no preference. The preference
    /// is kept, and changes nothing: the user chooses the channels of a device, and the application those of its
    /// streams.
    ///
    /// - Throws: ``AudioSessionError/Code/unsupportedProperty`` for less than 0 or more than
    ///   ``maximumInputNumberOfChannels``; as ``setCategory(_:mode:options:)`` without the service.
    public func setPreferredInputNumberOfChannels(_ count: Int) throws(AudioSessionError) {
        try change(.inputChannels(checked(count)))
    }
    /// How many channels of the input the application prefers; 0 for no preference.
    public var preferredInputNumberOfChannels: Int { preference { $0.inputChannels } }
    /// Sets how many channels of the output the application prefers; 0, the default, for no preference. The preference
    /// is kept, and changes nothing, as that of the input.
    ///
    /// - Throws: As ``setPreferredInputNumberOfChannels(_:)``, with ``maximumOutputNumberOfChannels``.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws(AudioSessionError) {
        try change(.outputChannels(checked(count)))
    }
    /// How many channels of the output the application prefers; 0 for no preference.
    public var preferredOutputNumberOfChannels: Int { preference { $0.outputChannels } }

    private func checked(_ count: Int) throws(AudioSessionError) -> Int {
        if count >= 0 { return count }
        throw AudioSessionError(
            .unsupportedProperty, "\(count) channels: at least 1 is possible, and 0 for no preference")
    }

    /// The latency of the input in use, in seconds.
    public var inputLatency: Double { get throws(AudioSessionError) { try property("InputLatency", \.number) } }
    /// The latency of the output in use, in seconds.
    public var outputLatency: Double { get throws(AudioSessionError) { try property("OutputLatency", \.number) } }
    /// The volume of the output in use, 0…1, also with a category that does not play. An application cannot set it.
    public var outputVolume: Float {
        get throws(AudioSessionError) { try property("OutputVolume") { $0.number.map { Float($0) } } }
    }
}
