import BusInterface
import PolicyEngine
import PolicyFile

/// The service, the policy, and what stands in its way.
extension Examination {
    var service: Finding? {
        guard evidence.busError == nil else { return nil }
        guard let owner = evidence.owner else { return noService }
        let process = evidence.processes.first { $0.number == owner }
        let who = process.map { "\($0.name) (process \(owner))" } ?? "process \(owner)"
        guard let state = evidence.state else {
            return .problem(
                "\(AudioSessionBus.name) belongs to \(who), and does not answer: "
                    + (evidence.stateError ?? "unknown reason"),
                advice: "start the sound server again: \(restart)")
        }
        let text = "\(AudioSessionBus.name) \(state.version) is served by \(who)"
        if process == nil { return .note("\(text), which is no sound server of this user") }
        if state.version == AudioSessionBus.version { return .ok(text) }
        return .note(
            "\(text); this command is of version \(AudioSessionBus.version)",
            advice: "start the sound server again, to have both of one version: \(restart)")
    }

    private var noService: Finding {
        let text = "no program on the session bus is \(AudioSessionBus.name)"
        if daemon?.module == nil {
            return .problem(text, advice: "see above: the module in the sound server serves it")
        }
        return .problem(
            text,
            details: [
                "the module is loaded, and has given up, was told not to serve the bus (dbus = no), or serves another bus"
            ], advice: "read why in the server's log: journalctl --user -u \(sound?.daemon ?? "pipewire")")
    }

    var limits: Finding? {
        guard let state = evidence.state, !state.limits.isEmpty else { return nil }
        return .ok(
            "\(state.server) cannot do what another server can: "
                + state.limits.map(\.name).joined(separator: ", "))
    }

    // MARK: - The policy

    var policy: Finding? {
        let mistakes = evidence.mistakes.map(\.description)
        let hasErrors = evidence.mistakes.contains { $0.severity == .error }
        var finding = Finding.ok("", details: mistakes)
        if let state = evidence.state {
            finding.text = "in force: \(state.policy)"
            let suffix = " with module arguments"
            if state.policy.hasPrefix("not in force") {
                finding.mark = .problem
                finding.text = state.policy
            } else if state.policy.hasSuffix(suffix) {
                finding.mark = .note
                finding.advice.append("arguments in the server's configuration change what the files say")
            } else if state.policy != evidence.policyOrigin {
                finding.mark = .note
                finding.details.insert("the files of this user are: \(evidence.policyOrigin)", at: 0)
                finding.advice.append("the server reads other files than these: it has another home, or arguments")
            }
        } else {
            finding.text = "the server would read: \(evidence.policyOrigin)"
        }
        if !mistakes.isEmpty {
            finding.mark = hasErrors ? .problem : .note
            finding.advice.append(
                (hasErrors ? "a file with an error is left out as a whole; see the places" : "see the places")
                    + ": audio-session check")
        }
        return finding
    }

    var otherPolicies: Finding? {
        guard sound != nil else { return nil }
        let says = evidence.programsSay
        if says.hasRoleNodes {
            return .problem(
                "WirePlumber's own role policy is configured, so the module steps back and does nothing",
                details: says.roleFiles,
                advice:
                    "remove the role loopbacks (policy.role-based) from ~/.config/wireplumber and /etc/wireplumber, "
                    + "then: systemctl --user restart wireplumber pipewire")
        }
        if !says.roleModules.isEmpty {
            let verbs = says.roleModules.count == 1 ? "is loaded, and works" : "are loaded, and work"
            return Finding(
                mark: .problem, text: "\(all(says.roleModules)) \(verbs) against the policy",
                advice: says.roleModules.map { "pactl unload-module \($0)" } + [
                    "or leave out stock-modules = keep in the policy"
                ])
        }
        if says.pausesPlayback == true, evidence.owner != nil {
            return .note(
                "WirePlumber pauses players itself when an output goes, and leaves them paused",
                advice: "wpctl settings linking.pause-playback false, or leave out stock-modules = keep in the policy")
        }
        guard !says.missing.contains("pw-dump"), !says.missing.contains("pactl") else { return nil }
        return .ok("none is loaded")
    }

    /// Muted outputs; session managers mute some by themselves when they appear.
    var outputs: Finding? {
        guard sound != nil, !evidence.programsSay.missing.contains("pactl") else { return nil }
        let muted = evidence.programsSay.mutedOutputs
        guard !muted.isEmpty else { return .ok("none that is in use is muted") }
        return Finding(
            mark: .note,
            text: all(muted.map(\.title)) + (muted.count == 1 ? " is" : " are")
                + " muted, by you or by the session manager, so nothing is heard there",
            advice: muted.map { "pactl set-sink-mute \($0.name) 0" })
    }

    var switches: Finding? {
        guard let switches = evidence.state?.switches else { return nil }
        var on: [(text: String, advice: String?)] =
            switches.pause == .none ? [] : [("the policy is paused", "audio-session resume")]
        on += switches.on.map { ($0.sentence, $0.canBeSet ? "audio-session \($0.rawValue) off" : nil) }
        if on.isEmpty { return .ok("none is on, and the policy is not paused") }
        return Finding(mark: .note, text: all(on.map(\.text)), advice: on.compactMap(\.advice))
    }

    // MARK: - The streams

    /// Streams without a role.
    var roles: Finding? {
        guard let state = evidence.state else { return nil }
        // A recording with a role says what its application does.
        let told = Set(state.streams.filter(\.isCapture).map(\.application))
        let untold = state.streams.filter {
            $0.description == Policy.untaggedName && !$0.isCapture && !told.contains($0.application)
        }
        guard let first = untold.first else {
            let count = state.streams.count
            return .ok(
                count == 0
                    ? "nobody plays or records, so none is missing"
                    : "none is missing (\(count) \(count == 1 ? "stream" : "streams"))")
        }
        var counts: [(name: String, count: Int)] = []
        for stream in untold {
            if let place = counts.firstIndex(where: { $0.name == stream.application }) {
                counts[place].count += 1
            } else {
                counts.append((stream.application, 1))
            }
        }
        let names = counts.prefix(8).map { $0.count == 1 ? $0.name : "\($0.name) (\($0.count) streams)" }
        let more = counts.count > 8 ? ["and \(counts.count - 8) more"] : []
        return .note(
            "these have no role, and no rule gives them one, so they mix with everything: "
                + (names + more).joined(separator: ", "),
            advice: "say what a program is, such as: audio-session treat \(first.application.quoted) as "
                + (state.leftAlone.contains { $0.isCapture && $0.application == first.application } ? "call" : "music"),
            "see how the policy treats a stream: audio-session explain \(first.id)")
    }

    /// Programs that may be in a call, although no rule says so.
    var microphones: Finding? {
        guard let state = evidence.state else { return nil }
        let playing = Set(state.everyStream.filter { !$0.isCapture && $0.wanted }.map(\.application))
        let names = Set(
            state.leftAlone.filter { stream in
                stream.isCapture && stream.running && playing.contains(stream.application)
                    && evidence.moment - stream.since >= Self.longRecording
            }.map(\.application)
        ).sorted()
        guard !names.isEmpty else { return nil }
        return Finding(
            mark: .note,
            text: "\(all(names)) \(names.count == 1 ? "has" : "have") had a microphone open for 10 seconds or more, "
                + "and \(names.count == 1 ? "plays" : "play"), but no rule says that this is a call",
            advice: names.map { "if it is one: audio-session treat \($0.quoted) as call" })
    }

    /// How long a program records before it may be in a call, in microseconds.
    private static let longRecording: Int64 = 10_000_000

    /// Streams that claim a priority which their programs may not have.
    var claims: Finding? {
        let refused = evidence.explanations.filter { $0.contains("it may not claim the priority of") }
        guard !refused.isEmpty else { return nil }
        return .note(
            "programs in sandboxes say that they are calls or alarms, and may not be",
            details: Array(refused.prefix(8)),
            advice: "let one use the microphone in the desktop's settings, or name it in a policy file, such as: "
                + "claims = { phone = { allow = [ { pipewire.access.portal.app_id = org.example.Calls } ] } }")
    }

    // MARK: - The log

    var log: Finding? {
        guard let lines = evidence.log else { return nil }
        guard !lines.isEmpty else {
            return .ok("the journal has nothing about the module")
        }
        return .ok("the last lines about the module:", details: lines)
    }
}
