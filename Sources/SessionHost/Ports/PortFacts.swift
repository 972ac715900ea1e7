import SessionCore

/// What a server publishes about a port, its node and its device. Unknown members are `nil`.
///
/// ``PortType/init(_:)`` determines the port's type from them. The keys are PipeWire's; PulseAudio's have underscores
/// in place of hyphens.
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
    /// `device.profile.name` of the node (`HiFi: Speaker: sink`), or else the device's profile if the port is active in
    /// that profile (`a2dp-sink-sbc_xq`).
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

    /// Whether the port's device is a camera (R52).
    public var isCamera: Bool { formFactor == "webcam" }
}
