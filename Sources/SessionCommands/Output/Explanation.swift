import PolicyFile
import SessionCore

/// What a policy makes of one stream, and why, to be printed.
struct Explanation: Encodable {
    /// The version of these keys.
    let schema = 1
    /// A session description with the keys and values of policy files.
    struct Described: Encodable {
        var name: String
        var category: String
        var options: [String]
        var mode: String
        var priority: UInt8
        /// How others are ducked; `nil` when they are not.
        var duck: Ducked?
        var fade: Double
        var handover: String
        var resume: String
        var releaseDelay: Double
        var interruptible: Bool
        var pausePlayer: Bool

        enum CodingKeys: String, CodingKey {
            case name, category, options, mode, priority, duck, fade, handover, resume, interruptible
            case releaseDelay = "release-delay"
            case pausePlayer = "pause-player"
        }
    }

    /// A way of ducking: decibels and milliseconds.
    struct Ducked: Encodable {
        var gain: Double
        var attack: Double
        var hold: Double
        var release: Double
    }

    /// One step on the way.
    struct Step: Encodable {
        var text: String
        var file: String?
        var line: Int?
        var column: Int?

        /// `FILE:LINE:COLUMN`.
        var origin: String? {
            guard let file, let line, let column else { return file }
            return "\(file):\(line):\(column)"
        }
    }

    var policy: String
    var direction: String
    var properties: [String: String]
    /// `nil` for a stream that is left alone.
    var description: Described?
    var steps: [Step]
    /// The claim that was refused (N11).
    var refusedClaim: String?

    init(of properties: [Property], direction: StreamDirection, under policy: PolicyInUse) {
        // As in a server, the last one of a name counts.
        let values = Dictionary(properties.map { ($0.key, $0.value) }) { $1 }
        let access = ClientAccess { values[$0] }
        let result = policy.classifier.classify(direction: direction, access: access) { values[$0] }
        self.policy = policy.origin
        self.direction = direction.word
        self.properties = values
        description = result.description.map(Described.init)
        steps = result.steps.map {
            Step(text: $0.text, file: $0.origin?.file, line: $0.origin?.place.line, column: $0.origin?.place.column)
        }
        refusedClaim = result.refusedClaim
    }

    /// In words.
    var text: String {
        let said = properties.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        var lines: [String] = []
        let stream = "A \(direction) stream" + (said.isEmpty ? " without properties" : " with")
        let verdict = description.map { "is '\(printable($0.name))':" } ?? "is left alone."
        if said.isEmpty {
            lines.append("\(stream) \(verdict)")
        } else {
            lines.append(stream)
            lines += said.map { "    \(printable($0, limit: 200))" }
            lines.append(verdict)
        }
        if let description { lines += description.rows.map { "    \(padded($0.key, to: 15))\($0.value)" } }
        lines.append("")
        lines.append("The policy is \(policy).")
        if let refusedClaim { lines.append("It may not claim to be \(refusedClaim).") }
        if !steps.isEmpty {
            lines.append("Why:")
            for step in steps {
                lines.append("    \(step.text)" + (step.origin.map { "\n        \($0)" } ?? ""))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Explanation.Described {
    init(_ description: SessionDescription) {
        func milliseconds(_ duration: Duration) -> Double { Double(duration.wholeNanoseconds) / 1_000_000 }
        name = description.name
        category = description.category.rawValue
        options = description.options.names
        mode = description.mode.rawValue
        priority = description.priority.rawValue
        if description.ducksOthers {
            duck = Explanation.Ducked(
                gain: description.ducking.gain.value, attack: milliseconds(description.ducking.attack),
                hold: milliseconds(description.ducking.hold), release: milliseconds(description.ducking.release))
        }
        fade = milliseconds(description.fade)
        handover = description.handover.rawValue
        resume = description.resumption.rawValue
        releaseDelay = milliseconds(description.releaseDelay)
        interruptible = description.isInterruptible
        pausePlayer = description.pausesPlayer
    }

    /// The keys with their values in words, in the order of the shipped policy files.
    var rows: [(key: String, value: String)] {
        var rows = [
            ("category", category),
            ("options", options.isEmpty ? "none" : options.joined(separator: ", ")),
            ("mode", mode),
            ("priority", Priority(rawValue: priority).words),
        ]
        if let duck {
            rows.append(
                (
                    "duck",
                    "gain \(duck.gain.short) dB, attack \(duck.attack.short) ms, hold \(duck.hold.short) ms, "
                        + "release \(duck.release.short) ms"
                ))
        }
        rows += [
            ("fade", "\(fade.short) ms"), ("handover", handover), ("resume", resume),
            ("release-delay", "\(releaseDelay.short) ms"), ("interruptible", String(interruptible)),
            ("pause-player", String(pausePlayer)),
        ]
        return rows
    }
}

/// Text with blanks behind it.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
