import Foundation
import PolicyEngine
import PolicyFile
import TestKit

@testable import Commands

/// What came of a story.
struct StoryJudgement: Sendable {
    /// What was not as the story expects it, with its place.
    var failures: [String] = []
    /// What of it this server cannot show, each with the reason.
    var limits: [String] = []
    /// How many expectations were judged.
    var count = 0
}

extension StoryPlayer {
    /// What is not heard is below that, in dBFS.
    private static let silence = -85.0
    /// How much sound before an expectation's moment is measured, and with which window: long enough to tell a tone from
    /// its loud neighbours.
    private static let span = Duration.milliseconds(200)
    private static let window = Duration.milliseconds(100)

    /// Compares what was expected with what came out of the outputs, what sessions were, and what they were told.
    func judge() async throws -> StoryJudgement {
        var judgement = StoryJudgement()
        var compared: [Int: Int] = [:]
        func news(_ session: Int, _ all: [Told]) -> [Told] {
            let news = all.dropFirst(compared[session] ?? 0).filter { scenario.counts($0, to: session) }
            compared[session] = all.count
            return Array(news)
        }
        var sounds: [Sound] = []
        for capture in captures { sounds.append(try await capture.stop()) }
        for mark in marks {
            let expectation = scenario.expectations[mark.expectation]
            let moment = expectation.moment.fixed
            func fail(_ found: String, _ expected: String) {
                judgement.failures.append(
                    "\(scenario.file):\(expectation.place.line):\(expectation.place.column): error: "
                        + "found \(found) at \(moment) s, expected \(expected)")
            }
            judgement.count += 1
            switch expectation.subject {
            case .stream(let stream, let condition):
                let state = plan.simulation.outcomes[mark.expectation].state ?? LaneState()
                let name = scenario.streams[stream].name
                if scenario.streams[stream].direction == .capture {
                    guard condition != .decided(.muted) else {
                        judgement.count -= 1
                        judgement.limits.append("\(name) at \(moment) s: a muted recording grows like any other")
                        continue
                    }
                    let grows = mark.sizes.map { $0.after > $0.before } ?? false
                    if grows != condition.isHeard(state) {
                        fail("\(name) \(grows ? "records" : "does not record")", condition.text)
                    }
                } else {
                    guard let level = level(of: stream, at: mark, in: sounds) else {
                        fail("no recording in which \(name) could be heard", condition.text)
                        continue
                    }
                    let full = 20 * log10(Self.amplitude * volume(of: stream, at: expectation.moment))
                    if !condition.holds(of: level, full: full, state) {
                        fail("\(name) at \(Self.text(level, full))", condition.text)
                    }
                }
            case .session(let session, let condition):
                if !condition.holds(of: mark.state) {
                    fail(
                        "\(scenario.sessions[session].name) \(SessionCondition.text(of: mark.state))",
                        condition.rawValue)
                }
            case .told(let session, let list):
                let found = news(session, mark.told)
                if !isMet(list, by: found, of: session) {
                    fail("\(scenario.sessions[session].name) told \(Told.text(of: found))", Told.text(of: list))
                }
            }
        }
        for session in scenario.sessions.indices {
            guard let place = scenario.lastTold(of: session) else { continue }
            let rest = news(session, try told(session))
            if !rest.isEmpty {
                judgement.failures.append(
                    "\(scenario.file):\(place.line):\(place.column): error: found "
                        + "\(scenario.sessions[session].name) told \(Told.text(of: rest)) after that, "
                        + "expected another expectation of what it is told, or nothing")
            }
        }
        return judgement
    }

    /// Outputs have other names here, and the library for C tells no names.
    private func isMet(_ expected: [Told], by found: [Told], of session: Int) -> Bool {
        let ports = scenario.ports
        var hasNames = true
        if case .c = plan.interface(of: scenario.sessions[session].application.name) { hasNames = false }
        let plain = expected.map { told in
            var told = told
            if let name = told.name, !hasNames || told.kind == .began && ports.contains(name) { told.name = nil }
            return told
        }
        return scenario.isMet(plain, by: found)
    }

    private func volume(of stream: Int, at moment: Duration) -> Double {
        volumes[stream]?.last { $0.moment <= moment }?.factor ?? 1
    }

    /// How loud a stream was just before a mark, on whichever output; nil if nothing was recorded then.
    private func level(of stream: Int, at mark: Mark, in sounds: [Sound]) -> Double? {
        zip(sounds, mark.frames).compactMap { sound, frame in
            let end = min(frame, sound.frameCount)
            let start = max(0, end - Self.span.frames)
            guard end - start >= Self.window.frames else { return nil }
            return ToneEnvelope(
                of: Array(sound.left[start..<end]), frequency: Self.frequency(of: stream), window: Self.window,
                hop: .milliseconds(10)
            ).steadyLevel()
        }.max()
    }

    private static func text(_ level: Double, _ full: Double) -> String {
        level < silence ? "silence" : "\(((level - full) * 10).rounded() / 10) dB"
    }
}

extension Condition {
    /// Whether a stream that is so is heard, or a recording goes on.
    fileprivate func isHeard(_ state: LaneState) -> Bool {
        switch self {
        case .heard: true
        case .decided(.free, _), .decided(.leftAlone, _), .decided(.ducked, _): state.isWanted
        case .silent, .paused, .decided: false
        }
    }

    /// Whether a stream is so that is heard at a level, in dBFS.
    ///
    /// - Parameter full: its level when nobody lowers it.
    fileprivate func holds(of level: Double, full: Double, _ state: LaneState) -> Bool {
        let isHeard = level > -85
        switch self {
        case .heard: return isHeard
        // What its application does not want to run is free and silent.
        case .decided(.free, _), .decided(.leftAlone, _): return state.isWanted ? abs(level - full) < 1 : !isHeard
        case .decided(.ducked, nil): return isHeard && level < full - 2
        case .decided(.ducked, let gain?): return abs(level - full - gain.value) < 1
        case .silent, .paused, .decided: return !isHeard
        }
    }
}

extension Told {
    /// What an application was told of a session, from what it has written down.
    static func list(of events: [[JSONValue]]) -> [Told] {
        var isActive = false
        return events.compactMap { event in
            guard event.count == 3, let name = event[1].text else { return nil }
            switch event[0].text {
            case "changed":
                guard name == "Active", let value = event[2].bool, value != isActive else { return nil }
                isActive = value
                return value ? .active : .inactive
            case "signal": return signal(name, event[2].elements)
            case "answer": return event[2].text == "delayed" ? .delayed : nil
            case "error":
                let words = event[2].elements.compactMap(\.text)
                return words.first.map { error($0, words.last ?? "") }
            default: return nil
            }
        }
    }

    private static func signal(_ name: String, _ arguments: [JSONValue]) -> Told? {
        switch name {
        case "InterruptionBegan":
            guard let reason = arguments.first?.text.flatMap({ InterruptionReason(rawValue: $0) }) else {
                return .mistaken("unknown reason")
            }
            return .began(reason: reason, by: application(in: arguments.last?.text ?? ""))
        case "InterruptionEnded": return .ended(shouldResume: arguments.first?.bool ?? false)
        case "ActivationGranted": return .granted
        case "SecondaryAudioHint": return .hint(arguments.first?.bool ?? false)
        case "RouteChanged":
            let number = arguments.first?.number.flatMap { UInt32(exactly: $0) } ?? 0
            return .route(RouteChangeReason(rawValue: number)?.name ?? "unknown")
        default: return nil
        }
    }

    private static func error(_ name: String, _ message: String) -> Told {
        let word = String(name.split(separator: ".").last ?? "")
        if word == "InsufficientPriority" {
            return .refused(
                by: message.range(of: " is heard").map { application(in: String(message[..<$0.lowerBound])) })
        }
        let parts = word.reduce(into: "") { text, character in
            text += character.isUppercase && !text.isEmpty ? "-\(character.lowercased())" : character.lowercased()
        }
        return .mistaken(parts)
    }

    /// Of `telephone (phone)`, the application.
    private static func application(in label: String) -> String {
        guard label.hasSuffix(")"), let end = label.range(of: " (", options: .backwards) else { return label }
        return String(label[..<end.lowerBound])
    }
}
