import PolicyEngine

/// What a server publishes about a port, its node and its device, for ``PortType/init(_:)``. Unknown members are `nil`.
/// The keys are PipeWire's; ``PropertyKeys`` has PulseAudio's.
public struct PortFacts: Sendable, Hashable {
    /// The direction of the sound.
    public var direction: PortDirection?
    /// `port.type` of the route: speaker, headphones, hdmi, …
    public var portType: String?
    /// The route's name: analog-output-headphones, [Out] Speaker, headset-hf-output, …
    public var portName: String?
    /// The route's description, which may be translated: Internal Microphone, …
    public var portDescription: String?
    /// `device.form-factor`: internal, headset, webcam, …
    public var formFactor: String?
    /// `device.bus`: pci, usb, bluetooth, …
    public var bus: String?
    /// `device.icon-name` of the route, else of the node or device.
    public var iconName: String?
    /// `device.profile.name` of the node (`HiFi: Speaker: sink`), else of the device if the port is active there
    /// (`a2dp-sink-sbc_xq`).
    public var profileName: String?
    /// `api.bluez5.profile` of the node: a2dp-sink, headset-head-unit, …
    public var bluetoothProfile: String?
    /// `device.api`: alsa, bluez5, …
    public var deviceAPI: String?
    /// `node.name`; without a node, `device.name`.
    public var nodeName: String?
    /// `media.class`: Audio/Sink, Audio/Source, …
    public var mediaClass: String?
    /// `factory.name`, or the name of the module that created the node.
    public var origin: String?

    /// Creates facts of which nothing is known.
    public init() {}

    /// Reads the properties of a sink, source, port, or of a whole card, which has neither direction nor profile.
    /// `name` is that of the sink or source, else of the card.
    public init(_ direction: PortDirection?, of name: String?, _ keys: PropertyKeys, value: (String) -> String?) {
        self.direction = direction
        nodeName = name
        formFactor = value(keys.formFactor)
        bus = value("device.bus")
        iconName = value(keys.iconName)
        deviceAPI = value("device.api")
        guard direction != nil else { return }
        profileName = value("device.profile.name")
        bluetoothProfile = value(keys.bluetoothProfile)
    }

    /// Whether the port's device is a camera (R52).
    public var isCamera: Bool { formFactor == "webcam" }
}

/// The keys that the servers spell differently.
public struct PropertyKeys: Sendable {
    fileprivate var formFactor, iconName, bluetoothProfile: String

    /// PipeWire's.
    public static let pipeWire = PropertyKeys(
        formFactor: "device.form-factor", iconName: "device.icon-name", bluetoothProfile: "api.bluez5.profile")
    /// PulseAudio's.
    public static let pulseAudio = PropertyKeys(
        formFactor: "device.form_factor", iconName: "device.icon_name", bluetoothProfile: "bluetooth.protocol")
}
