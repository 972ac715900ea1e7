import Glibc
import PolicyEngine

/// A file in the runtime folder that exists while the module starts. A crash leaves the file, so that the module does
/// not crash the server at every start.
///
/// The file names the module, the server's release and the process. Another module or release is tried without manual
/// cleanup. The file of a living process is not a leftover.
public struct StartMark: Equatable, Sendable {
    /// The path of the file.
    public let path: String
    private let module: String
    private let release: String
    private let process: String
    private var isWritten = false

    /// The finding of a start.
    public enum Finding: Equatable, Sendable {
        /// No file, or one that does not count.
        case clear
        case otherStart
        /// The last start crashed.
        case leftover
    }

    /// In bytes.
    private static let longest = 8192

    /// Creates the mark of the running module; `nil` without a runtime folder, as for some servers of the whole
    /// machine.
    public init?(server: String, release: String, file: String?, folder: String?) {
        guard let file, let folder, folder.hasPrefix("/"), folder.utf8.count < 1024 else { return nil }
        self.init(
            path: "\(folder)/audio-session-\(server).starting", module: StartMark.identity(of: file),
            release: release, process: getpid())
    }

    /// - Parameter module: Distinguishes one module file from another.
    init(path: String, module: String, release: String, process: Int32) {
        self.path = path
        self.module = printable(module, limit: .max)
        self.release = printable(release, limit: .max)
        self.process = "\(process) \(StartMark.beginning(of: process) ?? 0)"
    }

    /// Reads what an earlier start left.
    public func find() -> Finding {
        guard let lines = StartMark.read(path).map({ $0.split(separator: "\n", omittingEmptySubsequences: false) }),
            lines.count >= 3, lines[0] == module, lines[1] == release
        else { return .clear }
        let words = lines[2].split(separator: " ")
        guard words.count == 2, let number = Int32(words[0]), let beginning = UInt64(words[1]) else { return .clear }
        return StartMark.beginning(of: number) == beginning ? .otherStart : .leftover
    }

    /// Writes the file, unless another process is starting. Returns whether the file exists.
    @discardableResult public mutating func write() -> Bool {
        guard isWritten || find() != .otherStart else { return false }
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        var text = "\(module)\n\(release)\n\(process)\n"
        isWritten = text.withUTF8 { Glibc.write(file, $0.baseAddress, $0.count) == $0.count }
        return isWritten
    }

    /// Removes the file after a start has succeeded or was given up.
    public mutating func remove() {
        guard isWritten else { return }
        isWritten = false
        unlink(path)
    }

    /// The log text for a leftover.
    public var complaint: String {
        """
        the server ended amid this module's last start, so it is not loaded again; to try again, remove \
        \(printable(path, limit: .max)); \
        another version of the module or of the server is tried by itself
        """
    }

    // MARK: - Identities of files and processes

    /// Changes when the file is replaced.
    private static func identity(of file: String) -> String {
        var status = stat()
        guard stat(file, &status) == 0 else { return file }
        return "\(file) \(status.st_size) \(status.st_ino) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    /// In the kernel's ticks since boot; `nil` if there is no such process.
    private static func beginning(of process: Int32) -> UInt64? {
        guard let line = read("/proc/\(process)/stat"), let end = line.lastIndex(of: ")") else { return nil }
        // The start time is field 22. Field 3 is the first after the name, which may contain anything.
        let fields = line[line.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    private static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: longest)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
        guard count > 0, count < longest else { return nil }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
