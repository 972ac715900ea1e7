import Foundation

/// A process for one test alone, which measures or limits what a process uses: the test starts it, and runs there again.
///
/// The exit tests of Swift Testing do not always end here: they wait for any child of the process, and tests beside them
/// have children that others wait for.
public enum OwnProcess {
    private static let variable = "AUDIO_SESSION_OWN_PROCESS"

    /// Whether this is such a process.
    public static var isHere: Bool { ProcessInfo.processInfo.environment[variable] != nil }

    /// Runs one test in a process of its own, and returns what it has told; throws if it fails.
    ///
    /// - Parameters:
    ///   - test: its suite and function, as in `Suite/function`.
    ///   - variables: more of this process's environment that it gets.
    public static func run(
        _ test: String, variables: [String] = []
    ) async throws -> [String] {
        let sandbox = try Sandbox()
        var environment = [variable: test]
        for name in variables { environment[name] = ProcessInfo.processInfo.environment[name] }
        let invocation = Invocation(
            "/proc/self/exe", ["--testing-library", "swift-testing", "--filter", test], environment: environment)
        let output = try await sandbox.run(invocation)
        await sandbox.stop()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.hasPrefix(mark) ? String(line.dropFirst(mark.count)) : nil
        }
    }

    /// Prints a line that the other process reads.
    public static func tell(_ line: String) { print(mark + line) }

    private static let mark = "told: "
}
