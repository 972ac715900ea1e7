import AudioSession
import CLibPulse
import Synchronization

/// A small player, as an example of the library `AudioSession`: it plays a tone, stops while something else interrupts
/// it, and goes on when it is told to. Control-C ends it.
///
///     swift run audio-session-player
@main struct Player {
    /// Whether the tone is to be heard. While another sound interrupts it, the server holds the stream, which keeps what
    /// has been written to it.
    private static let isPlaying = Atomic(true)

    static func main() async {
        let session = AudioSession.shared
        // Made before the session is active, so that no event is missed.
        let interruptions = session.interruptions
        do throws(AudioSessionError) {
            try session.setCategory(.playback)
            try session.setActive(true)
        } catch {
            print("Nobody will tell when to stop: \(error)")
        }
        Task.detached { await play() }
        for await interruption in interruptions {
            switch interruption {
            case .began(let reason, let cause):
                print("Interrupted (\(reason)) by \(cause.isEmpty ? "somebody" : cause)")
                isPlaying.store(false, ordering: .relaxed)
            case .ended(let options):
                guard options.contains(.shouldResume) else {
                    print("The interruption is over, and the tone stays silent")
                    continue
                }
                do throws(AudioSessionError) {
                    try session.setActive(true)
                    print("The interruption is over, and the tone goes on")
                    isPlaying.store(true, ordering: .relaxed)
                } catch {
                    print("The tone cannot go on: \(error)")
                }
            }
        }
    }

    /// Plays the tone until there is no sound any more.
    private static func play() async {
        do {
            try await write(to: Output())
        } catch {
            print("No sound: \(error)")
        }
    }

    /// Writes the tone to one stream, whenever it is to be heard.
    private static func write(to output: borrowing Output) async throws {
        var tone = Tone()
        while true {
            if isPlaying.load(ordering: .relaxed) {
                try output.write(tone.next())
            } else {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}
