import HostSupport
import PolicyEngine
import Testing

/// What ports are, by what real machines say of them in `pw-dump` and `pactl list`.
@Suite struct PortClassificationTests {
    /// The direction, what the server says, and what it is. Keys: type and port of the route, its description (text), form
    /// factor, bus, icon, profile of the node, api.bluez5.profile (bluez), device.api, node or device name, media class,
    /// factory or module.
    struct Row: Sendable, CustomTestStringConvertible {
        var machine: String
        var facts: PortFacts
        var type: PortType

        init(
            _ machine: String, _ direction: PortDirection?, _ type: PortType, kind: String? = nil, port: String? = nil,
            text: String? = nil, form: String? = nil, bus: String? = nil, icon: String? = nil, profile: String? = nil,
            bluez: String? = nil, api: String? = nil, node: String? = nil, media: String? = nil, origin: String? = nil
        ) {
            self.machine = machine
            self.type = type
            facts = PortFacts()
            facts.direction = direction
            facts.portType = kind
            facts.portName = port
            facts.portDescription = text
            facts.formFactor = form
            facts.bus = bus
            facts.iconName = icon
            facts.profileName = profile
            facts.bluetoothProfile = bluez
            facts.deviceAPI = api
            facts.nodeName = node
            facts.mediaClass = media
            facts.origin = origin
        }

        var testDescription: String { "\(machine): \(type)" }
    }

    private static let hda = "alsa_output.pci-0000_00_1f.3.analog-stereo"
    private static let sof = "alsa_output.pci-0000_00_1f.3-platform-skl_hda_dsp_generic.HiFi__Speaker__sink"
    private static let phone = "alsa_output.platform-sound.HiFi__hw_PinePhone_0__sink"

    /// Laptops and desktops with HDA codecs and alsa-card-profile's paths.
    static let analog: [Row] = [
        Row(
            "HDA laptop, speaker", .output, .builtInSpeaker, kind: "speaker", port: "analog-output-speaker",
            form: "internal", bus: "pci", icon: "audio-speakers", profile: "analog-stereo", api: "alsa", node: hda),
        Row(
            "HDA laptop, headphones", .output, .headphones, kind: "headphones", port: "analog-output-headphones",
            form: "internal", bus: "pci", icon: "audio-headphones", profile: "analog-stereo", api: "alsa", node: hda),
        Row(
            "HDA desktop, second headphones", .output, .headphones, kind: "headphones",
            port: "analog-output-headphones-2", bus: "pci", node: hda),
        Row("HDA desktop, line out", .output, .lineOut, kind: "line", port: "analog-output-lineout", bus: "pci"),
        Row("HDA desktop, S/PDIF", .output, .lineOut, kind: "spdif", port: "iec958-stereo-output", bus: "pci"),
        Row(
            "HDA laptop, internal microphone", .input, .builtInMic, kind: "mic", port: "analog-input-internal-mic",
            form: "internal", bus: "pci", icon: "audio-input-microphone"),
        Row(
            "HDA laptop, headset microphone", .input, .headsetMic, kind: "headset", port: "analog-input-headset-mic",
            icon: "audio-input-microphone"),
        Row(
            "HDA laptop, headphone jack for a microphone", .input, .headsetMic, kind: "mic",
            port: "analog-input-headphone-mic"),
        Row("HDA desktop, front microphone", .input, .headsetMic, kind: "mic", port: "analog-input-front-mic"),
        Row("HDA desktop, rear microphone", .input, .headsetMic, kind: "mic", port: "analog-input-rear-mic"),
        Row("HDA laptop, dock's microphone", .input, .headsetMic, kind: "mic", port: "analog-input-dock-mic"),
        Row("HDA desktop, microphone jack", .input, .headsetMic, kind: "mic", port: "analog-input-mic"),
        Row("HDA desktop, line in", .input, .lineIn, kind: "line", port: "analog-input-linein"),
        Row("HDA desktop, S/PDIF in", .input, .lineIn, kind: "spdif", port: "iec958-stereo-input"),
        Row("AC97, aux", .input, .lineIn, kind: "aux", port: "analog-input-aux"),
        Row("AC97, video", .input, .lineIn, kind: "video", port: "analog-input-video"),
        Row("AC97, radio", .input, .lineIn, kind: "radio", port: "analog-input-fm"),
        Row("AC97, TV tuner", .input, .lineIn, port: "analog-input-tvtuner"),
        Row(
            "laptop whose driver knows no ports", .output, .builtInSpeaker, kind: "analog", port: "analog-output",
            form: "internal", bus: "pci"),
        Row(
            "the same, PulseAudio before types", .output, .builtInSpeaker, port: "analog-output", form: "internal"),
        Row("the same, microphone", .input, .builtInMic, kind: "analog", port: "analog-input", bus: "pci"),
        Row("the same, PulseAudio before types", .input, .builtInMic, port: "analog-input", form: "internal"),
        Row(
            "board whose driver knows no ports", .output, .builtInSpeaker, port: "analog-output", form: "internal",
            icon: "audio-card", profile: "stereo-fallback", node: "alsa_output.platform-soc_audio.stereo-fallback"),
        Row("card of which little is known", .output, .lineOut, kind: "analog", port: "analog-output"),
        Row("card of which less is known", .output, .lineOut, port: "analog-output-mono"),
        Row("card of which little is known", .input, .lineIn, kind: "analog", port: "analog-input"),
        Row("card of which less is known", .input, .lineIn, port: "analog-input"),
        Row(
            "split ports, headphones without a route", .output, .headphones, bus: "pci",
            profile: "analog-stereo-headphones", node: "alsa_output.pci-0000_09_00.4.analog-stereo-headphones"),
        Row(
            "S/PDIF without a route", .output, .lineOut, bus: "pci", profile: "iec958-stereo",
            node: "alsa_output.pci-0000_00_1b.0.iec958-stereo"),
        Row(
            "pro audio", .output, .unknown, bus: "pci", icon: "audio-card-analog-pci", profile: "pro-output-0",
            api: "alsa", node: "alsa_output.pci-0000_07_00.6.pro-output-0"),
    ]

    /// Laptops with UCM: SOF, soundwire, AMD's ACP, and HDA.
    static let useCases: [Row] = [
        Row(
            "SOF laptop, speaker", .output, .builtInSpeaker, kind: "speaker", port: "[Out] Speaker", text: "Speaker",
            bus: "pci", profile: "HiFi: Speaker: sink", api: "alsa", node: sof),
        Row(
            "SOF laptop, headphones", .output, .headphones, kind: "headphones", port: "[Out] Headphones",
            text: "Headphones", bus: "pci", profile: "HiFi: Headphones: sink", api: "alsa"),
        Row(
            "SOF laptop, digital microphone", .input, .builtInMic, kind: "mic", port: "[In] Mic1",
            text: "Digital Microphone", bus: "pci", profile: "HiFi: Mic1: source", api: "alsa"),
        Row(
            "SOF laptop, stereo microphone in the jack", .input, .headsetMic, kind: "mic", port: "[In] Mic2",
            text: "Headphones Stereo Microphone", bus: "pci"),
        Row("SOF laptop, its microphone jack without its comment", .input, .headsetMic, kind: "mic", port: "[In] Mic2"),
        Row(
            "SOF laptop, headset", .input, .headsetMic, kind: "headset", port: "[In] Headset",
            text: "Headset Mono Microphone"),
        Row(
            "HDA with UCM, microphone in the jack", .input, .headsetMic, kind: "mic", port: "[In] Mic",
            text: "Headphones Stereo Microphone"),
        Row(
            "Chromebook, headset", .input, .headsetMic, kind: "mic", port: "[In] Mic", text: "Headset Microphone"),
        Row("Chromebook, microphone", .input, .builtInMic, kind: "mic", port: "[In] Mic", text: "Internal Microphone"),
        Row("ACP laptop, microphone", .input, .builtInMic, port: "[In] Dmic0", text: "Microphone"),
        Row("UCM microphone, PulseAudio before types", .input, .builtInMic, port: "[In] Mic"),
        Row("UCM line out", .output, .lineOut, kind: "line", port: "[Out] Line1", text: "Line Output", bus: "pci"),
        Row("UCM S/PDIF", .output, .lineOut, kind: "spdif", port: "[Out] SPDIF", bus: "pci"),
        Row("UCM, name without a type", .output, .builtInSpeaker, kind: "unknown", port: "[Out] Speakers"),
        Row("UCM, headset both ways", .output, .headphones, kind: "headset", port: "[Out] Headset"),
        Row(
            "direction by the port's name", nil, .headphones, kind: "headphones", port: "[Out] Headphones", bus: "pci"),
        Row("direction by the port's name", nil, .headsetMic, kind: "headset", port: "[In] Headset", bus: "pci"),
        Row(
            "UCM sink without a route", .output, .builtInSpeaker, bus: "pci", profile: "HiFi: Speaker: sink", node: sof),
        Row(
            "UCM headphones without a route", nil, .headphones, bus: "pci", profile: "HiFi: Headphones: sink",
            node: "alsa_output.pci-0000_00_1f.3.HiFi__Headphones__sink"),
        Row(
            "UCM headset without a route", .output, .headphones, bus: "pci", profile: "HiFi: Headset: sink"),
        Row("UCM headset without a route", .input, .headsetMic, bus: "pci", profile: "HiFi: Headset: source"),
        Row("UCM microphone without a route", .input, .builtInMic, bus: "pci", profile: "HiFi: Mic1: source"),
        Row(
            "UCM microphone without a route", nil, .headsetMic, profile: "HiFi: Mic2: source",
            node: "alsa_input.pci-0000_00_1f.3.HiFi__Mic2__source"),
    ]

    /// Displays.
    static let displays: [Row] = [
        Row(
            "HDA, HDMI", .output, .hdmi, kind: "hdmi", port: "hdmi-output-0", bus: "pci", icon: "video-display",
            profile: "hdmi-stereo-extra3", node: "alsa_output.pci-0000_06_00.1.hdmi-stereo-extra3"),
        Row("UCM, HDMI", .output, .hdmi, kind: "hdmi", port: "[Out] HDMI3", text: "HDMI / DisplayPort 3 Output"),
        Row("HDMI, PulseAudio before types", .output, .hdmi, port: "hdmi-output-7", bus: "pci"),
        Row("Qualcomm, DisplayPort", .output, .hdmi, kind: "unknown", port: "[Out] DisplayPort0"),
        Row("television", .output, .hdmi, kind: "tv", port: "output"),
        Row(
            "HDMI without a route", .output, .hdmi, bus: "pci", profile: "hdmi-stereo",
            node: "alsa_output.pci-0000_01_00.1.hdmi-stereo"),
        Row("DisplayLink on USB", .output, .hdmi, bus: "usb", icon: "video-display"),
    ]

    /// Everything on USB.
    static let usb: [Row] = [
        Row(
            "USB headset", .output, .usbAudio, kind: "analog", port: "analog-output", form: "headset", bus: "usb",
            icon: "audio-headset-usb", profile: "analog-stereo"),
        Row(
            "USB headset, microphone", .input, .usbAudio, kind: "mic", port: "analog-input-mic", form: "headset",
            bus: "usb", icon: "audio-headset-usb", profile: "mono-fallback"),
        Row("USB interface", .output, .usbAudio, kind: "line", port: "[Out] Line1", text: "Line A", bus: "usb"),
        Row("webcam", .input, .usbAudio, kind: "mic", port: "analog-input-mic", form: "webcam", bus: "usb"),
        Row("USB dock, headphones", .output, .usbAudio, kind: "headphones", port: "[Out] Headphones", bus: "usb"),
        Row("USB dock, line out", .output, .usbAudio, kind: "line", port: "[Out] Line", bus: "usb"),
        Row(
            "mainboard with its codec on USB", .output, .usbAudio, kind: "speaker", port: "[Out] Speaker",
            node: "alsa_card.usb-Generic_USB_Audio-00"),
        Row(
            "USB sink by its name", nil, .usbAudio,
            node: "alsa_output.usb-Logitech_PRO_X_Wireless_Gaming_Headset-00.analog-stereo"),
        Row(
            "USB source by its name", nil, .usbAudio,
            node: "alsa_input.usb-Focusrite_Scarlett_2i2_USB-00.multichannel-input"),
    ]

    /// Bluetooth, on PipeWire old and new, and on PulseAudio.
    static let bluetooth: [Row] = [
        Row(
            "headset playing music", .output, .bluetoothA2DP, kind: "headset", port: "headset-output", form: "headset",
            bus: "bluetooth", icon: "audio-headset-bluetooth", bluez: "a2dp-sink", api: "bluez5",
            node: "bluez_output.74_D7_13_E4_27_D8.1"),
        Row(
            "headset in a call", .output, .bluetoothHFP, kind: "headset", port: "headset-output", bus: "bluetooth",
            bluez: "headset-head-unit", api: "bluez5"),
        Row(
            "headset in a call, microphone", .input, .bluetoothHFP, kind: "headset", port: "headset-input",
            bus: "bluetooth", bluez: "headset-head-unit"),
        Row(
            "headset's port for calls while it plays music", .output, .bluetoothHFP, kind: "headset",
            port: "headset-hf-output", profile: "a2dp-sink", api: "bluez5"),
        Row(
            "headset's microphone while it plays music", .input, .bluetoothHFP, kind: "headset",
            port: "headset-input", profile: "a2dp-sink-sbc_xq", api: "bluez5", node: "bluez_card.74_D7_13_E4_27_D8"),
        Row(
            "headphones by their card", .output, .bluetoothA2DP, kind: "headphones", port: "headphone-output",
            form: "headphone", bus: "bluetooth", icon: "audio-headphones-bluetooth", profile: "a2dp-sink-aac"),
        Row(
            "hands-free by its card", .output, .bluetoothHFP, kind: "handsfree", port: "handsfree-output",
            form: "hands-free", bus: "bluetooth", profile: "headset-head-unit-msbc"),
        Row("two-way music profile", .input, .bluetoothHFP, bus: "bluetooth", bluez: "a2dp-duplex"),
        Row("loudspeaker", .output, .bluetoothA2DP, kind: "speaker", port: "speaker-output", bus: "bluetooth"),
        Row("LE Audio", .output, .bluetoothA2DP, kind: "bluetooth", port: "bluetooth-output", bluez: "bap-sink"),
        Row(
            "LE Audio, microphone", .input, .bluetoothHFP, kind: "bluetooth", port: "bluetooth-input",
            bluez: "bap-duplex"),
        Row("hearing aid", .output, .bluetoothA2DP, bluez: "asha-sink", api: "bluez5"),
        Row(
            "telephone, call", .input, .bluetoothHFP, kind: "phone", port: "phone-input", bluez: "headset-audio-gateway"
        ),
        Row("telephone, its music", .input, .unknown, kind: "phone", port: "phone-input", bluez: "a2dp-source"),
        Row(
            "telephone, its music, on PulseAudio", .input, .unknown, kind: "phone", port: "phone-input",
            bus: "bluetooth", profile: "a2dp_source"),
        Row(
            "PulseAudio, call", .output, .bluetoothHFP, kind: "headset", port: "headset-output",
            profile: "headset_head_unit", node: "bluez_sink.9A_07_65_B4_21_EC.headset_head_unit"),
        Row(
            "PulseAudio, hands-free", .output, .bluetoothHFP, profile: "handsfree_head_unit",
            node: "bluez_sink.9A_07_65_B4_21_EC.handsfree_head_unit"),
        Row(
            "PulseAudio, music", .output, .bluetoothA2DP, kind: "headphones", port: "headphone-output",
            profile: "a2dp_sink", node: "bluez_sink.9A_07_65_B4_21_EC.a2dp_sink"),
        Row("hands-free by its node", .output, .bluetoothHFP, bluez: "handsfree-head-unit"),
    ]

    /// Telephones: PinePhone, Librem 5, and those with Qualcomm's UCM.
    static let phones: [Row] = [
        Row(
            "PinePhone, earpiece", .output, .builtInReceiver, kind: "earpiece", port: "[Out] Earpiece",
            text: "Internal Earpiece", profile: "HiFi: sink", node: phone),
        Row(
            "PinePhone, speaker", .output, .builtInSpeaker, kind: "speaker", port: "[Out] Speaker",
            text: "Internal speaker", node: phone),
        Row(
            "PinePhone, headphones, not a name that PipeWire knows", .output, .headphones, kind: "unknown",
            port: "[Out] Headphone", text: "Headphones", node: phone),
        Row(
            "PinePhone, microphone, likewise", .input, .builtInMic, kind: "unknown", port: "[In] DigitalMic",
            text: "Internal Microphone"),
        Row(
            "PinePhone, headset, likewise", .input, .headsetMic, kind: "unknown", port: "[In] HeadsetMic",
            text: "Headset Microphone"),
        Row("Librem 5, handset", .output, .builtInReceiver, kind: "handset", port: "[Out] Handset", text: "Handset"),
        Row(
            "Librem 5, headset", .input, .headsetMic, kind: "headset", port: "[In] Headset", text: "Headset Microphone"),
        Row("Qualcomm, microphone", .input, .builtInMic, kind: "unknown", port: "[In] InternalMic"),
        Row("telephone, microphone of the handset", .input, .builtInMic, kind: "handset", port: "[In] Handset"),
        Row("droid, receiver", .output, .builtInReceiver, port: "output-receiver"),
        Row("earpiece without a route", .output, .builtInReceiver, profile: "HiFi: Earpiece: sink"),
        Row("handset without a route", .output, .builtInReceiver, profile: "HiFi: Handset: sink"),
    ]

    /// What has only a type, or only a look, and what is nothing of all that.
    static let others: [Row] = [
        Row(
            "AirPlay on PipeWire", .output, .airPlay, icon: "audio-speakers",
            node: "raop_sink.Kitchen.local.192.168.1.23.7000", media: "Audio/Sink"),
        Row("AirPlay on PulseAudio", nil, .airPlay, node: "raop_output.Freebox-Player.local"),
        Row("AirPlay under another name", .output, .airPlay, node: "kitchen", origin: "libpipewire-module-raop-sink"),
        Row("by type", .output, .builtInReceiver, kind: "earpiece", port: "out-a"),
        Row("by type", .output, .builtInReceiver, kind: "handset", port: "out-b"),
        Row("by type", .output, .headphones, kind: "headphones", port: "out-c"),
        Row("by type", .output, .headphones, kind: "headset", port: "steelseries-arctis-output-chat-common"),
        Row("by type", .output, .builtInSpeaker, kind: "speaker", port: "out-d"),
        Row("by type", .output, .lineOut, kind: "line", port: "multichannel-output"),
        Row("by type", .output, .lineOut, kind: "spdif", port: "out-e"),
        Row("by type", .output, .lineOut, kind: "aux", port: "out-f"),
        Row("by type", .input, .headsetMic, kind: "headset", port: "analog-chat-input"),
        Row("by type", .input, .builtInMic, kind: "mic", port: "in-a"),
        Row("by type", .input, .builtInMic, kind: "handset", port: "in-b"),
        Row("by type", .input, .builtInMic, kind: "earpiece", port: "in-c"),
        Row("by type", .input, .lineIn, kind: "line", port: "multichannel-input"),
        Row("by type", .input, .lineIn, kind: "spdif", port: "in-d"),
        Row("by type", .input, .lineIn, kind: "aux", port: "in-e"),
        Row("by type", .input, .lineIn, kind: "radio", port: "in-f"),
        Row("by type", .input, .lineIn, kind: "video", port: "in-g"),
        Row("by look", .output, .headphones, icon: "audio-headphones"),
        Row("by look", .output, .headphones, icon: "audio-headset"),
        Row("by look", .output, .builtInSpeaker, form: "internal", icon: "audio-speakers"),
        Row("by look", .input, .builtInMic, form: "internal", icon: "audio-input-microphone"),
        Row(
            "an odd type", .output, .unknown, kind: "gramophone", port: "horn", form: "internal", bus: "pci",
            api: "alsa"),
        Row("an effect", .output, .unknown, node: "effect_input.eq6", media: "Audio/Sink", origin: "filter-chain"),
        Row("a null sink", nil, .unknown, node: "null", media: "Audio/Sink", origin: "support.null-audio-sink"),
        Row("nothing", nil, .unknown),
    ]

    static let table = analog + useCases + displays + usb + bluetooth + phones + others

    @Test("R61 R62 R60 what a port is", arguments: table)
    func types(row: Row) {
        #expect(PortType(row.facts) == row.type, "\(row.machine)")
    }

    @Test("R61 R62 each line of the table decides about a port of a real machine")
    func everyLineIsNeeded() {
        let used = Set(Self.table.compactMap { PortEvidence.line(for: $0.facts) })
        for (index, line) in PortEvidence.types.enumerated() where !used.contains(index) {
            Issue.record("line \(index) decides nothing: \(line)")
        }
        #expect(PortEvidence.types.count >= 40)
    }

    @Test("R61 R62 letters without regard to case, and no more than there is")
    func comparing() {
        var facts = PortFacts()
        facts.direction = .output
        facts.portName = "[OUT] HEADPHONES"
        #expect(PortType(facts) == .headphones)
        for name in ["", "[", "[Ou", "headphon", "hdm", "é", "\u{0}"] {
            facts.portName = name
            #expect(PortType(facts) == .unknown, "\(name)")
        }
        facts.portName = String(repeating: "x", count: 100_000) + "hdmi"
        #expect(PortType(facts) == .hdmi)
    }

    @Test("R56 the numbers of the reasons; there is no 5")
    func reasons() {
        #expect(RouteChangeReason.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 6, 7, 8])
        #expect(RouteChangeReason(rawValue: 5) == nil)
    }

    @Test("R61 R62 the names on the wire")
    func names() {
        #expect(
            PortType.allCases.map(\.rawValue) == [
                "LineIn", "BuiltInMic", "HeadsetMic", "BluetoothHFP", "USBAudio", "LineOut", "Headphones",
                "BluetoothA2DP", "BuiltInReceiver", "BuiltInSpeaker", "HDMI", "AirPlay", "Unknown",
            ])
    }

    @Test("R60 a route is the same while its ports are, whatever their nodes")
    func sameness() {
        let one = RoutePort(type: .bluetoothA2DP, name: "Headset", id: "card/out", nodeName: "sink", nodeID: 40)
        var two = one
        two.nodeID = 50
        two.availability = .yes
        #expect(Route(outputs: [one]).isSame(as: Route(outputs: [two])))
        #expect(!Route(outputs: [one]).isSame(as: Route(inputs: [one])))
        #expect(!Route(outputs: [one]).isSame(as: Route()))
        two.type = .bluetoothHFP
        #expect(!Route(outputs: [one]).isSame(as: Route(outputs: [two])))
        #expect(Route().isEmpty)
    }
}
