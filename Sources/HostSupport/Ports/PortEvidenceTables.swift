import PolicyEngine

/// The tables that determine a ``PortType``. Sources: PipeWire's alsa and bluez5 plugins (names and types of ports and
/// profiles), the mixer paths of its alsa-card-profile, and the devices that alsa-ucm-conf names.
extension PortEvidence {
    static let connections: [(clue: Clue, result: Connection)] = [
        (Clue(.nodeName, .begins, "raop_"), .airPlay),
        (Clue(.origin, .contains, "raop"), .airPlay),
        (Clue(.bluetoothProfile, .begins, ""), .bluetooth),
        (Clue(.bus, .equals, "bluetooth"), .bluetooth),
        (Clue(.deviceAPI, .begins, "bluez"), .bluetooth),
        (Clue(.nodeName, .begins, "bluez_"), .bluetooth),
        (Clue(.bus, .equals, "usb"), .usb),
        (Clue(.nodeName, .begins, "alsa_output.usb-"), .usb),
        (Clue(.nodeName, .begins, "alsa_input.usb-"), .usb),
        (Clue(.nodeName, .begins, "alsa_card.usb-"), .usb),
        (Clue(.formFactor, .equals, "internal"), .builtIn),
        (Clue(.bus, .equals, "pci"), .builtIn),
        (Clue(.nodeName, .contains, ".platform-"), .builtIn),
    ]

    /// The direction of a port for which the server reports none.
    static let directions: [(clue: Clue, result: PortDirection)] = [
        (Clue(.portName, .begins, "[out]"), .output),
        (Clue(.portName, .begins, "[in]"), .input),
        (Clue(.portName, .contains, "output"), .output),
        (Clue(.portName, .contains, "input"), .input),
        (Clue(.mediaClass, .begins, "audio/sink"), .output),
        (Clue(.mediaClass, .begins, "audio/source"), .input),
        (Clue(.nodeName, .contains, "output."), .output),
        (Clue(.nodeName, .contains, "input."), .input),
    ]

    package static let types: [Line] = [
        Line(.airPlay, .output, nil, .airPlay),

        // Bluetooth. The port's name says whether the port is for calls, or else the profile. Some music profiles have
        // a microphone, too. R61 has no type for music that another machine sends.
        Line(.bluetooth, nil, Clue(.portName, .contains, "-hf-"), .bluetoothHFP),
        Line(.bluetooth, nil, Clue(.bluetoothProfile, .begins, "headset"), .bluetoothHFP),
        Line(.bluetooth, nil, Clue(.bluetoothProfile, .begins, "handsfree"), .bluetoothHFP),
        Line(.bluetooth, .input, Clue(.bluetoothProfile, .begins, "a2dp-source"), .unknown),
        Line(.bluetooth, .input, Clue(.profileName, .begins, "a2dp_source"), .unknown),
        Line(.bluetooth, .output, Clue(.bluetoothProfile, .begins, ""), .bluetoothA2DP),
        Line(.bluetooth, nil, Clue(.profileName, .begins, "headset"), .bluetoothHFP),
        Line(.bluetooth, nil, Clue(.profileName, .begins, "handsfree"), .bluetoothHFP),
        Line(.bluetooth, .input, nil, .bluetoothHFP),
        Line(.bluetooth, .output, nil, .bluetoothA2DP),

        // Displays on any bus.
        Line(nil, .output, Clue(.portType, .equals, "hdmi"), .hdmi),
        Line(nil, .output, Clue(.portType, .equals, "tv"), .hdmi),
        Line(nil, .output, Clue(.portName, .contains, "hdmi"), .hdmi),
        Line(nil, .output, Clue(.portName, .contains, "displayport"), .hdmi),
        Line(nil, .output, Clue(.iconName, .begins, "video-display"), .hdmi),

        // Headsets, audio interfaces, docks, webcams, and codecs that are connected by USB inside a machine.
        Line(.usb, nil, nil, .usbAudio),

        // Outputs by the port's name: the paths of alsa-card-profile, and "[Out]" followed by UCM's device.
        Line(nil, .output, Clue(.portName, .contains, "earpiece"), .builtInReceiver),
        Line(nil, .output, Clue(.portName, .contains, "handset"), .builtInReceiver),
        Line(nil, .output, Clue(.portName, .contains, "receiver"), .builtInReceiver),
        Line(nil, .output, Clue(.portName, .contains, "headphone"), .headphones),
        Line(nil, .output, Clue(.portName, .contains, "headset"), .headphones),
        Line(nil, .output, Clue(.portName, .contains, "speaker"), .builtInSpeaker),
        Line(nil, .output, Clue(.portName, .contains, "line"), .lineOut),
        Line(nil, .output, Clue(.portName, .contains, "iec958"), .lineOut),
        Line(nil, .output, Clue(.portName, .contains, "spdif"), .lineOut),
        // Outputs by the server's port type.
        Line(nil, .output, Clue(.portType, .equals, "earpiece"), .builtInReceiver),
        Line(nil, .output, Clue(.portType, .equals, "handset"), .builtInReceiver),
        Line(nil, .output, Clue(.portType, .equals, "headphones"), .headphones),
        Line(nil, .output, Clue(.portType, .equals, "headset"), .headphones),
        Line(nil, .output, Clue(.portType, .equals, "speaker"), .builtInSpeaker),
        Line(nil, .output, Clue(.portType, .equals, "line"), .lineOut),
        Line(nil, .output, Clue(.portType, .equals, "spdif"), .lineOut),
        Line(nil, .output, Clue(.portType, .equals, "aux"), .lineOut),
        // Cards whose driver reports no ports. In a laptop or phone, the output is the loudspeaker.
        Line(.builtIn, .output, Clue(.portType, .equals, "analog"), .builtInSpeaker),
        Line(.builtIn, .output, Clue(.portName, .begins, "analog-output"), .builtInSpeaker),
        Line(nil, .output, Clue(.portType, .equals, "analog"), .lineOut),
        Line(nil, .output, Clue(.portName, .begins, "analog-output"), .lineOut),

        // Inputs by the port's name.
        Line(nil, .input, Clue(.portName, .contains, "internal"), .builtInMic),
        Line(nil, .input, Clue(.portName, .contains, "digitalmic"), .builtInMic),
        Line(nil, .input, Clue(.portName, .contains, "dmic"), .builtInMic),
        Line(nil, .input, Clue(.portName, .contains, "handset"), .builtInMic),
        Line(nil, .input, Clue(.portName, .contains, "headset"), .headsetMic),
        Line(nil, .input, Clue(.portName, .contains, "headphone"), .headsetMic),
        Line(nil, .input, Clue(.portName, .contains, "line"), .lineIn),
        Line(nil, .input, Clue(.portName, .contains, "iec958"), .lineIn),
        Line(nil, .input, Clue(.portName, .contains, "analog-input-aux"), .lineIn),
        Line(nil, .input, Clue(.portName, .contains, "analog-input-video"), .lineIn),
        Line(nil, .input, Clue(.portName, .contains, "analog-input-fm"), .lineIn),
        Line(nil, .input, Clue(.portName, .contains, "tvtuner"), .lineIn),
        // Microphone jacks: front, rear, dock.
        Line(nil, .input, Clue(.portName, .contains, "front-mic"), .headsetMic),
        Line(nil, .input, Clue(.portName, .contains, "rear-mic"), .headsetMic),
        Line(nil, .input, Clue(.portName, .contains, "dock-mic"), .headsetMic),
        Line(nil, .input, Clue(.portName, .begins, "analog-input-mic"), .headsetMic),
        // UCM's Mic, Mic1 and Mic2 differ only in their comments, which are not translated.
        Line(nil, .input, Clue(.portDescription, .contains, "internal mic"), .builtInMic),
        Line(nil, .input, Clue(.portDescription, .contains, "digital mic"), .builtInMic),
        Line(nil, .input, Clue(.portDescription, .contains, "headset"), .headsetMic),
        Line(nil, .input, Clue(.portDescription, .contains, "headphone"), .headsetMic),
        Line(nil, .input, Clue(.portName, .equals, "[in] mic2"), .headsetMic),
        // Inputs by the server's port type.
        Line(nil, .input, Clue(.portType, .equals, "headset"), .headsetMic),
        Line(nil, .input, Clue(.portType, .equals, "mic"), .builtInMic),
        Line(nil, .input, Clue(.portType, .equals, "handset"), .builtInMic),
        Line(nil, .input, Clue(.portType, .equals, "earpiece"), .builtInMic),
        Line(nil, .input, Clue(.portType, .equals, "line"), .lineIn),
        Line(nil, .input, Clue(.portType, .equals, "spdif"), .lineIn),
        Line(nil, .input, Clue(.portType, .equals, "aux"), .lineIn),
        Line(nil, .input, Clue(.portType, .equals, "radio"), .lineIn),
        Line(nil, .input, Clue(.portType, .equals, "video"), .lineIn),
        Line(nil, .input, Clue(.portName, .contains, "mic"), .builtInMic),
        Line(.builtIn, .input, Clue(.portType, .equals, "analog"), .builtInMic),
        Line(.builtIn, .input, Clue(.portName, .begins, "analog-input"), .builtInMic),
        Line(nil, .input, Clue(.portType, .equals, "analog"), .lineIn),
        Line(nil, .input, Clue(.portName, .begins, "analog-input"), .lineIn),

        // Nodes without ports, by the profile's name.
        Line(nil, .output, Clue(.profileName, .contains, "hdmi"), .hdmi),
        Line(nil, .output, Clue(.profileName, .contains, "earpiece"), .builtInReceiver),
        Line(nil, .output, Clue(.profileName, .contains, "handset"), .builtInReceiver),
        Line(nil, .output, Clue(.profileName, .contains, "headphone"), .headphones),
        Line(nil, .output, Clue(.profileName, .contains, "headset"), .headphones),
        Line(nil, .output, Clue(.profileName, .contains, "speaker"), .builtInSpeaker),
        Line(nil, .output, Clue(.profileName, .contains, "iec958"), .lineOut),
        Line(nil, .input, Clue(.profileName, .contains, "headset"), .headsetMic),
        Line(nil, .input, Clue(.profileName, .contains, "mic2"), .headsetMic),
        Line(nil, .input, Clue(.profileName, .contains, "mic"), .builtInMic),
        // Nodes without ports, by their icon.
        Line(nil, .output, Clue(.iconName, .begins, "audio-headphones"), .headphones),
        Line(nil, .output, Clue(.iconName, .begins, "audio-headset"), .headphones),
        Line(.builtIn, .output, Clue(.iconName, .begins, "audio-speakers"), .builtInSpeaker),
        Line(.builtIn, .input, Clue(.iconName, .begins, "audio-input-microphone"), .builtInMic),
    ]
}
