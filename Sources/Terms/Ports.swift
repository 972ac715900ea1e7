/// The type of a port (R61, R62). The raw values are the names on D-Bus.
public enum PortType: String, Sendable, Hashable, CaseIterable {
    /// A socket for line level (input).
    case lineIn = "LineIn"
    /// A microphone built into the machine (input).
    case builtInMic = "BuiltInMic"
    /// A microphone plugged into a jack, of a headset or by itself (input).
    case headsetMic = "HeadsetMic"
    /// A Bluetooth headset with its profile for calls (both directions).
    case bluetoothHFP = "BluetoothHFP"
    /// Any USB device except a display (both directions).
    case usbAudio = "USBAudio"
    /// A socket for line level, analog or digital (output).
    case lineOut = "LineOut"
    /// A jack for headphones or a headset's earphones (output).
    case headphones = "Headphones"
    /// A Bluetooth device with its profile for music (output).
    case bluetoothA2DP = "BluetoothA2DP"
    /// The earpiece that is held to the ear in a call (output).
    case builtInReceiver = "BuiltInReceiver"
    /// A loudspeaker built into the machine (output).
    case builtInSpeaker = "BuiltInSpeaker"
    /// A display, by HDMI or DisplayPort (output).
    case hdmi = "HDMI"
    /// A loudspeaker in the network, by AirPlay (output).
    case airPlay = "AirPlay"
    /// Another type; the server has its own word for it.
    case unknown = "Unknown"

    /// The word for outputs of this type in policy files, beside the type's own name; `nil` for none (N27).
    public var policyWord: String? {
        switch self {
        case .builtInSpeaker: "speaker"
        case .builtInReceiver: "receiver"
        case .headphones: "headphones"
        case .bluetoothA2DP, .bluetoothHFP: "bluetooth"
        case .usbAudio: "usb"
        case .hdmi: "hdmi"
        case .lineOut: "line"
        case .airPlay: "network"
        case .lineIn, .builtInMic, .headsetMic, .unknown: nil
        }
    }

    /// Whether the port is part of the machine and cannot be pulled out. A server reports a built-in port as
    /// unavailable while a plug in a jack replaces it.
    public var isBuiltIn: Bool {
        switch self {
        case .builtInMic, .builtInSpeaker, .builtInReceiver: true
        case .lineIn, .headsetMic, .bluetoothHFP, .usbAudio, .lineOut, .headphones, .bluetoothA2DP, .hdmi, .airPlay,
            .unknown:
            false
        }
    }

    /// Whether it is, or may be, a headset worn during a call (R46).
    public var isHeadset: Bool {
        switch self {
        case .headphones, .bluetoothHFP, .bluetoothA2DP, .usbAudio: true
        case .lineIn, .builtInMic, .headsetMic, .lineOut, .builtInReceiver, .builtInSpeaker, .hdmi, .airPlay, .unknown:
            false
        }
    }

    /// Whether it is a built-in socket for plugs.
    public var isSocket: Bool {
        switch self {
        case .headphones, .headsetMic, .lineIn, .lineOut, .hdmi: true
        case .builtInMic, .bluetoothHFP, .usbAudio, .bluetoothA2DP, .builtInReceiver, .builtInSpeaker, .airPlay,
            .unknown:
            false
        }
    }

    /// The option that allows a session outputs of this type (N5); `nil` for a type that every session may use.
    public var neededOption: CategoryOption? {
        switch self {
        case .bluetoothA2DP: .allowBluetoothA2DP
        case .airPlay: .allowAirPlay
        case .lineIn, .builtInMic, .headsetMic, .bluetoothHFP, .usbAudio, .lineOut, .headphones, .builtInReceiver,
            .builtInSpeaker, .hdmi, .unknown:
            nil
        }
    }
}

extension PortType {
    /// The replacements for an output that a call may not use (N5), best first. No displays: many have no loudspeaker
    /// and do not say so.
    public static let callOutputs: [PortType] = [
        .headphones, .bluetoothHFP, .bluetoothA2DP, .usbAudio, .builtInReceiver, .builtInSpeaker, .lineOut,
    ]

    /// The replacements for a Bluetooth headset's microphone (R43), best first. Perhaps empty sockets come last.
    public static let callInputs: [PortType] = [.headsetMic, .builtInMic, .usbAudio, .lineIn]

    /// The name of a route in the old C interface, by the types of its output and its input.
    public struct RouteName: Sendable {
        /// The output; `nil` for a route that only records.
        public let output: PortType?
        /// The input.
        public let input: Input
        /// The name.
        public let name: String

        /// An input of a route.
        public enum Input: Sendable {
            case type(PortType)
            case some
            /// One of any type, or none.
            case any
        }
    }

    /// The names of routes; the first one that fits counts. Others are "Unknown"; without ports, the name is empty.
    ///
    /// Source: Audio Session Services Reference, "Audio Session Property Identifiers" (kAudioSessionProperty_AudioRoute).
    public static let routeNames: [RouteName] = [
        RouteName(output: .builtInSpeaker, input: .some, name: "SpeakerAndMicrophone"),
        RouteName(output: .builtInSpeaker, input: .any, name: "Speaker"),
        RouteName(output: .builtInReceiver, input: .some, name: "ReceiverAndMicrophone"),
        RouteName(output: .builtInReceiver, input: .any, name: "Receiver"),
        RouteName(output: .headphones, input: .type(.headsetMic), name: "HeadsetInOut"),
        RouteName(output: .headphones, input: .some, name: "HeadphonesAndMicrophone"),
        RouteName(output: .headphones, input: .any, name: "Headphone"),
        RouteName(output: .lineOut, input: .type(.lineIn), name: "LineInOut"),
        RouteName(output: .lineOut, input: .any, name: "LineOut"),
        RouteName(output: .bluetoothHFP, input: .any, name: "HeadsetBT"),
        RouteName(output: .bluetoothA2DP, input: .any, name: "HeadphonesBT"),
        RouteName(output: .usbAudio, input: .any, name: "USB"),
        RouteName(output: .hdmi, input: .any, name: "HDMI"),
        RouteName(output: .airPlay, input: .any, name: "AirTunes"),
        RouteName(output: nil, input: .type(.builtInMic), name: "MicrophoneBuiltIn"),
        RouteName(output: nil, input: .type(.headsetMic), name: "MicrophoneWired"),
        RouteName(output: nil, input: .type(.bluetoothHFP), name: "MicrophoneBluetooth"),
        RouteName(output: nil, input: .type(.lineIn), name: "LineIn"),
        RouteName(output: nil, input: .type(.usbAudio), name: "USB"),
    ]
}

/// The direction of the sound, seen from the machine.
public enum PortDirection: Sendable, Hashable, CaseIterable {
    case input
    case output
}

/// Where the output of a call goes (R41). The raw values are the names on D-Bus.
public enum OutputOverride: String, Sendable, Hashable, CaseIterable {
    /// No override: the category decides.
    case none
    /// To the loudspeaker, until the route changes or an interruption comes.
    case speaker
}

/// Why a route changed (R56). The value 5 is unused.
public enum RouteChangeReason: UInt32, Sendable, Hashable, CaseIterable {
    /// The server's reports do not show why.
    case unknown = 0
    /// A port that was not available before is in use.
    case newDeviceAvailable = 1
    /// A port that was in use is no longer available.
    case oldDeviceUnavailable = 2
    /// A session's category changed (R57).
    case categoryChange = 3
    /// An override of the output was set or ended (R41).
    case override = 4
    case wakeFromSleep = 6
    /// The category needs an input or output, and there is none.
    case noSuitableRouteForCategory = 7
    /// Another port is in use although none was added or removed, as when the user chooses one.
    case routeConfigurationChange = 8

    /// What the name does not say; `nil` if it says all.
    public var remark: String? {
        switch self {
        case .noSuitableRouteForCategory: "the route may be the same as before"
        case .routeConfigurationChange: "another port was chosen, and none was added or removed"
        case .unknown, .newDeviceAvailable, .oldDeviceUnavailable, .categoryChange, .override, .wakeFromSleep: nil
        }
    }

    /// The reason's name on D-Bus and in the log.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .newDeviceAvailable: "new-device-available"
        case .oldDeviceUnavailable: "old-device-unavailable"
        case .categoryChange: "category-change"
        case .override: "override"
        case .wakeFromSleep: "wake-from-sleep"
        case .noSuitableRouteForCategory: "no-suitable-route-for-category"
        case .routeConfigurationChange: "route-configuration-change"
        }
    }
}
