import BenchReport
import Foundation
import PolicyEngine
import PolicyFile

/// Prints what it costs to read all shipped policy files, and to tell what a stream is by 500 rules.
func benchmarkPolicy(_ arguments: [String]) throws {
    var arguments = Arguments(arguments)
    let runs = try arguments.number("--runs", in: 1...1000) ?? 101
    try arguments.finish()
    var table = Table(["what", "median", "worst", "allocations", "goal"])
    func add(
        _ name: String, unit: (name: String, nanoseconds: Double), per count: Double = 1, goal: String,
        _ samples: [Sample]
    ) {
        let times = Series(samples.map { $0.nanoseconds / count / unit.nanoseconds })
        table.add([
            name, "\(format(times.median, decimals: 2)) \(unit.name)",
            "\(format(times.largest, decimals: 2)) \(unit.name)",
            format(median(samples.map(\.allocations)) / count, decimals: 0), goal,
        ])
    }
    let shipped = try ShippedPolicies()
    defer { shipped.remove() }
    let loaded = shipped.load()
    guard !loaded.hasErrors else {
        throw UsageError("the shipped files have errors: \(loaded.diagnostics.map(\.description))")
    }
    add(
        "read and merge the \(loaded.files.count) shipped files", unit: ("ms", 1e6), goal: "< 5 ms",
        measure(repetitions: runs) { _ = shipped.load() })
    add(
        "1,000 streams by the shipped rules, as when the module is loaded", unit: ("ms", 1e6), goal: "< 5 ms",
        measure(repetitions: runs) {
            for turn in 0..<1000 {
                let stream = streams[turn % streams.count]
                _ = loaded.classifier.classify(direction: .playback) { stream[$0] }
            }
        })
    for (name, start, part, end) in [
        ("5,000 roles", "roles={", "r#={category=ambient aliases=[a#]} ", "}"),
        ("4,000 pairs of roles", "interplay={", "r#={any=mix x#=cork} ", "}"),
        (
            "4,000 rules for one stream", "rules=[",
            "{matches=[{a=x}] actions={update-session={role=game mode=voice-chat}}} ", "]"
        ),
    ] {
        let count = name.hasPrefix("5") ? 5_000 : 4_000
        let text = start + (0..<count).map { part.replacing("#", with: "\($0)") }.joined() + end
        add(
            "read \(name)", unit: ("ms", 1e6), goal: "–",
            measure(repetitions: min(runs, 11)) { _ = PolicyFile(bytes: Array(text.utf8), named: "large") })
    }
    for (name, expressions) in [
        ("500 rules, half of them expressions as people write them", everyday),
        ("500 rules, half of them expressions that only the C library can decide", hard),
        ("500 rules, none of them expressions", []),
    ] {
        let classifier = try classifier(rules: 500, expressions: expressions)
        let count = 200
        var found = 0
        let samples = measure(repetitions: runs) {
            for turn in 0..<count {
                let stream = streams[turn % streams.count]
                let result = classifier.classify(direction: .playback) { stream[$0] }
                if result.steps.count > 1 { found += 1 }
            }
        }
        guard found > 0 else { throw UsageError("no rule matched any stream") }
        add("a stream, \(name)", unit: ("µs", 1e3), per: Double(count), goal: "–", samples)
    }
    print(table.text)
}

/// The shipped files as drop-ins of a user who has them all.
private struct ShippedPolicies {
    private let home = FileManager.default.temporaryDirectory.appendingPathComponent("policy-\(UUID().uuidString)")

    init() throws {
        let folder = home.appendingPathComponent("audio-session/policy.conf.d")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let policies = URL(fileURLWithPath: "policy")
        for name in try FileManager.default.contentsOfDirectory(atPath: policies.path).sorted()
        where name.hasSuffix(".conf") {
            try FileManager.default.copyItem(
                at: policies.appendingPathComponent(name), to: folder.appendingPathComponent(name))
        }
    }

    func load() -> LoadedPolicy {
        PolicyLoader.load(arguments: nil) { $0 == "XDG_CONFIG_HOME" ? home.path : nil }
    }

    func remove() { try? FileManager.default.removeItem(at: home) }
}

/// Expressions in the forms that are found in the configuration of servers and session managers; `#` is the rule's number.
private let everyday = [
    "^application-#$", "^application-#( .*)?$", "[Aa]pplication#", "^(player|viewer)-#$", "application.*#",
    "\\.application#$", "^[Pp]layer ?#[0-9]*$", "speech|voice-#",
]

/// Expressions without a text that has to be there.
private let hard = ["^[a-z]+[0-9]{2}[#]$", "(.)[-_](x|y)[#]?$", "[A-Z][a-z]+ ?[#][0-9]"]

private let streams: [[String: String]] = [
    ["application.process.binary": "firefox", "application.name": "Firefox", "media.name": "AudioStream"],
    [
        "application.process.binary": "zoom", "application.name": "ZOOM VoiceEngine",
        "media.name": "playStream", "media.role": "phone",
    ],
    ["application.name": "pipewiresink", "media.name": "A rather long title of a film – Part 2 (1987, restored)"],
    ["application.process.binary": "application-498", "application.name": "mpv", "media.name": "Music - mpv"],
]

private func classifier(rules count: Int, expressions: [String]) throws -> Classifier {
    let keys = ["application.process.binary", "application.name", "media.name"]
    let rules = (0..<count).map { number in
        let isExpression = !expressions.isEmpty && number % 2 == 1
        let value =
            isExpression
            ? "~" + expressions[number / 2 % expressions.count].replacing("#", with: "\(number)")
            : "application-\(number)"
        let text = value.replacing("\\", with: "\\\\")
        return """
            { matches = [ { \(keys[number % keys.count]) = "\(text)" } ]
              actions = { update-session = { role = music } } }
            """
    }
    let last =
        "{ matches = [ { application.process.binary = application-498 } ] actions = { update-session = { fade = 50 } } }"
    let text = "rules = [ \(rules.joined(separator: "\n")) \(last) ]"
    let file = PolicyFile(bytes: Array(text.utf8), named: "rules")
    guard let classifier = file.classifier else { throw UsageError("\(file.diagnostics.map(\.description))") }
    return classifier
}
