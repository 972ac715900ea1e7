import PolicyEngine
import Testing

/// What one session has of the route that not everybody has.
@Suite struct DetourTests {
    private static let speaker = RoutePort(
        type: .builtInSpeaker, name: "Speaker", id: "card/speaker", nodeName: "sink", nodeID: 1)
    private static let television = RoutePort(
        type: .hdmi, name: "Television", id: "screen/hdmi", nodeName: "screen", nodeID: 2)
    private static let microphone = RoutePort(
        type: .builtInMic, name: "Microphone", id: "card/mic", nodeName: "source", nodeID: 3)
    private static let present = Route(inputs: [microphone], outputs: [speaker])

    private func detour(
        to output: RoutePort?, _ change: (inout RouteRequirements) -> Void = { _ in }
    ) -> Detour {
        var wish = RouteRequirements(category: .playAndRecord)
        change(&wish)
        return Detour(RouteChoice(output: output), for: wish, beside: Self.present)
    }

    private func reason(_ old: Detour?, _ new: Detour?, without gone: RoutePort? = nil) -> RouteChangeReason? {
        Detour.reason(
            from: old, to: new,
            available: [Self.speaker, Self.television, Self.microphone].filter { $0.id != gone?.id })
    }

    @Test("R60 a port of a node that everybody is heard on is no detour; one of another node is, in its own direction")
    func elsewhere() {
        #expect(detour(to: Self.speaker).choice == RouteChoice())
        let other = detour(to: Self.television)
        #expect(other.choice.output == Self.television)
        let part = Self.present.part(for: .playAndRecord, taking: other)
        #expect(part == Route(inputs: [Self.microphone], outputs: [Self.television]))
        #expect(Self.present.part(for: .record, taking: other) == Route(inputs: [Self.microphone]))
        #expect(Self.present.part(for: .playback, taking: nil) == Route(outputs: [Self.speaker]))
    }

    @Test("R56 R57 why one session is heard elsewhere: what it has said last, else what has come or gone")
    func reasons() {
        let none = detour(to: nil)
        let there = detour(to: Self.television)
        #expect(reason(none, none) == nil && reason(nil, none) == nil && reason(there, there) == nil)
        // R57: it has begun or ended to be active, which is no change of its category.
        #expect(reason(nil, there) == .routeConfigurationChange && reason(there, nil) == .routeConfigurationChange)
        #expect(reason(detour(to: nil) { $0.options = .allowBluetoothInput }, there) == .routeConfigurationChange)
        #expect(
            reason(none, detour(to: Self.television) { $0.preferredOutput = "screen" }) == .routeConfigurationChange)
        #expect(reason(none, there) == .newDeviceAvailable)
        #expect(reason(there, none, without: Self.television) == .oldDeviceUnavailable)
    }
}
