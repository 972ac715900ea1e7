/// Data sources: the microphones or loudspeakers that a card has as several ports of one type, such as front and back.
/// To prefer one is to prefer its port.
extension AudioSession {
    /// Which way a microphone or loudspeaker points, as its name says.
    public enum Orientation: String, Sendable, Hashable, CaseIterable {
        case top
        case bottom
        /// Towards the user.
        case front
        /// Away from the user.
        case back
        case left
        case right
    }

    /// How a microphone picks up sound from different directions.
    public enum PolarPattern: String, Sendable, Hashable, CaseIterable {
        /// From all directions alike.
        case omnidirectional
        /// Mostly from the front.
        case cardioid
        /// More from the front than cardioid.
        case subcardioid
        /// Two channels, left and right.
        case stereo
    }

    /// One of several microphones or loudspeakers of one type.
    public struct DataSourceDescription: Sendable, Hashable {
        /// Its id, which survives removal and return: that of its port.
        public var dataSourceID: String { port.uid }
        /// Its name, for people.
        public var dataSourceName: String { port.portName }
        /// Which way it points; nil if its name does not say.
        public let orientation: Orientation?
        /// The patterns that can be chosen: nil, as no device under Linux names any today.
        public let supportedPolarPatterns: [PolarPattern]?
        let port: PortDescription

        init(_ port: PortDescription) {
            self.port = port
            supportedPolarPatterns = nil
            // The words of the session managers' ports, such as "analog-input-rear-mic", and of use case profiles.
            let words = (port.uid + " " + port.portName).lowercased().split { !$0.isLetter }
            let meanings: [(Substring, Orientation)] = [
                ("front", .front), ("rear", .back), ("back", .back), ("top", .top), ("bottom", .bottom),
                ("left", .left), ("right", .right),
            ]
            orientation = meanings.first { words.contains($0.0) }?.1
        }

        /// The ports of one card and type; nil for a port that is alone.
        static func beside(_ port: PortDescription?, among ports: [PortDescription]) -> [DataSourceDescription]? {
            guard let port, let device = port.device else { return nil }
            let found = ports.filter { $0.device == device && $0.portType == port.portType }
            return found.count > 1 ? found.map(DataSourceDescription.init) : nil
        }
    }

    /// The microphones of the input in use among which an application can choose; nil if there is only one.
    public var inputDataSources: [DataSourceDescription]? {
        get throws(AudioSessionError) {
            DataSourceDescription.beside(try currentRoute.inputs.first, among: try availableInputs)
        }
    }
    /// The microphone in use among ``inputDataSources``; nil if there is only one.
    public var inputDataSource: DataSourceDescription? {
        get throws(AudioSessionError) {
            let present = try currentRoute.inputs.first?.uid
            return try inputDataSources?.first { $0.dataSourceID == present }
        }
    }
    /// Prefers one of ``inputDataSources``, as ``setPreferredInput(_:)`` does with its port; nil ends the preference.
    ///
    /// - Throws: As ``setPreferredInput(_:)``.
    public func setInputDataSource(_ source: DataSourceDescription?) throws(AudioSessionError) {
        try setPreferredInput(source?.port)
    }

    /// The loudspeakers of the output in use among which an application can choose; nil if there is only one.
    public var outputDataSources: [DataSourceDescription]? {
        get throws(AudioSessionError) {
            DataSourceDescription.beside(try currentRoute.outputs.first, among: try availableOutputs)
        }
    }
    /// The loudspeaker in use among ``outputDataSources``; nil if there is only one.
    public var outputDataSource: DataSourceDescription? {
        get throws(AudioSessionError) {
            let present = try currentRoute.outputs.first?.uid
            return try outputDataSources?.first { $0.dataSourceID == present }
        }
    }
    /// Prefers one of ``outputDataSources``; nil ends the preference.
    ///
    /// - Throws: As ``setPreferredOutput(_:)``.
    public func setOutputDataSource(_ source: DataSourceDescription?) throws(AudioSessionError) {
        try setPreferredOutput(source?.port)
    }
}
