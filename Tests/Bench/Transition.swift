import BenchReport
import Foundation
import SessionRuntime
import SessionTestKit

/// One way of interrupting music, by this module or by a peer.
struct Transition: Sendable {
    /// What the tables call it.
    let name: String
    /// The interrupter's role.
    let role: MediaRole
    /// Whether it is what this module is compared with.
    let isPeer: Bool
    /// Whether the interrupter waits for the music's silence.
    let holds: Bool
    /// How long the fade back takes by the policy, before it is stretched for the quantum; nil for a peer.
    let fade: Duration?
    /// How far the amplitude goes down and up.
    let distance: Double
    /// Where it does not depend on the graph's: how often a fade takes a step.
    var ownQuantum: Duration?

    static let ringing = Transition(
        name: "ringing corks", role: MediaRole("Ringtone"), isPeer: false, holds: true, fade: .milliseconds(100),
        distance: 1)
    static let call = Transition(
        name: "call corks", role: .phone, isPeer: false, holds: false, fade: .milliseconds(100), distance: 1)
    static let prompt = Transition(
        name: "prompt ducks", role: .navigation, isPeer: false, holds: false, fade: .milliseconds(700), distance: 0.9)
    static let pulseRinging = ringing.inPulseAudio
    static let pulseCall = call.inPulseAudio
    static let pulsePrompt = prompt.inPulseAudio
    static let roleCork = Transition(
        name: "module-role-cork", role: .phone, isPeer: true, holds: false, fade: nil, distance: 1)
    static let roleDucking = Transition(
        name: "module-role-ducking", role: .phone, isPeer: true, holds: false, fade: nil, distance: 0.9)

    /// In the order in which they are measured.
    static let all = [ringing, call, prompt, pulseRinging, pulseCall, pulsePrompt, roleCork, roleDucking]

    /// The same with the module for PulseAudio, where a change of volume lands wherever the sound is.
    private var inPulseAudio: Transition {
        Transition(
            name: "\(name), in PulseAudio", role: role, isPeer: false, holds: holds, fade: fade, distance: distance,
            ownQuantum: .milliseconds(10))
    }

    /// The policy's release delay.
    static let releaseDelay = Duration.milliseconds(300)

    /// How long the fade back takes with a quantum: short fades are stretched until no step is too large,
    /// within a limit (see `Fader`).
    func fade(quantum: Duration) -> Duration? {
        let quantum = ownQuantum ?? quantum
        return fade.map { max($0, min(quantum * (distance / Fader.largestStep).rounded(.up), Fader.longestStretch)) }
    }
}

/// How the interrupter ends.
enum Ending: String, Sendable {
    /// It plays to the end of its file and leaves as it usually does.
    case played
    /// It is killed in the middle of its tone: sound and stream end at one moment.
    case killed
}

/// What one interruption showed.
struct Measurement: Sendable {
    let figures: InterruptionFigures
    /// From the last that was heard of the interrupter until the music was within 0.1 dB of its full level; nil if never.
    let back: Duration?
    /// From the last that was heard of the interrupter until the server saw its stream stop; nil where that is not known.
    let tail: Duration?
    /// How much of the sound the server left out meanwhile.
    let lost: Duration

    /// Whether the machine was too busy for the server: it made clicks and gaps that are nobody's policy. Judged by what
    /// the interruption has no part in.
    var isDisturbed: Bool { figures.noiseFloor > -80 || lost > .milliseconds(10) }

    /// How much later than due the music was back at its full level.
    ///
    /// - Parameter peer: How long a peer in the same server takes to be back, which does nothing but wait for the stream's
    ///   end; in place of the tail where the server's log does not tell it.
    func late(_ transition: Transition, quantum: Duration, peer: Duration? = nil) -> Duration? {
        let peer = transition.ownQuantum == nil ? nil : peer
        guard let back, let tail = tail ?? peer, let fade = transition.fade(quantum: quantum) else { return nil }
        return back - tail - Transition.releaseDelay - fade - (transition.ownQuantum ?? quantum)
    }
}

/// A capture without the music or without the interrupter.
struct NothingHeard: Error, CustomStringConvertible {
    let transition: String

    var description: String { "a tone is missing in the capture of \(transition)" }
}
