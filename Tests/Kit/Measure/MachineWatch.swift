import Foundation

/// Tells whether the machine may have lost sound, whatever servers and programs did: because it stood still, because a
/// player waited for a processor for longer than its buffer lasts, or because the server says so itself.
///
/// A recording is judged only where none of that happened.
public final class MachineWatch: Sendable {
    /// The watch of this process, which begins when it is first used.
    public static let shared = MachineWatch()

    /// At the priority that the data threads of PipeWire have, too.
    private let machine = StallMeter(StallMeter.grantsRealTime ? .realTime : .ordinary)
    private let programs = StallMeter(.first)

    /// The shortest buffer of a player of PulseAudio, which fills it without the priority of the graph. A program that waits
    /// longer for a processor counts as a loss.
    public static let shortestBuffer = Duration.milliseconds(80)
    /// How far from a stall, or from a line of a log, sound may be lost: what is recorded is written in blocks.
    static let margin = Duration.milliseconds(300)

    /// Checks that nothing may have cost sound between two moments of ``StallMeter/now``.
    ///
    /// - Parameters:
    ///   - quantum: The frames of a cycle of PipeWire's graph. Half a cycle late is too late: sound goes through two threads
    ///     in each. Nil for PulseAudio, which renders later what it could not render in time.
    ///   - logs: What the server and its clients have logged.
    /// - Throws: ``BrokenStretch`` if something may have.
    public func checkIsWhole(_ stretch: Range<Duration>, quantum: Int?, logs: [String]) throws {
        let around = stretch.lowerBound - MachineWatch.margin..<stretch.upperBound + MachineWatch.margin
        func longest(_ meter: StallMeter, _ least: Duration) -> Duration? {
            meter.stalls(of: least).filter { $0.overlaps(around) }.map { $0.upperBound - $0.lowerBound }.max()
        }
        var losses: [String] = []
        if let stall = longest(machine, quantum.map { .frames($0) / 2 } ?? MachineWatch.shortestBuffer) {
            losses.append("the machine stood still for \(Int(stall.milliseconds)) ms")
        }
        // pw-play fills its next cycle on its main thread while this one is played.
        let shortest = MachineWatch.shortestBuffer
        let patience = min(quantum.map { .frames($0) * 0.75 } ?? shortest, shortest)
        if let wait = longest(programs, patience) {
            losses.append("programs waited for a processor for \(Int(wait.milliseconds)) ms")
        }
        let isOfMachine = !losses.isEmpty
        let said = logs.lazy.flatMap { MachineWatch.losses(in: $0) }.first { moment, _ in
            around.contains(moment + MachineWatch.aheadOfLogs)
        }?.line
        if let said { losses.append("the server said: \(said)") }
        if !losses.isEmpty { throw BrokenStretch(losses, isOfMachine: isOfMachine) }
    }

    /// By how much the clock of ``StallMeter/now`` is ahead of the one in PipeWire's logs, which nobody adjusts.
    private static var aheadOfLogs: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        return StallMeter.now - .seconds(time.tv_sec) - .nanoseconds(time.tv_nsec)
    }

    /// Whether `cycle-watch` (Tests/CycleWatch) has told of all cycles up to a moment of ``StallMeter/now``.
    public static func hasSeen(_ moment: Duration, in log: String) -> Bool {
        let last = log.split(separator: "\n").last { $0.hasSuffix("] seen") }
        return last.flatMap { MachineWatch.moment(of: $0) }.map { $0 + aheadOfLogs >= moment } ?? false
    }

    /// The lines of a log in which PipeWire says that sound was lost, and when, by the clock of its logs.
    ///
    /// Of a node that missed a cycle the daemon says so once in two seconds, the clients each time that they were not woken,
    /// and `cycle-watch` each time, but up to a second later. pipewire-pulse says when it has no sound of a client, also
    /// where the client's sound ends: then the client corks or drains its stream at once.
    static func losses(in log: String) -> [(moment: Duration, line: Substring)] {
        let lines = log.split(separator: "\n")
        return lines.indices.compactMap { index in
            let line = lines[index]
            let isMissed = line.contains("pw.node") && ["too slow", "missed", "xrun"].contains { line.contains($0) }
            guard isMissed || line.contains("UNDERFLOW"), let moment = moment(of: line) else { return nil }
            // A graph that has just begun to run plays nothing yet.
            let position = line.range(of: "pos:").flatMap { Int(line[$0.upperBound...].prefix(while: \.isNumber)) }
            if let position, position < 8 * 1024 { return nil }
            // "[music-player]: UNDERFLOW …", then "[music-player] CORK_PLAYBACK_STREAM …".
            let client = line.range(of: "]: UNDERFLOW").map { line[..<$0.lowerBound].split(separator: "[").last ?? "" }
            let ends = client.map { client in ["CORK_", "DRAIN_", "DELETE_"].map { "[\(client)] \($0)" } } ?? []
            let isEnd = lines[(index + 1)...]
                .prefix { self.moment(of: $0).map { $0 < moment + shortestBuffer } ?? true }
                .contains { line in ends.contains { line.contains($0) } }
            return isEnd ? nil : (moment, line)
        }
    }

    /// When a line was logged: "[I][00893.548559] pw.node …".
    private static func moment(of line: Substring) -> Duration? {
        guard let start = line.range(of: "][")?.upperBound, let seconds = Double(line[start...].prefix { $0 != "]" })
        else {
            return nil
        }
        return .nanoseconds(Int64(seconds * 1e9))
    }
}

/// Thrown where a recording was to be judged and the machine may have lost sound in it: the scene has to be played again.
public struct BrokenStretch: Error, CustomStringConvertible {
    /// What may have cost sound.
    public let description: String
    /// Whether it was the machine, as ``StallMeter`` has measured, and not what the server or a test says of itself.
    public let isOfMachine: Bool

    /// Names what may have cost sound.
    public init(_ losses: [String], isOfMachine: Bool = false) {
        description = losses.joined(separator: "; ")
        self.isOfMachine = isOfMachine
    }
}
