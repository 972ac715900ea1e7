import PolicyEngine
import Testing

/// What a session wants, and what the rules make of it with what is there.
@Suite struct RouteChoiceTests {
    // MARK: - Calls

    @Test(
        "R46 a call goes to the receiver unless a headset is connected; all else is left to the server",
        arguments: [
            ("receiver *speaker / *mic", "receiver / -"),
            ("*receiver speaker / *mic", "receiver / -"),
            ("*speaker / *mic", "- / -"),
            ("~receiver *speaker / *mic", "- / -"),
            ("receiver speaker *headphones / *mic", "- / -"),
            ("receiver *speaker headphones / *mic", "- / -"),
            ("receiver *speaker -headphones / *mic", "receiver / -"),
            ("receiver *speaker usb / *mic", "- / -"),
            ("receiver *speaker a2dp / *mic", "receiver / -"),
            ("receiver *speaker ~hfp / *mic", "- / -"),
            ("receiver *speaker hdmi line-out airplay / *mic", "receiver / -"),
            // A socket that does not tell whether anything is in it.
            ("receiver *speaker ?headphones / *mic", "receiver / -"),
            ("receiver speaker *?headphones / *mic", "- / -"),
            ("receiver *speaker ?usb / *mic", "- / -"),
            (" / ", "- / -"),
        ])
    func receiver(ports: String, choice: String) {
        #expect(Machine(ports).choice(.playAndRecord) == choice)
    }

    @Test(
        "R41 R46 the speaker override: loudspeaker and built-in microphone, whatever is connected",
        arguments: [
            ("receiver *speaker / *mic", "speaker / mic"),
            ("receiver speaker *headphones / mic *headset", "speaker / mic"),
            ("speaker *hfp / mic *hfp-in", "speaker / mic"),
            // Without a microphone of its own, as without the override.
            ("speaker *hfp / *hfp-in line-in", "speaker / line-in"),
            ("speaker *usb / *usb-in", "speaker / -"),
            // Without a loudspeaker there is nothing to override.
            ("*usb / *usb-in mic", "- / -"),
            ("~speaker *usb / *usb-in mic", "- / -"),
        ])
    func override(ports: String, choice: String) {
        #expect(Machine(ports).choice(.playAndRecord, override: .speaker) == choice)
        let mayUseBluetooth: CategoryOptions = .allowBluetoothInput
        let found = Machine(ports).choice(.playAndRecord, mayUseBluetooth, override: .speaker)
        #expect(found == (ports.contains("*hfp-in line-in") ? "speaker / -" : choice))
    }

    @Test("R41 only a call has an output to override", arguments: PolicyEngine.Category.allCases)
    func overrideElsewhere(category: PolicyEngine.Category) {
        guard category != .playAndRecord else { return }
        #expect(Machine("receiver *speaker headphones / *mic").choice(category, override: .speaker) == "- / -")
    }

    @Test(
        "R42 R47 default-to-speaker: the speaker instead of the receiver, only while nothing else is connected",
        arguments: [
            ("*receiver speaker / *mic", "speaker / -"),
            ("*receiver speaker -headphones -hdmi / *mic", "speaker / -"),
            ("*receiver speaker ?line-out / *mic", "speaker / -"),
            ("receiver speaker *headphones / *mic", "- / -"),
            ("receiver speaker *hdmi / *mic", "- / -"),
            ("receiver *speaker usb / *mic", "- / -"),
            ("receiver *speaker hfp / *mic", "- / -"),
            // N5: nothing that the session may be sent to.
            ("receiver speaker *airplay / *mic", "speaker / -"),
            // Where the call does not go to a receiver there is nothing to prefer the speaker to.
            ("speaker *virtual / *mic", "- / -"),
        ])
    func defaultToSpeaker(ports: String, choice: String) {
        #expect(Machine(ports).choice(.playAndRecord, .defaultToSpeaker) == choice)
    }

    @Test(
        "N5 a call is not sent to Bluetooth as for music, nor to AirPlay, unless it may be, or nothing else is sure",
        arguments: [
            ("speaker *a2dp / *mic", "speaker / -"),
            ("speaker *airplay / *mic", "speaker / -"),
            ("receiver speaker *a2dp / *mic", "receiver / -"),
            ("receiver speaker *airplay / *mic", "receiver / -"),
            ("speaker usb *a2dp / *mic", "usb / -"),
            ("speaker headphones usb *airplay / *mic", "headphones / -"),
            ("line-out *a2dp / *mic", "line-out / -"),
            // It is among what there is, but not in use.
            ("*speaker a2dp airplay / *mic", "- / -"),
            // What may be nothing but a socket, has no node, has no loudspeaker, or is barred itself.
            ("?headphones ?line-out *a2dp / *mic", "- / -"),
            ("~speaker ~usb *a2dp / *mic", "- / -"),
            ("hdmi virtual *a2dp / *mic", "- / -"),
            ("a2dp *airplay / *mic", "- / -"),
            ("hfp *airplay / *mic", "- / -"),
            ("*a2dp / *mic", "- / -"),
            ("*airplay / ", "- / -"),
            // One of several that sound together.
            ("*speaker *airplay / *mic", "- / -"),
        ])
    func barred(ports: String, choice: String) {
        let machine = Machine(ports)
        #expect(machine.choice(.playAndRecord) == choice)
        let both: CategoryOptions = [.allowBluetoothA2DP, .allowAirPlay]
        // R46: a loudspeaker elsewhere keeps no call from the receiver.
        let isAtReceiver = ports == "receiver speaker *airplay / *mic"
        #expect(machine.choice(.playAndRecord, both) == (isAtReceiver ? choice : "- / -"))
        // Each allows only what it says.
        let other: CategoryOptions = ports.contains("*airplay") ? .allowBluetoothA2DP : .allowAirPlay
        if !ports.contains("a2dp *airplay") { #expect(machine.choice(.playAndRecord, other) == choice) }
        // What is asked for by name is asked for.
        let barred = ports.contains("*airplay") ? "airplay" : "a2dp"
        #expect(machine.choice(.playAndRecord, preferredOutput: barred).hasPrefix("\(barred) /"))
        for category in PolicyEngine.Category.allCases where category != .playAndRecord {
            #expect(machine.choice(category) == "- / -")
        }
    }

    @Test(
        "N5 R43 R48 a headset that the session may use for calls keeps the call, whatever it plays as now",
        arguments: [
            ("speaker *a2dp / *mic ~hfp-in", "- / -"),
            ("speaker *a2dp ~hfp / *mic", "- / -"),
            ("receiver speaker *a2dp ~hfp / *mic", "- / -"),
            ("speaker *a2dp / *mic", "speaker / -"),
            ("speaker hfp *airplay / *mic", "hfp / -"),
        ])
    func headset(ports: String, choice: String) {
        #expect(Machine(ports).choice(.playAndRecord, .allowBluetoothInput) == choice)
        #expect(!Machine(ports).choice(.playAndRecord).hasPrefix("-"))
    }

    @Test("N5 R42 what prefers the speaker is not sent to the receiver instead")
    func barredToSpeaker() {
        let machine = Machine("receiver speaker hdmi *airplay / *mic")
        #expect(machine.choice(.playAndRecord, .defaultToSpeaker) == "speaker / -")
        #expect(machine.choice(.playAndRecord) == "receiver / -")
    }

    // MARK: - Cameras

    @Test(
        "R52 a video recording takes the microphone of a camera, if it has none of its own choice",
        arguments: [
            ("*speaker / *mic camera", "- / camera"),
            ("*speaker / *usb-in mic camera", "- / camera"),
            ("*speaker / mic *camera", "- / -"),
            ("*speaker / *mic ~camera", "- / -"),
            ("*speaker / *mic usb-in", "- / -"),
            ("*speaker / *hfp-in mic camera", "- / camera"),
        ])
    func camera(ports: String, choice: String) throws {
        let machine = Machine(ports)
        for category in [PolicyEngine.Category.record, .playAndRecord] {
            var configuration = SessionConfiguration()
            try configuration.set(category, [], .videoRecording, whileActive: false)
            #expect(machine.choice(for: RouteRequirements(configuration)) == choice)
            #expect(machine.choice(for: RouteRequirements(configuration, preferredInput: "mic")) == "- / mic")
            try configuration.set(category, [], .default, whileActive: false)
            #expect(!machine.choice(for: RouteRequirements(configuration)).hasSuffix("camera"))
        }
        // R55: it does not fit.
        var configuration = SessionConfiguration()
        try configuration.set(.playback, [], .videoRecording, whileActive: false)
        #expect(machine.choice(for: RouteRequirements(configuration)) == "- / -")
    }

    // MARK: - Bluetooth

    @Test(
        "R43 without allow-bluetooth-input no Bluetooth microphone: the best of the others, if there is any",
        arguments: [PolicyEngine.Category.record, .playAndRecord],
        [
            ("*speaker / *hfp-in mic", "- / mic"),
            ("*speaker / mic *hfp-in headset usb-in line-in", "- / headset"),
            ("*speaker / *hfp-in line-in usb-in", "- / usb-in"),
            ("*speaker / *hfp-in line-in", "- / line-in"),
            // A socket that may be empty comes after all that is there.
            ("*speaker / *hfp-in ?headset line-in", "- / line-in"),
            ("*speaker / *hfp-in ?headset", "- / headset"),
            ("*speaker / *hfp-in ~mic", "- / -"),
            ("*speaker / *hfp-in virtual", "- / -"),
            ("*speaker / *mic hfp-in", "- / -"),
        ])
    func withoutBluetooth(category: PolicyEngine.Category, row: (ports: String, choice: String)) {
        #expect(Machine(row.ports).choice(category) == row.choice)
        #expect(Machine(row.ports).choice(category, .allowBluetoothInput) == "- / -")
        #expect(Machine(row.ports).choice(category, preferredInput: "hfp-in") == row.choice)
    }

    @Test(
        "R48 a Bluetooth microphone that is used pulls the output to the same device",
        arguments: [
            ("receiver *speaker a2dp hfp / *hfp-in mic", nil, "hfp / -"),
            ("receiver *speaker hfp / *mic hfp-in", "hfp-in", "hfp / hfp-in"),
            ("*speaker a2dp / *hfp-in mic", nil, "a2dp / -"),
            ("*speaker ~hfp / *hfp-in mic", nil, "- / -"),
            ("*speaker hfp / *mic hfp-in", nil, "- / -"),
            ("*speaker hfp / mic *hfp-in", "mic", "- / mic"),
            ("*speaker usb / *hfp-in", nil, "- / -"),
        ])
    func pull(ports: String, preferredInput: String?, choice: String) {
        let machine = Machine(ports)
        #expect(machine.choice(.playAndRecord, .allowBluetoothInput, preferredInput: preferredInput) == choice)
        #expect(!machine.choice(.playAndRecord, preferredInput: preferredInput).hasPrefix("hfp"))
        #expect(machine.choice(.record, .allowBluetoothInput, preferredInput: preferredInput).hasPrefix("- /"))
    }

    @Test("R48 R66 an output that is preferred is not pulled away, nor one that is overridden")
    func notPulled() {
        let machine = Machine("*speaker usb hfp / *hfp-in mic")
        let options: CategoryOptions = .allowBluetoothInput
        #expect(machine.choice(.playAndRecord, options, preferredOutput: "usb") == "usb / -")
        #expect(machine.choice(.playAndRecord, options, override: .speaker) == "speaker / mic")
    }

    @Test("R43 R51 a voice chat may use a Bluetooth microphone without asking for it")
    func voiceChat() throws {
        var configuration = SessionConfiguration()
        try configuration.set(.playAndRecord, [], .voiceChat, whileActive: false)
        let wish = RouteRequirements(configuration)
        #expect(wish.options.contains(.allowBluetoothInput) && wish.category == .playAndRecord)
        #expect(Machine("receiver *speaker hfp / *hfp-in mic").choice(for: wish) == "hfp / -")
    }

    // MARK: - Preferences

    @Test(
        "R66 what is preferred wins over the default if it is listed, and loses against the override",
        arguments: [
            ("receiver *speaker usb / *mic usb-in", "usb / usb-in"),
            ("receiver *speaker -usb / *mic -usb-in", "receiver / -"),
            // In a profile that is not in use: not to be chosen, but a headset that is connected all the same (R46).
            ("receiver *speaker ~usb / *mic ~usb-in", "- / -"),
            ("receiver *speaker / *mic", "receiver / -"),
            ("receiver *speaker headphones usb hfp / *mic usb-in", "usb / usb-in"),
        ])
    func preferences(ports: String, choice: String) {
        let machine = Machine(ports)
        #expect(machine.choice(.playAndRecord, preferredOutput: "usb", preferredInput: "usb-in") == choice)
        #expect(
            machine.choice(.playAndRecord, override: .speaker, preferredOutput: "usb", preferredInput: "usb-in")
                == "speaker / mic")
    }

    @Test("R15 R16 R17 R18 R19 R20 R66 only what plays chooses outputs, only what records inputs")
    func directions() {
        let machine = Machine("*speaker usb / *mic usb-in")
        for category in PolicyEngine.Category.allCases {
            let plays = category != .record && category != .audioProcessing
            let records = category == .record || category == .playAndRecord
            #expect(
                machine.choice(category, preferredOutput: "usb", preferredInput: "usb-in")
                    == "\(plays ? "usb" : "-") / \(records ? "usb-in" : "-")")
        }
    }

    @Test(
        "R64 R66 a port of the sink that everybody is heard on is for calls; for others it is whichever port is used",
        arguments: PolicyEngine.Category.allCases)
    func sharedPort(category: PolicyEngine.Category) {
        guard category.playsSound else { return }
        let isCall = category == .playAndRecord
        let headphones = Machine("speaker *headphones line-out usb / *mic")
        for port in ["speaker", "headphones", "line-out"] {
            #expect(headphones.choice(category, preferredOutput: port) == "\(isCall ? port : "sink.card") / -")
        }
        // Nobody is sent to another one by default.
        #expect(Machine("speaker *usb / *mic").choice(category, preferredOutput: "speaker") == "speaker / -")
        // Pulled out a moment ago: it may be the default still.
        let pulled = Machine("speaker -headphones usb / *mic")
        #expect(pulled.choice(category, preferredOutput: "speaker") == "\(isCall ? "speaker" : "sink.card") / -")
    }

    @Test("R66 a node's name stands for whichever port it is used with")
    func nodeNames() throws {
        let machine = Machine("receiver *speaker headphones usb / *mic")
        #expect(machine.choice(.playback, preferredOutput: "sink.usb") == "sink.usb / -")
        #expect(machine.choice(.playback, preferredOutput: "sink.card") == "sink.card / -")
        #expect(machine.choice(.playback, preferredOutput: "") == "- / -")
        #expect(machine.choice(.playback, preferredOutput: "sink") == "- / -")
        let wish = RouteRequirements(category: .playback, preferredOutput: "sink.card")
        let output = try #require(machine.made(wish).output)
        #expect(output.type == .builtInSpeaker && output.nodeID == 1)
    }
}

/// What there is, as words: outputs, a slash, inputs.
private struct Machine {
    private var inputs: [RoutePort] = []
    private var outputs: [RoutePort] = []
    private var present = Route()

    private static let types: [String: PortType] = [
        "receiver": .builtInReceiver, "speaker": .builtInSpeaker, "headphones": .headphones, "line-out": .lineOut,
        "usb": .usbAudio, "a2dp": .bluetoothA2DP, "hfp": .bluetoothHFP, "hdmi": .hdmi, "airplay": .airPlay,
        "mic": .builtInMic, "headset": .headsetMic, "line-in": .lineIn, "usb-in": .usbAudio, "hfp-in": .bluetoothHFP,
        "camera": .usbAudio,
    ]

    /// Before a port: `*` in use by default, `-` plugged out and not listed, `?` not telling, `~` without a node.
    init(_ text: String) {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        for (direction, side) in zip([PortDirection.output, .input], sides) {
            for word in side.split(separator: " ") {
                let mark = String(word.prefix { !$0.isLetter })
                let id = String(word.dropFirst(mark.count))
                let port = Self.port(id, mark, direction)
                if mark.contains("*") {
                    if direction == .output { present.outputs.append(port) } else { present.inputs.append(port) }
                }
                guard !mark.contains("-") else { continue }
                if direction == .output { outputs.append(port) } else { inputs.append(port) }
            }
        }
    }

    private static func port(_ id: String, _ mark: String, _ direction: PortDirection) -> RoutePort {
        let type = types[id] ?? .unknown
        let device =
            switch type {
            case _ where id == "camera": "camera"
            case .usbAudio: "usb"
            case .bluetoothA2DP, .bluetoothHFP: "bluetooth"
            case .unknown, .airPlay: id
            default: "card"
            }
        let number: [String: UInt32] = ["card": 1, "usb": 3, "bluetooth": 5, "camera": 9]
        let hasNode = !mark.contains("~")
        return RoutePort(
            type: type, name: id, id: id,
            nodeName: hasNode ? (direction == .output ? "sink." : "source.") + device : "",
            nodeID: hasNode ? (number[device] ?? 7) + (direction == .output ? 0 : 1) : nil,
            deviceName: device == id ? nil : device, deviceID: number[device].map { $0 * 10 },
            availability: type.isBuiltIn || mark.contains("?") ? .unknown : .yes, isAtCamera: id == "camera")
    }

    func made(_ wish: RouteRequirements) -> RouteChoice {
        RouteChoice(for: wish, inputs: inputs, outputs: outputs, present: present)
    }

    func choice(for wish: RouteRequirements) -> String {
        let choice = made(wish)
        return "\(choice.output?.id ?? "-") / \(choice.input?.id ?? "-")"
    }

    func choice(
        _ category: PolicyEngine.Category, _ options: CategoryOptions = [],
        override: OutputOverride = .none, preferredOutput: String? = nil,
        preferredInput: String? = nil
    ) -> String {
        choice(
            for: RouteRequirements(
                category: category, options: options, outputOverride: override,
                preferredOutput: preferredOutput, preferredInput: preferredInput))
    }
}
