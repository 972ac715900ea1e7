import ArgumentParser
import Glibc
import PolicyFile

/// What is written for people: the result on the standard output, what is wrong on the standard error.
enum Terminal {
    /// Writes text that is a result, as it is; a full disk ends the command.
    static func write(_ text: String) throws {
        guard put(text, to: STDOUT_FILENO) else {
            complain("audio-session: the output cannot be written: \(String(cString: strerror(errno)))")
            throw ExitCode.failure
        }
    }

    /// Writes a line that is no result.
    static func complain(_ line: String) { _ = put(line + "\n", to: STDERR_FILENO) }

    /// Writes mistakes with the lines they are in.
    static func report(_ diagnostics: [Diagnostic]) {
        var excerpts = Excerpts(isColoured: isColoured(STDERR_FILENO))
        for diagnostic in diagnostics { complain(excerpts.text(of: diagnostic)) }
    }

    /// Whether colours make sense: on a terminal, unless the user wants none (https://no-color.org).
    static func isColoured(_ descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1, environment("TERM") != "dumb" else { return false }
        return (environment("NO_COLOR") ?? "").isEmpty
    }

    /// Writes all of a text to a descriptor; `false`, with `errno`, when that fails.
    static func put(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

/// A variable of the environment.
func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
