import PolicyEngine
import PolicyRuntime

/// A machine with a loudspeaker, a jack for headphones, and a microphone that may be missing.
package struct Machine {
    package var hasHeadphones: Bool
    package var hasMicrophone: Bool
    /// Whether the speakers are in use although there are headphones.
    package var isHeardOnSpeaker: Bool

    package init(hasHeadphones: Bool = true, hasMicrophone: Bool = true, isHeardOnSpeaker: Bool = false) {
        self.hasHeadphones = hasHeadphones
        self.hasMicrophone = hasMicrophone
        self.isHeardOnSpeaker = isHeardOnSpeaker
    }

    /// What a sound server tells of it.
    package var events: [RouteEvent] {
        let usesHeadphones = hasHeadphones && !isHeardOnSpeaker
        let speaker = DevicePort(
            name: "speaker", description: "Speakers", direction: .output, type: .builtInSpeaker,
            availability: hasHeadphones ? .no : .unknown, profileDevices: [0], activeOn: usesHeadphones ? nil : 0,
            serverType: "speaker")
        let headphones = DevicePort(
            name: "headphones", description: "Headphones", direction: .output, type: .headphones,
            availability: hasHeadphones ? .yes : .no, profileDevices: [0], activeOn: usesHeadphones ? 0 : nil)
        let microphone = DevicePort(
            name: "mic", description: "Microphone", direction: .input, type: .builtInMic, profileDevices: [1],
            activeOn: 1)
        let device = RouteDevice(
            id: 10, name: "card", ports: [speaker, headphones] + (hasMicrophone ? [microphone] : []))
        let sink = RouteNode(id: 20, name: "sink", direction: .output, deviceID: 10, profileDevice: 0)
        let source = RouteNode(id: 21, name: "source", direction: .input, deviceID: 10, profileDevice: 1)
        return [
            .device(device), .node(sink), hasMicrophone ? .node(source) : .nodeGone(21),
            .defaultNode(.output, name: "sink"), .defaultNode(.input, name: hasMicrophone ? "source" : nil),
        ]
    }
}

extension Machine {
    /// What a sound server tells when all of it has gone.
    package static let gone: [RouteEvent] = [
        .nodeGone(20), .nodeGone(21), .deviceGone(10), .defaultNode(.output, name: nil),
        .defaultNode(.input, name: nil),
    ]
}

extension ServiceFixture {
    /// Tells the service what a sound server tells.
    package func use(_ events: [RouteEvent]) {
        perform { runtime, _ in
            for event in events { runtime.handle(event) }
        }
    }

    /// Tells the service what a sound server tells, in the turn of its loop after something has become so, however long the
    /// test takes to hear of that.
    package func use(_ events: [RouteEvent], once condition: @escaping @Sendable (SessionRuntime) -> Bool) {
        perform { [self] runtime, _ in
            guard condition(runtime) else { return use(events, once: condition) }
            for event in events { runtime.handle(event) }
        }
    }
}
