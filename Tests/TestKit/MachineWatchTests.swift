import Glibc
import Testing

@testable import TestKit

/// What tells that the machine may have lost sound.
@Suite struct MachineWatchTests {
    private static let line =
        "[I][00893.500000] pw.node      | [     impl-node.c: 1058 dump_states()] (pw-play-44) client too slow! rate:1024/48000"

    @Test("a line about sound that is lost has its moment; a client that has come to its end has lost nothing")
    func losses() {
        let underflow = "[I][00893.5] mod.protocol-pulse | [ stream.c: 271 stream_send_underflow()] [mpv]: UNDERFLOW"
        let cork = "mod.protocol-pulse | [ pulse-server.c: 2695 do_cork_stream()] [mpv] CORK_PLAYBACK_STREAM cork:yes"
        let other = cork.replacing("[mpv]", with: "[telephone]")
        for line in [
            Self.line, underflow, "\(underflow)\n[I][00894.5] \(cork)", "\(underflow)\n[I][00893.513] \(other)",
        ] {
            #expect(MachineWatch.losses(in: "\(line)\n").map(\.moment) == [.milliseconds(893_500)])
        }
        let others = [
            "[I][00893.5] pw.node | (pw-play-44) idle -> running", "client too slow!", "",
            "\(underflow)\n[I][00893.513] \(cork)",
        ]
        for other in others { #expect(MachineWatch.losses(in: other).isEmpty) }
    }

    @Test("cycles are known up to the last line of cycle-watch that says so")
    func seenUpToALine() throws {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        let now = StallMeter.now
        let log = "[I][\(time.tv_sec).000000] seen\n[I][\(time.tv_sec + 5).000000] pw.node | (a) missed a cycle\n"
        #expect(MachineWatch.hasSeen(now - .seconds(2), in: log))
        #expect(!MachineWatch.hasSeen(now + .seconds(2), in: log) && !MachineWatch.hasSeen(.zero, in: ""))
    }
}
