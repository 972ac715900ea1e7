import PolicyEngine
import PolicyRuntime
import ServiceFixture
import TestKit
import Testing

@testable import AudioSession

/// What a session is told of the devices in its route.
@Suite(.timeLimit(.minutes(10))) struct HardwareTests {
    @Test("R58 R60 R74 volume, latencies and channels are those of the session's route, and follow it")
    func figures() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setCategory(.playback)
            stage.desk.use(Machine().events)
            stage.desk.describe(20, as: DeviceProperties(channels: 6, volume: 0.5, latency: .milliseconds(180)))
            stage.desk.describe(21, as: DeviceProperties(channels: 1, latency: .milliseconds(12)))
            try await session.wait(for: 6, of: "outputNumberOfChannels") { try session.outputNumberOfChannels }
            #expect(try session.outputVolume == 0.5 && session.outputLatency == 0.18)
            #expect(try session.maximumOutputNumberOfChannels == 6)
            try await session.wait(for: [6], of: "the port's channels") {
                try session.currentRoute.outputs.map(\.numberOfChannels)
            }
            // A session that only plays has no input.
            #expect(try session.inputNumberOfChannels == 0 && session.inputLatency == 0)
            var channels = session.outputNumberOfChannelsChanges.makeAsyncIterator()
            var volumes = session.outputVolumeChanges.makeAsyncIterator()
            for volume in [0.25, 0, 1] {
                stage.desk.describe(20, as: DeviceProperties(channels: 2, volume: volume, latency: .milliseconds(90)))
                #expect(await volumes.next() == Float(volume))
            }
            #expect(await channels.next() == 2)
            #expect(try session.outputLatency == 0.09 && session.outputNumberOfChannels == 2)
            try session.setCategory(.record)
            try await session.wait(for: 1, of: "inputNumberOfChannels") { try session.inputNumberOfChannels }
            #expect(try session.inputLatency == 0.012 && session.outputLatency == 0)
            // R68: the device's volume, whatever the category.
            #expect(try session.outputVolume == 1)
            // Nobody's node may claim to take forever.
            stage.desk.describe(21, as: DeviceProperties(channels: 1, latency: .seconds(1_000_000_000)))
            try await session.wait(for: 60, of: "inputLatency") { try session.inputLatency }
        }
    }

    @Test("R74 so many channels as there are can be wished for, and no more")
    func channels() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setCategory(.playAndRecord)
            stage.desk.use(Machine().events)
            stage.desk.describe(20, as: DeviceProperties(channels: 6))
            stage.desk.describe(21, as: DeviceProperties(channels: 2))
            try await session.wait(for: 6, of: "outputNumberOfChannels") { try session.outputNumberOfChannels }
            try session.setPreferredOutputNumberOfChannels(6)
            try session.setPreferredInputNumberOfChannels(1)
            #expect(code { try session.setPreferredOutputNumberOfChannels(7) } == .unsupportedProperty)
            #expect(code { try session.setPreferredInputNumberOfChannels(-1) } == .unsupportedProperty)
            #expect(session.preferredOutputNumberOfChannels == 6 && session.preferredInputNumberOfChannels == 1)
            #expect(try session.property("Preferences", { $0["output-channels"]?.integer }) == 6)
            try session.setPreferredOutputNumberOfChannels(0)
            #expect(session.preferredOutputNumberOfChannels == 0)
            let wishes = try session.property("Preferences", \.entries).compactMap(\.key.text)
            #expect(wishes.contains("input-channels") && !wishes.contains("output-channels"))
        }
    }

    @Test("R66 R84 a recording needs an input, or an output whose sound it can record")
    func noInput() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            // While the server starts, its inputs may still come.
            try session.setCategory(.record)
            try session.setActive(true)
            try session.setActive(false)
            try session.setCategory(.playAndRecord)
            stage.desk.use(Machine(hasMicrophone: false).events)
            try await session.wait(for: [.headphones], of: "outputs") {
                try session.currentRoute.outputs.map(\.portType)
            }
            try session.setActive(true)
            try session.setActive(false)
            try session.setCategory(.record)
            try session.setActive(true)
            try session.setActive(false)
            stage.desk.use(Machine.gone)
            try await session.wait(for: [], of: "availableOutputs") { try session.availableOutputs.map(\.portType) }
            #expect(code { try session.setActive(true) } == .noHardware)
            #expect(try !session.isActive)
            await #expect(throws: AudioSessionError.self) { try await session.activate(options: .delayed) }
            stage.desk.use(Machine().events)
            try await session.wait(for: true, of: "isInputAvailable") { try session.isInputAvailable }
            // R76: its gain can be asked for before anything records.
            try await session.wait(for: true, of: "isInputGainSettable") { try session.isInputGainSettable }
            #expect(try session.inputGain == 1)
            try session.setInputGain(0.25)
            #expect(try session.inputGain == 1)
            try session.setActive(true)
            #expect(try session.isActive)
            try await session.wait(for: 0.25, of: "inputGain") { try session.inputGain }
            try session.setActive(false)
            try await session.wait(for: 1, of: "inputGain") { try session.inputGain }
        }
    }

    @Test("R52 R66 a card's microphones of one type are data sources, and the preferred one is used")
    func dataSources() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setCategory(.record)
            stage.desk.use(Machine().events)
            try await session.wait(for: true, of: "isInputAvailable") { try session.isInputAvailable }
            #expect(try session.inputDataSources == nil && session.inputDataSource == nil)
            let ports = [("front-mic", "Front Microphone"), ("rear-mic", "Rear Microphone"), ("jack", "Headset")].map {
                DevicePort(
                    name: $0.0, description: $0.1, direction: .input,
                    type: $0.0 == "jack" ? .headsetMic : .builtInMic, availability: .yes, profileDevices: [1],
                    activeOn: $0.0 == "front-mic" ? 1 : nil)
            }
            stage.desk.use([.device(RouteDevice(id: 10, name: "card", ports: ports))])
            try await session.wait(for: ["Front Microphone", "Rear Microphone"], of: "inputDataSources") {
                try session.inputDataSources?.map(\.dataSourceName) ?? []
            }
            let sources = try #require(try session.inputDataSources)
            #expect(sources.map(\.orientation) == [.front, .back])
            #expect(sources.allSatisfy { $0.supportedPolarPatterns == nil })
            try await session.wait(for: "Front Microphone", of: "inputDataSource") {
                try session.inputDataSource?.dataSourceName
            }
            try session.setInputDataSource(sources[1])
            #expect(session.preferredInput?.portName == "Rear Microphone")
            try session.setInputDataSource(nil)
            #expect(session.preferredInput == nil)
            #expect(try session.outputDataSources == nil)
        }
    }
}
