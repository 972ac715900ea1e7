import Foundation

/// The file that takes a child's output, to be read and waited on while the child writes.
public struct LogFile: Sendable, Hashable {
    /// Where the file is; it goes with the sandbox.
    public let path: String

    /// All that has been written so far.
    public var text: String {
        guard let data = FileManager.default.contents(atPath: path) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    /// The last lines, with the file's name above them, for error messages.
    public func tail(lines: Int = 20) -> String {
        let last = text.split(separator: "\n", omittingEmptySubsequences: false).suffix(lines + 1)
        return "--- \((path as NSString).lastPathComponent)\n" + last.joined(separator: "\n")
    }

    /// Waits until the log contains `needle`, and returns the first line that does.
    ///
    /// `after` is how many lines to ignore, for messages that come more than once: pass `lineCount` from before.
    @discardableResult
    public func wait(
        forLineContaining needle: String, after: Int = 0, within limit: Duration = .seconds(10)
    ) async throws -> String {
        try await waitUntil("\"\(needle)\" in a log", within: limit, evidence: { tail() }) {
            text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(after)
                .first { $0.contains(needle) }.map(String.init)
        }
    }

    /// How many complete lines there are.
    public var lineCount: Int { text.count { $0 == "\n" } }
}
