import Foundation

/// The file with a child's output, which can be read and waited on while the child writes.
public struct LogFile: Sendable, Hashable {
    /// The file's path; removed with the sandbox.
    public let path: String

    /// The text written so far.
    public var text: String {
        guard let data = FileManager.default.contents(atPath: path) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    /// The last lines below the file's name, for error messages.
    public func tail(lines: Int = 20) -> String {
        let last = text.split(separator: "\n", omittingEmptySubsequences: false).suffix(lines + 1)
        return "--- \((path as NSString).lastPathComponent)\n" + last.joined(separator: "\n")
    }

    /// Waits until the log contains `needle`, and returns the first line with it.
    ///
    /// `after` is the number of lines to ignore, for messages that occur repeatedly: pass an earlier `lineCount`.
    @discardableResult
    public func wait(
        forLineContaining needle: String, after: Int = 0, within limit: Duration = .seconds(10)
    ) async throws -> String {
        try await waitUntil("\"\(needle)\" in a log", within: limit, evidence: { tail() }) {
            text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(after)
                .first { $0.contains(needle) }.map(String.init)
        }
    }

    /// The number of complete lines.
    public var lineCount: Int { text.count { $0 == "\n" } }
}
