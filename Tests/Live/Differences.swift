import Foundation
import SessionService
import SessionTestKit
import Testing

/// A scenario that only one server can show, and why: all that is not in this list runs on each of them.
///
/// The list stands here rather than at the tests, so that it can be read as a whole, and so that no test is left out
/// without a reason.
struct Difference: Sendable {
    /// The test, by the name of its function.
    let test: String
    /// The server that it runs on.
    let server: ServerKind
    /// Why not on the other one.
    let reason: String

    private init(_ test: String, only server: ServerKind, because reason: String) {
        self.test = test
        self.server = server
        self.reason = reason
    }

    /// The list.
    static let all: [Difference] = [
        Difference(
            "stepsBack", only: .pipeWire,
            because: "WirePlumber is PipeWire's; what is in the way on PulseAudio is another module"),
        Difference(
            "stepsBackFromLoopbacks", only: .pipeWire,
            because: "WirePlumber is PipeWire's; what is in the way on PulseAudio is another module"),
        Difference(
            "glidesOnCard", only: .pulseAudio,
            because: "this card is another program, and so its sound is mixed there"),
        Difference(
            "wayIsUnchanged", only: .pipeWire,
            because: "a stream of PulseAudio has no port of its own at which it could be recorded beside its sink"),
        Difference("linkedTwice", only: .pipeWire, because: "a stream of PulseAudio plays into one sink"),
        Difference(
            "recordedMusicGlides", only: .pipeWire,
            because: "a stream of PulseAudio has no port of its own at which it could be recorded beside its sink"),
        Difference("glidesAtShortQuanta", only: .pipeWire, because: "PulseAudio has no quantum"),
        Difference(
            "gainFollowsMove", only: .pipeWire, because: "gains glide in the mixers of PipeWire's sinks only"),
        Difference(
            "managerDies", only: .pipeWire,
            because: "PulseAudio has no session manager beside the daemon; its own end is the test serverRestart"),
        Difference(
            "loadedLate", only: .pipeWire,
            because: "PulseAudio loads it at run time with pactl, as in the test loadsAndUnloads"),
        Difference(
            "lyingCard", only: .pipeWire,
            because: "what a card says of itself comes from another process on PipeWire only"),
        Difference(
            "wishedBufferDuration", only: .pipeWire,
            because: ServerLimit.preferredBufferDuration.reason),
        Difference(
            "wishedSampleRate", only: .pipeWire,
            because: ServerLimit.preferredSampleRate.reason),
        Difference(
            "filterChain", only: .pipeWire,
            because: "filter chains are PipeWire's; PulseAudio's filters are the test filterIsDefault"),
        Difference(
            "managersPauseMakesWay", only: .pipeWire,
            because: "WirePlumber is PipeWire's; what is in the way on PulseAudio is another module"),
        Difference(
            "managersPauseStays", only: .pipeWire,
            because: "WirePlumber is PipeWire's; what is in the way on PulseAudio is another module"),
        Difference(
            "headroomPlayedOut", only: .pipeWire, because: "the headroom is a setting of PipeWire's session manager"),
        Difference(
            "managerHasCard", only: .pipeWire, because: "PulseAudio has no session manager beside the daemon"),
        Difference("bufferPlayedOut", only: .pipeWire, because: ServerLimit.cardBuffer.reason),
        Difference(
            "muteInsteadOfPause", only: .pipeWire,
            because: "a stream of PulseAudio cannot say that it is not to be paused"),
        Difference(
            "cardIsLate", only: .pulseAudio,
            because: "the session manager of PipeWire chooses the speaker, and waits for us"),
        Difference(
            "streamsComeAndGo", only: .pulseAudio,
            because: "vanishing is the same test of PipeWire, manyStreams that of both"),
        Difference("loadsAndUnloads", only: .pulseAudio, because: ServerLimit.loadAtRunTime.reason),
        Difference("diesInPhase", only: .pulseAudio, because: "its phases are those of a client of PulseAudio"),
        Difference("streamEvents", only: .pulseAudio, because: ServerLimit.streamEvents.reason),
        Difference("messages", only: .pulseAudio, because: "PipeWire has no messages; D-Bus has the same answers"),
        Difference(
            "startIsToldLate", only: .pulseAudio,
            because: "PipeWire's daemon plays nothing that its main loop has not started"),
        Difference(
            "passthroughIsStopped", only: .pulseAudio,
            because: "PipeWire's clients hand sound on as it is only to a device that can take it, and there is none"),
        Difference(
            "recorderMoves", only: .pulseAudio,
            because: "what a recorder of PipeWire records is its own choice, and its streams of monitors say so"),
        Difference(
            "doesNotGoOn", only: .pulseAudio,
            because: "PipeWire's clients are not asked to go on: they never stopped by themselves"),
        Difference(
            "answersCallLate", only: .pulseAudio,
            because: "PipeWire's clients are not asked to stop, so they answer nothing"),
        Difference(
            "recorderLeavesDuringCall", only: .pulseAudio,
            because: "what a recorder of PipeWire records is its own choice, and its streams of monitors say so"),
        Difference(
            "propertiesChangeDuringCall", only: .pulseAudio,
            because: "the odd client that follows requests is one of PulseAudio, as its clients are asked"),
        Difference("wrongArguments", only: .pulseAudio, because: "these are the module's arguments in PulseAudio"),
        Difference(
            "stockModulesMakeWay", only: .pulseAudio, because: "PipeWire's daemon has no modules of this purpose"),
        Difference("stockModulesStay", only: .pulseAudio, because: "PipeWire's daemon has no modules of this purpose"),
    ]
}

/// A scenario that shows the same on every release of a server, because all of it is this project's own code: the service on
/// the bus, the command line, policy files, what the desktop says. It runs on one release of each server, and on those of a
/// generation that the list does not name.
///
/// `Tests/run` names the generation in `AUDIO_SESSION_GENERATION`; without that, everything runs.
struct Neutral: Sendable {
    /// The test, by the name of its function.
    let test: String
    /// The servers with which it runs: `here` are this machine's, the others are those of `Tests/Server/inside`.
    let generation: String

    private static func tests(_ generation: String, _ names: String...) -> [Neutral] {
        names.map { Neutral(test: $0, generation: generation) }
    }

    /// The list. Each generation takes about as long.
    static let all =
        tests(
            "here", "nonsense", "editsDuringCall", "busRestart", "lyingPlayer", "commandsTell", "commandMonitors",
            "screenLock", "ruleByProperties", "modemCalls", "libraryAfterRestart")
        + tests(
            "debian13", "flood", "slowDisk", "policyComesAndGoes", "pairInLayers", "pausedByUser", "switches",
            "strangers", "refusedClaim", "sleepAndWake", "commandPauses", "commandInterrupts", "wrongPolicy",
            "libraryPlayerInC")

    /// The generation under test; `nil` when nobody has said which one.
    static let generationUnderTest: String? = {
        let said = ProcessInfo.processInfo.environment["AUDIO_SESSION_GENERATION"] ?? ""
        return said.isEmpty ? nil : said
    }()
}

/// A scenario with a card, which runs with PipeWire a second time, with the card of the session manager
/// (``CardOwner/manager``). All others are the same there.
enum CardScenario {
    /// The tests, by the names of their functions; ``LiveDesktop/card(_:buffer:lies:)`` compares.
    static let withCard: Set<String> = [
        "callInEarpiece", "callInHeadset", "callWithBluetooth", "plugsStopRecordings", "mutes", "untaggedRecordings",
        "plugsLeaveRecordings", "routeIsTold", "filterIsDefault", "filterChain", "combinedSink", "userMoves",
        "linkedTwice", "roleHasPlace", "zonesApart", "goneIsTold", "glidesOnCard",
        "availableInputs", "profileIsOff", "routeReasons", "wakesWithoutInput", "preferredOutput", "otherProfileChosen",
        "unknownPort", "lyingCard", "managerDies", "loadedLate", "effectsBetween", "headsetGoes", "headsetStaysAway",
        "headphonesPulled", "routeDisconnectedTold", "interruptionPreferred", "answersLate", "losesOutputInCall",
        "cardIsLate", "bufferPlayedOut", "headroomPlayedOut", "managerHasCard", "profilesPulled", "profileChosen",
        "twoDevices", "flapping", "vanishesInSwitch", "latencies", "volumePerRoute", "commandsNameLostOutput",
        "playerLosesItsOutput", "managersPauseMakesWay", "managersPauseStays", "stories",
    ]

    /// Those that need a card of a certain owner, and why.
    static let reasons: [String: (owner: CardOwner, reason: String)] = [
        "latencies": (.program, "the latency of a source is its node's to say, which the daemon has there"),
        "headroomPlayedOut": (.manager, "the headroom is the session manager's to set, for cards of its own"),
        "managerHasCard": (.manager, "it is about that"),
    ]

    /// Why a test does not run in this run, if it does not.
    static func reason(not test: String) -> String? {
        guard ServerKind.underTest == .pipeWire else { return nil }
        if CardOwner.underTest == .manager, !withCard.contains(test) {
            return "the same whoever has the card, because there is none"
        }
        guard let (owner, reason) = reasons[test], owner != CardOwner.underTest else { return nil }
        return "only with a card of \(owner == .manager ? "the session manager" : "a program of its own"): \(reason)"
    }
}

/// Leaves out what the server under test cannot show, or what another generation shows, and says why.
struct DifferencesTrait: SuiteTrait, TestTrait {
    var isRecursive: Bool { true }

    func prepare(for test: Test) async throws {
        guard !test.isSuite else { return }
        // Of `name(argument:)`, the name.
        let name = String(test.name.prefix { $0 != "(" })
        if let reason = CardScenario.reason(not: name) {
            let trait: ConditionTrait = .disabled(if: true, "\(reason)")
            try await trait.prepare(for: test)
        }
        if let neutral = Neutral.all.first(where: { $0.test == name }), let here = Neutral.generationUnderTest {
            let isNamed = Neutral.all.contains { $0.generation == here }
            let trait: ConditionTrait = .disabled(
                if: isNamed && neutral.generation != here, "the same on every release: shown on another one")
            try await trait.prepare(for: test)
        }
        guard let difference = Difference.all.first(where: { $0.test == name }) else { return }
        let isOther = difference.server != ServerKind.underTest
        let trait: ConditionTrait = .disabled(if: isOther, "only on \(difference.server): \(difference.reason)")
        try await trait.prepare(for: test)
    }
}

extension Trait where Self == DifferencesTrait {
    /// Leaves out what the server under test cannot show.
    static var differences: Self { DifferencesTrait() }
}
