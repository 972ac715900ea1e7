import Foundation
import PolicyEngine
import RandomEvents

@testable import PolicyFile

/// Makes policy files that are mostly right, so that what they say gets far into the reader.
public struct Grammar {
    private var random: SplitMix64

    /// The files of a seed.
    public init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// A whole file.
    public mutating func file() -> String {
        let sections: [(inout Grammar) -> String] = [
            { "preset = \($0.pick(["desktop", "phone", "phone", "car"]))" },
            { "duck = \($0.ducking())" },
            { "untagged = \($0.description())" },
            { "untagged-capture = \($0.description())" },
            { "capture-pairing = \($0.pick(["false", "true", "music", "event", "dsp"]))" },
            { "call-after = \($0.time())" },
            { "user = { \($0.pick(["play", "unmute", "raise", "free"])) = \($0.pick(["beside", "wait", "never"])) }" },
            { "sounding = { above = \($0.pick(["-45", "1", "-144"])) hold = \($0.time()) }" },
            { "zones = { \($0.pick(["a", "b"])) = \($0.pick(["[ speaker ]", "none", "[ ]", "speaker"])) }" },
            { "notify = [ \($0.pick(["output-gone", "recording-stopped", "all"])) ]" },
            { "muted = \($0.pick(["ignore", "count", "none"]))" },
            { "stock-modules = \($0.pick(["unload", "keep", "load"]))" },
            { $0.switches() }, { $0.routes() },
            { "interruptions = { resume-within = \($0.time()) }" }, { $0.roles() }, { $0.roles() }, { $0.interplay() },
            { $0.claims() },
            { $0.rules() },
            { $0.rules() },
        ]
        return some(of: 0...5) { grammar in
            let index = Int.random(in: 0..<sections.count, using: &grammar.random)
            return sections[index](&grammar)
        }
    }

    private mutating func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    private mutating func some(of count: ClosedRange<Int>, _ make: (inout Grammar) -> String) -> String {
        (0..<Int.random(in: count, using: &random)).map { _ in make(&self) }.joined(separator: chance(4) ? "\n" : " ")
    }

    private mutating func time() -> String {
        pick(["10", "20ms", "0.5s", "1234.5678", "60000", "9", "5e1", "\"1 s\""])
    }

    private mutating func ducking() -> String {
        "{ "
            + some(of: 0...3) { grammar in
                grammar.chance(2)
                    ? "gain = \(grammar.pick(["-20", "-6.02", "0", "-144", "\"-3 dB\"", "1"]))"
                    : "\(grammar.pick(["attack", "hold", "release"])) = \(grammar.time())"
            } + " }"
    }

    /// One of the keys of a role, most often the category, with a value that is mostly right.
    private mutating func key() -> String {
        let words = SessionDescription.words
        let word = chance(8) ? "category" : pick(words)
        if word == "duck" { return "duck = \(ducking())" }
        guard let key = SessionDescription.keys.first(where: { $0.word == word }) else { return "" }
        let value =
            switch key.value(SessionDescription(name: "", category: .playback)) {
            case .list: "[ \(some(of: 0...2) { $0.pick(key.words) }) ]"
            case .priority: pick(["normal", "alarm", "phone", "7", "150", "255", "256"])
            case .time: time()
            case .gain: pick(["0", "-6", "\"-30 dB\"", "3"])
            case .truth, .word, nil:
                pick(key.words + (word == "output" ? ["speaker", "\"alsa_output.*\"", "\"\""] : []))
            }
        return "\(word) = \(value)"
    }

    private mutating func description() -> String {
        chance(5) ? "none" : "{ \(some(of: 0...3) { $0.key() }) }"
    }

    private mutating func name() -> String {
        pick([
            "phone", "ringtone", "alarm", "music", "video", "prompt", "navigation", "notification", "event", "movie",
            "game", "dsp", "siren", "horn", "record", "\"a b\"", "GAME", "ünïcode", "untagged",
        ])
    }

    private mutating func roles() -> String {
        let roles = some(of: 1...4) { grammar in
            let aliases = grammar.chance(3) ? "aliases = [ \(grammar.some(of: 0...3) { $0.name() }) ]" : ""
            let new = grammar.chance(3) ? "category = playback" : ""
            let body =
                grammar.chance(6) ? "none" : "{ \(new) \(aliases) \(grammar.some(of: 0...3) { $0.key() }) }"
            return "\(grammar.name()) = \(body)"
        }
        return "roles = { \(roles) }"
    }

    private mutating func switches() -> String {
        let lists = some(of: 0...3) { grammar in
            let words = ["ambient", "solo-ambient", "playback", "record", "ui-sound", "music"]
            let list = "[ \(grammar.some(of: 0...3) { $0.pick(words) }) ]"
            return "\(grammar.pick(["silent", "lock", "do-not-disturb", "loud"])) = \(list)"
        }
        return "switches = { \(lists) }"
    }

    private mutating func routes() -> String {
        let values = some(of: 0...3) { grammar in
            switch Int.random(in: 0..<4, using: &grammar.random) {
            case 0: "pause-on-disconnect = \(grammar.pick(["true", "false", "maybe"]))"
            case 1: "resume-within = \(grammar.time())"
            default: "stop-recording = \(grammar.pick(["never", "disconnect", "any-change", "always"]))"
            }
        }
        return "routes = { \(values) }"
    }

    private mutating func interplay() -> String {
        let kinds = ["usual", "mix", "duck", "duck", "mute", "cork", "pause-player", "reject"]
        let pairs = some(of: 1...3) { grammar in
            let actor = grammar.pick(["any", "untagged-capture", "playback", grammar.name()])
            let others = grammar.some(of: 1...3) { grammar in
                let other = grammar.pick(["any", "record", "ambient", grammar.name(), grammar.name()])
                if grammar.chance(2) { return "\(other) = \(grammar.pick(kinds))" }
                let newcomer = grammar.chance(2) ? "newcomer = \(grammar.pick(kinds))" : ""
                let fade = grammar.chance(3) ? "fade = \(grammar.time())" : ""
                let ducking = grammar.chance(2) ? "gain = -7 hold = \(grammar.time())" : ""
                return "\(other) = { kind = \(grammar.pick(kinds)) \(newcomer) \(fade) \(ducking) }"
            }
            return "\(actor) = { \(others) }"
        }
        return "interplay = { \(pairs) }"
    }

    private mutating func matches() -> String {
        let values = [
            "Firefox", "\"a \\\"b\\\\ c\"", "\"~^(mpv|vlc)$\"", "\"!~[Zz]oom\"", "null", "!null", "\"null\"", "\"!x\"",
            "\"~^a+b{2}(c|d)*$\"", "\"~\\\\.bin$\"", "\"\"", "\"~\"", "\"~[\"", "\"é\\u0007\"", "\"!!\"", "\"~a.{3}\"",
        ]
        let keys = ["application.name", "media.name", "application.process.binary", "\"odd key\""]
        return "[ "
            + some(of: 0...2) { grammar in
                let conditions = grammar.some(of: 0...2) { "\($0.pick(keys)) = \($0.pick(values))" }
                return "{ \(conditions) }"
            } + " ]"
    }

    private mutating func claims() -> String {
        let claims = some(of: 1...2) { grammar in
            let kind = grammar.pick(["phone", "alarm"])
            if grammar.chance(4) { return "\(kind) = any" }
            let otherwise = grammar.chance(2) ? "otherwise = \(grammar.name())" : ""
            let allow = grammar.chance(5) ? "" : "allow = \(grammar.matches())"
            return "\(kind) = { \(allow) \(otherwise) }"
        }
        return "claims = { \(claims) }"
    }

    private mutating func rules() -> String {
        let rules = some(of: 0...4) { grammar in
            let role = grammar.chance(2) ? "role = \(grammar.pick(["none", grammar.name()]))" : ""
            let update = "update-session = { \(role) \(grammar.some(of: 0...2) { $0.key() }) }"
            return "{ matches = \(grammar.matches()) actions = { \(grammar.chance(8) ? "" : update) } }"
        }
        return "rules = [ \(rules) ]"
    }
}
