import BusInterface

extension AudioSession {
    /// What an input or output is. The raw value is the service's word. Source: Audio Session Services Reference,
    /// "Input Route Types" and "Output Route Types".
    public struct Port: RawRepresentable, Sendable, Hashable {
        /// The service's word.
        public let rawValue: String
        /// A port with this word, which may be one of a later service.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Input: a line connector.
        public static let lineIn = Port(rawValue: "LineIn")
        /// Input: the machine's own microphone.
        public static let builtInMic = Port(rawValue: "BuiltInMic")
        /// Input: the microphone of a wired headset.
        public static let headsetMic = Port(rawValue: "HeadsetMic")
        /// Output: a line connector.
        public static let lineOut = Port(rawValue: "LineOut")
        /// Output: wired headphones.
        public static let headphones = Port(rawValue: "Headphones")
        /// Output: Bluetooth loudspeakers or headphones.
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DP")
        /// Output: the small speaker that one holds to the ear.
        public static let builtInReceiver = Port(rawValue: "BuiltInReceiver")
        /// Output: the machine's own loudspeaker.
        public static let builtInSpeaker = Port(rawValue: "BuiltInSpeaker")
        /// Output: a display.
        public static let hdmi = Port(rawValue: "HDMI")
        /// Output: a device in the network.
        public static let airPlay = Port(rawValue: "AirPlay")
        /// Input or output: a Bluetooth headset.
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        /// Input or output: a USB device.
        public static let usbAudio = Port(rawValue: "USBAudio")
        /// Input or output: anything else.
        public static let unknown = Port(rawValue: "Unknown")
    }

    /// An input or output.
    public struct PortDescription: Sendable, Hashable {
        /// What it is.
        public let portType: Port
        /// Its name, for people.
        public let portName: String
        /// Its id, which survives removal and return.
        public let uid: String
        /// The name of the sink or source in the sound server; nil while it has none.
        public let nodeName: String?
        /// The number of channels; nil while it is not in use, or unknown.
        public let numberOfChannels: Int?
        /// `nil` without a card.
        let device: String?

        init(_ value: WireValue) {
            let record = PortRecord(value)
            portType = record.type.isEmpty ? .unknown : Port(rawValue: record.type)
            portName = record.name
            uid = record.id
            nodeName = record.nodeName
            numberOfChannels = record.channels.map { Int($0) }
            device = record.device
        }
    }

    /// The inputs and outputs that a session uses; empty if there are none.
    public struct RouteDescription: Sendable, Hashable {
        /// The inputs; empty if the category does not record.
        public let inputs: [PortDescription]
        /// The outputs; empty if the category does not play.
        public let outputs: [PortDescription]

        init(_ record: WireValue) {
            inputs = record["inputs"]?.elements?.map(PortDescription.init) ?? []
            outputs = record["outputs"]?.elements?.map(PortDescription.init) ?? []
        }
    }

    /// Why a route has changed. Source: Audio Session Services Reference, "Audio Route Change Reasons".
    public enum RouteChangeReason: UInt, Sendable, Hashable, CaseIterable {
        /// Unknown, or a reason that this library does not know.
        case unknown = 0
        /// Something was plugged in.
        case newDeviceAvailable = 1
        /// The port that was in use has gone.
        case oldDeviceUnavailable = 2
        /// The session's category has changed.
        case categoryChange = 3
        /// ``AudioSession/overrideOutputAudioPort(_:)`` or ``CategoryOptions/defaultToSpeaker`` has begun or ended.
        case override = 4
        /// The machine woke up. There is no reason 5.
        case wakeFromSleep = 6
        /// The category needs an input or output, and there is none.
        case noSuitableRouteForCategory = 7
        /// Another port was chosen, and none was added or removed.
        case routeConfigurationChange = 8
    }

    /// A change of the session's route.
    public struct RouteChange: Sendable, Hashable {
        /// Why the route has changed.
        public let reason: RouteChangeReason
        /// The route before the change.
        public let previousRoute: RouteDescription
        /// The route after it.
        public let currentRoute: RouteDescription
    }
}
