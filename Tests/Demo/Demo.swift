import Foundation
import TestKit

/// The demonstration: music, a navigation prompt, a ringing phone and a call, with the module's reactions.
///
/// Run by `install/demo`, which builds everything needed and documents the options.
@main struct Demo {
    static func main() async {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            complain("usage: session-demo [--here | --modules FOLDER] [--picture FILE] [--sound FILE]")
            exit(2)
        }
        // It watches from here on.
        _ = MachineWatch.shared
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

    /// Calls `action` when the user interrupts the program or closes the terminal, so that the children end in order
    /// before the program does.
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

/// The command line's options.
struct Options: Sendable {
    /// Whether to play on the user's own desktop.
    var isHere = false
    /// The folder of the built module.
    var modules = ".build/modules"
    /// The file for the picture.
    var picture = "demo/levels.png"
    /// The file for the captured sound, if wanted.
    var sound: String?

    /// Parses the arguments; nil if one is unknown.
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

/// Prints a line to standard output without buffering, even into a pipe.
func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

/// Prints a line to standard error.
func complain(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
