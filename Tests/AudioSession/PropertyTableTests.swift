import Foundation
import PolicyRuntime
import ServiceFixture
import TestKit
import Testing

@testable import AudioSession

/// Every property of the phone's interface for C, in Swift: read, set and listened to, with the service, without it, and
/// when the session is closed. What can be done with each stands in `Sources/CAudioSession/properties.def`.
@Suite(.timeLimit(.minutes(10))) struct PropertyTableTests {
    /// A property's counterpart in Swift.
    private struct Row: Sendable {
        var characters: String
        var name: String
        var read: (@Sendable (AudioSession) throws -> Any?)?
        var set: (@Sendable (AudioSession) throws -> Void)?
        /// A value or state that is wrong, and the error.
        var wrong: (code: AudioSessionError.Code, set: @Sendable (AudioSession) throws -> Void)?
        /// Listens from now on, and says whether an event came before the session ended or the task was cancelled.
        var events: (@Sendable (AudioSession) -> Task<Bool, Never>)?
        /// Why Swift has less than C, or more.
        var difference: String?
    }

    private static func hears<Events: AsyncSequence & Sendable>(_ events: Events) -> Task<Bool, Never>
    where Events.Failure == Never {
        let iterator = events.makeAsyncIterator()
        return Task {
            var iterator = iterator
            return await iterator.next(isolation: nil) != nil
        }
    }

    private static func option(
        _ characters: String, _ option: AudioSession.CategoryOptions, _ name: String,
        notWith category: AudioSession.Category
    ) -> Row {
        Row(
            characters: characters, name: name, read: { $0.categoryOptions },
            set: { try $0.setCategory(.playAndRecord, options: option) },
            wrong: (.incompatibleCategory, { try $0.setCategory(category, options: option) }))
    }

    private static let rows: [Row] = [
        Row(
            characters: "hwsr", name: "preferredSampleRate", read: { $0.preferredSampleRate },
            set: { try $0.setPreferredSampleRate(44100) },
            wrong: (.unsupportedProperty, { try $0.setPreferredSampleRate(0.5) })),
        Row(
            characters: "iobd", name: "preferredIOBufferDuration", read: { $0.preferredIOBufferDuration },
            set: { try $0.setPreferredIOBufferDuration(0.005) },
            wrong: (.unsupportedProperty, { try $0.setPreferredIOBufferDuration(-1) })),
        Row(
            characters: "acat", name: "category", read: { $0.category }, set: { try $0.setCategory(.playAndRecord) },
            difference: "no other value can be written"),
        Row(characters: "roch", name: "routeChanges", events: { hears($0.routeChanges) }),
        Row(
            characters: "chsr", name: "sampleRate", read: { try $0.sampleRate }, events: { hears($0.sampleRateChanges) }
        ),
        Row(
            characters: "chic", name: "inputNumberOfChannels", read: { try $0.inputNumberOfChannels },
            events: { hears($0.inputNumberOfChannelsChanges) }),
        Row(
            characters: "choc", name: "outputNumberOfChannels", read: { try $0.outputNumberOfChannels },
            events: { hears($0.outputNumberOfChannelsChanges) }),
        Row(
            characters: "chov", name: "outputVolume", read: { try $0.outputVolume },
            events: { hears($0.outputVolumeChanges) }),
        Row(characters: "cilt", name: "inputLatency", read: { try $0.inputLatency }),
        Row(characters: "colt", name: "outputLatency", read: { try $0.outputLatency }),
        Row(
            characters: "chbd", name: "ioBufferDuration", read: { try $0.ioBufferDuration },
            events: { hears($0.ioBufferDurationChanges) }),
        Row(characters: "othr", name: "isOtherAudioPlaying", read: { try $0.isOtherAudioPlaying }),
        Row(
            characters: "ovrd", name: "overrideOutputAudioPort",
            set: { session in
                try session.setCategory(.playAndRecord)
                try session.overrideOutputAudioPort(.speaker)
            },
            wrong: (
                .incompatibleCategory,
                { session in
                    try session.setCategory(.playback)
                    try session.overrideOutputAudioPort(.speaker)
                }
            )),
        Row(
            characters: "aiav", name: "isInputAvailable", read: { try $0.isInputAvailable },
            events: { hears($0.availableInputsChanges) }),
        Row(characters: "died", name: "mediaServicesChanges", events: { hears($0.mediaServicesChanges) }),
        option("duck", .duckOthers, "duckOthers", notWith: .record),
        option("cmix", .mixWithOthers, "mixWithOthers", notWith: .record),
        option("cspk", .defaultToSpeaker, "defaultToSpeaker", notWith: .playback),
        option("cblu", .allowBluetooth, "allowBluetooth", notWith: .playback),
        Row(
            characters: "type", name: "Interruption.ended(_:)",
            difference: "comes with the interruption, and cannot be asked for"),
        Row(
            characters: "mode", name: "mode", read: { $0.mode },
            set: { session in
                try session.setCategory(.playAndRecord)
                try session.setMode(.voiceChat)
            },
            wrong: (
                .unsupportedProperty,
                { session in
                    // It mixes.
                    try session.setCategory(.ambient)
                    try session.setMode(.measurement)
                }
            )),
        Row(
            characters: "srcs", name: "availableInputs", read: { try $0.availableInputs },
            events: { hears($0.availableInputsChanges) }),
        Row(
            characters: "dsts", name: "availableOutputs", read: { try $0.availableOutputs },
            events: { hears($0.availableOutputsChanges) }),
        Row(
            characters: "isrc", name: "preferredInput", read: { $0.preferredInput as Any },
            set: { try $0.setPreferredInput(try $0.availableInputs.first) },
            wrong: (.unsupportedProperty, { try $0.setPreferredInput(try $0.availableOutputs.first) })),
        Row(
            characters: "odst", name: "preferredOutput", read: { $0.preferredOutput as Any },
            set: { try $0.setPreferredOutput(try $0.availableOutputs.first) },
            wrong: (.unsupportedProperty, { try $0.setPreferredOutput(try $0.availableInputs.first) })),
        Row(
            characters: "igav", name: "isInputGainSettable", read: { try $0.isInputGainSettable },
            events: { hears($0.inputGainSettableChanges) }),
        Row(
            characters: "igsc", name: "inputGain", read: { try $0.inputGain }, set: { try $0.setInputGain(0.5) },
            wrong: (.unsupportedProperty, { try $0.setInputGain(.nan) }),
            events: { hears($0.inputGainChanges) }),
        Row(characters: "crar", name: "currentRoute", read: { try $0.currentRoute }),
        Row(
            characters: "rout", name: "currentRoute", read: { try $0.currentRoute },
            difference: "the text of the oldest interface is not there"),
        Row(
            characters: "irsn", name: "Interruption.began(reason:by:)",
            difference: "comes with the interruption, and cannot be asked for"),
        Row(
            characters: "iwho", name: "Interruption.began(reason:by:)",
            difference: "comes with the interruption, and cannot be asked for"),
        Row(
            characters: "iord", name: "prefersInterruptionOnRouteDisconnect",
            read: { $0.prefersInterruptionOnRouteDisconnect as Any },
            set: { try $0.setPrefersInterruptionOnRouteDisconnect(true) },
            difference: "no other value can be written"),
    ]

    /// What the library for C can do with each property, in its order.
    private struct Definition {
        var characters: String
        var isRead: Bool
        var isSet: Bool
        var isListened: Bool
        var isOfService: Bool

        static func all() throws -> [Definition] {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Sources/CAudioSession/properties.def")
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
                $0.hasPrefix("PROPERTY(k")
            }.map { line in
                let words = line.dropFirst("PROPERTY(".count).dropLast().split(separator: ",").map {
                    $0.trimmingCharacters(in: CharacterSet(charactersIn: " \""))
                }
                return Definition(
                    characters: words[1], isRead: words[3] == "1", isSet: words[4] == "1", isListened: words[5] == "1",
                    isOfService: words[6] == "SERVICE")
            }
        }
    }

    @Test("R67 R68 R69 R83 R84 all 32 properties, in every state of the service and the session")
    func table() async throws {
        let definitions = try Definition.all()
        #expect(definitions.count == 32)
        #expect(definitions.map(\.characters).sorted() == Self.rows.map(\.characters).sorted())
        try await withStage { stage in
            let session = try await stage.session()
            try session.setActive(false)
            stage.desk.use(Machine().events)
            try await session.wait(for: true, of: "isInputAvailable") { try session.isInputAvailable }
            try await session.wait(for: false, of: "outputs empty") { try session.availableOutputs.isEmpty }
            let absent = AudioSession(
                displayName: nil, streams: .process, bus: .custom(stage.desk.sandbox.path("run/no-bus")))
            defer { absent.close() }
            let closed = try await stage.session()
            closed.close()
            for definition in definitions {
                let row = try #require(Self.rows.first { $0.characters == definition.characters })
                if !["type", "irsn", "iwho"].contains(row.characters) {
                    #expect((row.read != nil) == definition.isRead, "\(row.name)")
                }
                #expect((row.set != nil) == definition.isSet, "\(row.name)")
                #expect((row.events != nil) == definition.isListened, "\(row.name)")
                #expect((row.set == nil) || row.wrong != nil || row.difference != nil, "\(row.name)")
                var cells: [String] = []
                func check(_ body: () throws -> Void, _ expected: AudioSessionError.Code?) {
                    let found = code(body)
                    #expect(found == expected, "\(row.name)")
                    cells.append(found.map { "\($0)" } ?? "yes")
                }
                let isKept = row.read != nil && !definition.isOfService
                if let read = row.read {
                    check({ _ = try read(session) }, nil)
                    check({ _ = try read(absent) }, isKept ? nil : .initializationTimedOut)
                    check({ _ = try read(closed) }, isKept ? nil : .notInitialized)
                }
                if let set = row.set {
                    check({ try set(session) }, nil)
                    check({ try set(absent) }, .initializationTimedOut)
                    check({ try set(closed) }, .notInitialized)
                }
                if let wrong = row.wrong { check({ try wrong.set(session) }, wrong.code) }
                let note = row.difference.map { "; \($0)" } ?? ""
                print("\(row.characters) \(row.name): \(cells.joined(separator: ", "))\(note)")
            }
            let listened = Self.rows.compactMap { row in row.events.map { (row, $0(session)) } }
            try await changeEverything(of: session, on: stage)
            // While the service is away.
            try await stage.desk.stopService()
            _ = try await waitUntil("the loss") { code { _ = try session.isActive } == nil ? nil : true }
            let deadline = Task {
                try await Task.sleep(for: .seconds(120))
                for (_, isHeard) in listened { isHeard.cancel() }
            }
            defer { deadline.cancel() }
            for (row, isHeard) in listened {
                #expect(await isHeard.value, "\(row.name)")
                print("\(row.characters) \(row.name): heard")
            }
            for definition in definitions {
                let row = try #require(Self.rows.first { $0.characters == definition.characters })
                if let read = row.read {
                    let expected: AudioSessionError.Code? = definition.isOfService ? .unspecified : nil
                    #expect(code { _ = try read(session) } == expected, "\(row.name)")
                }
                if let set = row.set { #expect(code { try set(session) } == .unspecified, "\(row.name)") }
            }
        }
    }

    /// Changes each figure that can be listened to, by what changes it on a desktop.
    private func changeEverything(of session: AudioSession, on stage: Stage) async throws {
        try session.setCategory(.playAndRecord)
        try session.setActive(true)
        // Rate and duration follow what was preferred with the first stream.
        stage.desk.play(1, process: UInt32(ProcessInfo.processInfo.processIdentifier))
        try session.setInputGain(0.25)
        try await session.wait(for: 0.25, of: "inputGain") { try session.inputGain }
        try await session.wait(for: 44100, of: "sampleRate") { try session.sampleRate }
        try await session.wait(for: 0.005, of: "ioBufferDuration") { try session.ioBufferDuration }
        stage.desk.describe(20, as: DeviceProperties(channels: 6, volume: 0.75))
        stage.desk.describe(21, as: DeviceProperties(channels: 1))
        try await session.wait(for: 1, of: "inputNumberOfChannels") { try session.inputNumberOfChannels }
        try await session.wait(for: 0.75, of: "outputVolume") { try session.outputVolume }
        stage.desk.use(Machine(hasHeadphones: false, hasMicrophone: false).events)
        try await session.wait(for: false, of: "isInputAvailable") { try session.isInputAvailable }
    }
}
