import Foundation

/// The file with a child's output, which can be read and waited on while the child writes.
public struct LogFile: Sendable, Hashable {
    /// The file's path; removed with the sandbox.
    public let path: String
    /// Where the text begins, in bytes: what was written before does not count.
    public var start = 0

    /// The log in a file.
    public init(path: String, start: Int = 0) {
        self.path = path
        self.start = start
    }

    /// The text written so far.
    public var text: String {
        guard let file = FileHandle(forReadingAtPath: path) else { return "" }
        defer { try? file.close() }
        guard (try? file.seek(toOffset: UInt64(start))) != nil, let data = try? file.readToEnd() else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    /// The same log from its present end on.
    public var fromNow: LogFile {
        var status = stat()
        return LogFile(path: path, start: stat(path, &status) == 0 ? Int(status.st_size) : 0)
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
        forLineContaining needle: String, after: Int = 0
    ) async throws -> String {
        try await waitUntil("\"\(needle)\" in a log", evidence: { tail() }) {
            text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(after)
                .first { $0.contains(needle) }.map(String.init)
        }
    }

    /// The number of complete lines.
    public var lineCount: Int { text.count { $0 == "\n" } }
}
