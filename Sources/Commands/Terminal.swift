import ArgumentParser
import Glibc
import PolicyEngine
import PolicyFile

/// Output for people: results on standard output, everything else on standard error.
enum Terminal {
    /// Writes a result; ends the command if writing fails, for example because the disk is full. Control characters from the
    /// service or a program do not reach the terminal.
    static func write(_ text: String) throws {
        guard put(harmless(text), to: STDOUT_FILENO) else {
            throw failure("the output cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Says why the command fails, and returns the error that ends it.
    static func failure(_ text: String, _ status: ExitCode = .failure) -> ExitCode {
        complain(text)
        return status
    }

    /// Says why a program cannot be run, and returns the error that ends the command with the status for it.
    static func failure(running program: String, _ code: Int32) -> ExitCode {
        failure(
            "\(printable(program, limit: 200)): \(String(cString: strerror(code)))",
            ExitCode(code == ENOENT ? 127 : 126))
    }

    /// Writes lines to standard error, like ``write(_:)`` without control characters.
    static func complain(_ text: String) {
        let lines = "audio-session: \(text)".split(separator: "\n", omittingEmptySubsequences: false)
        _ = put(lines.map { printable(String($0), limit: 4000) + "\n" }.joined(), to: STDERR_FILENO)
    }

    /// A text without control characters, except line ends, tabs and the colours of ``Style``.
    static func harmless(_ text: String) -> String {
        if text.unicodeScalars.allSatisfy({ $0.isPrintable || $0 == "\n" }) { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1B}", rest.first == "[", let end = rest.dropFirst().firstIndex(where: { !$0.isColour }),
                rest[end] == "m"
            {
                result.append(scalar)
                result.append(contentsOf: rest[...end])
                rest = rest[rest.index(after: end)...]
            } else {
                result.append(scalar.isPrintable || scalar == "\n" || scalar == "\t" ? scalar : "\u{FFFD}")
            }
        }
        return String(result)
    }

    /// Writes mistakes with their source lines to standard error.
    static func report(_ diagnostics: [Diagnostic]) {
        var excerpts = Excerpts(isColoured: isColoured(STDERR_FILENO))
        for diagnostic in diagnostics { _ = put(excerpts.text(of: diagnostic) + "\n", to: STDERR_FILENO) }
    }

    /// Whether to use colours: on a terminal, unless the user has switched them off (https://no-color.org).
    static func isColoured(_ descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1, environment("TERM") != "dumb" else { return false }
        return (environment("NO_COLOR") ?? "").isEmpty
    }

    /// Writes a whole text to a descriptor; `false`, with `errno` set, on failure.
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

extension Unicode.Scalar {
    /// Whether it may be part of the number of a colour.
    fileprivate var isColour: Bool { ("0"..."9").contains(self) || self == ";" }
}

/// The value of an environment variable.
func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
