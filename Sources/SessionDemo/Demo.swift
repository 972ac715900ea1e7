import Foundation
import SessionTestKit

/// The demonstration: music, a navigator's prompt, a ringing phone and a call, and what the module makes of them.
///
/// Started by `install/demo`, which builds all that it needs and explains the options.
@main struct Demo {
    static func main() async {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            complain("usage: session-demo [--here | --modules FOLDER] [--picture FILE] [--sound FILE]")
            exit(2)
        }
        let performance = Task {
            options.isHere ? try await playHere() : try await playPrivately(options)
        }
        let interrupts = interruptHandlers { performance.cancel() }
        defer { for source in interrupts { source.cancel() } }
        do {
            exit(try await performance.value ? 0 : 1)
        } catch is CancellationError {
            complain("Interrupted; everything that was started has been ended.")
            exit(130)
        } catch {
            if performance.isCancelled { exit(130) }
            complain("The demonstration could not be played: \(error)")
            exit(1)
        }
    }

    /// Calls `action` when the user interrupts or the terminal goes, instead of ending at once, so that the children can
    /// be ended in order.
    private static func interruptHandlers(_ action: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: action)
            source.resume()
            return source
        }
    }
}

/// What the command line asks for.
struct Options: Sendable {
    /// Play on the user's own desktop.
    var isHere = false
    /// The folder that the module was built into.
    var modules = ".build/modules"
    /// Where the picture goes.
    var picture = "demo/levels.png"
    /// Where the captured sound goes, if it is wanted.
    var sound: String?

    /// Reads the arguments; nil when there is one that is not understood.
    init?(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--here": isHere = true
            case "--modules", "--picture", "--sound":
                guard let value = rest.popFirst(), !value.isEmpty else { return nil }
                switch argument {
                case "--modules": modules = value
                case "--picture": picture = value
                default: sound = value
                }
            default: return nil
            }
        }
    }
}

/// Says something on standard output, at once also when that is a pipe.
func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

/// Says something on standard error.
func complain(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
