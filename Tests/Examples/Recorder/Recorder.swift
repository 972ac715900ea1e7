import AudioSession
import CLibPulse
import Glibc
import Synchronization

/// A small recorder, as an example of the library `AudioSession`: it records to a file, stops while something else
/// interrupts it, and goes on when it is told to. Control-C ends it.
///
///     swift run audio-session-recorder FILE.wav
@main struct Recorder {
    private static let isRecording = Atomic(true)

    static func main() async {
        guard CommandLine.arguments.count == 2 else { end("usage: audio-session-recorder FILE.wav", status: 2) }
        let session = AudioSession.shared
        // Made before the session is active, so that no event is missed.
        let interruptions = session.interruptions
        do throws(AudioSessionError) {
            try session.setCategory(.record)
            if try !session.isInputAvailable { print("There is no microphone that anybody knows of") }
            try session.setActive(true)
        } catch {
            print("Nobody will tell when to stop: \(error)")
        }
        let path = CommandLine.arguments[1]
        Task.detached { record(to: path) }
        for await interruption in interruptions {
            switch interruption {
            case .began(let reason, let cause):
                isRecording.store(false, ordering: .relaxed)
                print("Interrupted (\(reason)) by \(cause.isEmpty ? "somebody" : cause)")
            case .ended(let options):
                guard options.contains(.shouldResume) else {
                    print("The interruption is over, and nothing more is recorded")
                    continue
                }
                do throws(AudioSessionError) {
                    try session.setActive(true)
                    isRecording.store(true, ordering: .relaxed)
                    print("The interruption is over, and the recording goes on")
                } catch {
                    print("The recording cannot go on: \(error)")
                }
            }
        }
    }

    /// Records until the program is ended.
    private static func record(to path: String) {
        do {
            let file = try SoundFile(path)
            let input = try Input()
            while true {
                // The server may hold the stream in an interruption. If it does not, what it hands over is dropped.
                let samples = try input.read()
                if isRecording.load(ordering: .relaxed) { try file.append(samples) }
            }
        } catch {
            end("The recording has ended: \(error)", status: 1)
        }
    }

    private static func end(_ text: String, status: Int32) -> Never {
        print(text)
        exit(status)
    }
}
