import Foundation
import PolicyRuntime
import TestKit
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
            "recordsWithoutInput", only: .pipeWire,
            because: "the module leaves a PulseAudio recording of what another program plays alone"),
        Difference(
            "propertiesChangeDuringCall", only: .pulseAudio,
            because: "the odd client that follows requests is one of PulseAudio, as its clients are asked"),
        Difference("wrongArguments", only: .pulseAudio, because: "these are the module's arguments in PulseAudio"),
        Difference(
            "stockModulesMakeWay", only: .pulseAudio, because: "PipeWire's daemon has no modules of this purpose"),
        Difference("stockModulesStay", only: .pulseAudio, because: "PipeWire's daemon has no modules of this purpose"),
    ]
}

/// What `Tests/run` leaves to `Tests/run --all`, where every test runs on each server that can show it.
enum Selection {
    /// Whether this run is of everything.
    static let isAll = ProcessInfo.processInfo.environment["AUDIO_SESSION_ALL"] != nil

    /// Tests that wear the machine out, or that only a quiet machine can pass.
    static let onlyAll: Set<String> = [
        "loadsAndUnloads", "manyStreams", "flood", "glidesAtShortQuanta", "stories",
    ]

    /// Tests of code that is the same in both servers: the service on the bus, the command line, policy files, what the
    /// desktop says. `Tests/run` shows each on one of them.
    static let once: [ServerKind: Set<String>] = [
        .pipeWire: [
            "commandsTell", "commandPauses", "commandTags", "screenLock", "shellCalls", "modemCalls", "strangers",
            "busRestart",
            "libraryPlayer", "libraryPlayerInC", "mpvPauses", "lyingPlayer", "playersAreLetGo", "ruleByProperties",
            "slowDisk", "scriptInterrupts", "sessionsOfOneApplication", "sessionTakenOver", "sessionAsks",
            "policyChangesUnderSession", "sessionDelayed", "interruptionPreferred",
        ],
        .pulseAudio: [
            "commandMonitors", "commandsNameLostOutput", "commandInterrupts", "sleepAndWake", "goneIsTold", "switches",
            "nonsense", "libraryRecorder", "libraryAfterRestart", "vlcPauses", "pausedByUser", "refusedClaim",
            "pairInLayers", "editsDuringCall", "policyComesAndGoes", "unknownInterruption", "sessionWords",
            "sessionSpeaks", "sessionAvoidsAlerts", "claimedInterruption", "refusedDuringCall", "sessionEnds", "freed",
            "routeDisconnectedTold", "streamsComeAndGo",
        ],
    ]

    /// Why a test does not run in this run, if it does not.
    static func reason(not test: String) -> String? {
        if isAll { return nil }
        if onlyAll.contains(test) { return "only with Tests/run --all" }
        let other = once.first { $0.key != ServerKind.underTest && $0.value.contains(test) }
        return other.map { "the same on both servers: shown on \($0.key)" }
    }
}

/// A scenario with a card, which runs with PipeWire a second time, with the card of the session manager
/// (``CardOwner/manager``). All others are the same there.
enum CardScenario {
    /// The tests, by the names of their functions; ``LiveDesktop/card(_:buffer:lies:)`` compares.
    static let withCard: Set<String> = [
        "phonePlayerInC",
        "callInEarpiece", "callInHeadset", "callWithBluetooth", "plugsStopRecordings", "mutes", "untaggedRecordings",
        "plugsLeaveRecordings", "routeIsTold", "filterIsDefault", "filterChain", "combinedSink", "userMoves",
        "linkedTwice", "roleHasPlace", "zonesApart", "goneIsTold", "glidesOnCard", "musicStartsDuringCall",
        "availableInputs", "profileIsOff", "routeReasons", "wakesWithoutInput", "preferredOutput", "otherProfileChosen",
        "unknownPort", "lyingCard", "managerDies", "loadedLate", "effectsBetween", "headsetGoes", "headsetStaysAway",
        "headphonesPulled", "routeDisconnectedTold", "interruptionPreferred", "answersLate", "losesOutputInCall",
        "starved", "diesWhileAway",
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
        if let reason = Selection.reason(not: name) {
            let trait: ConditionTrait = .disabled(if: true, "\(reason)")
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
