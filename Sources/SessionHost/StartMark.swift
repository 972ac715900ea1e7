import Glibc

/// A file in the runtime folder that is there while a start is under way, so that a module that ended its server does not end
/// it again, and again, each time that it is started.
///
/// It says which module and which release of the server it is of, and which process: another module file or another release
/// gets its chance without anybody's doing, and what a living process has begun is no leftover.
public struct StartMark: Equatable, Sendable {
    /// Where the file is.
    public let path: String
    private let module: String
    private let release: String
    private let process: String
    private var isWritten = false

    /// What is found before a start.
    public enum Finding: Equatable, Sendable {
        /// Nothing, or nothing that counts.
        case clear
        /// Another process is amid its own start.
        case otherStart
        /// The last start was not survived.
        case leftover
    }

    /// Longer files are none of ours.
    private static let longest = 8192

    /// The mark of the running module; `nil` where there is no runtime folder to put it into, as there may be none for a
    /// server that serves the whole machine.
    ///
    /// - Parameters:
    ///   - server: the server's name, for the file's.
    ///   - release: the server's release.
    ///   - file: the module's.
    ///   - folder: the runtime folder.
    public init?(server: String, release: String, file: String?, folder: String?) {
        guard let file, let folder, folder.hasPrefix("/"), folder.utf8.count < 1024 else { return nil }
        self.init(
            path: "\(folder)/audio-session-\(server).starting", module: StartMark.identity(of: file),
            release: release, process: getpid())
    }

    /// - Parameters:
    ///   - path: where the file is.
    ///   - module: what tells one module file from another.
    ///   - process: whose start it is.
    init(path: String, module: String, release: String, process: Int32) {
        self.path = path
        self.module = printable(module)
        self.release = printable(release)
        self.process = "\(process) \(StartMark.beginning(of: process) ?? 0)"
    }

    /// What there is from before.
    public func find() -> Finding {
        guard let lines = StartMark.read(path).map({ $0.split(separator: "\n", omittingEmptySubsequences: false) }),
            lines.count >= 3, lines[0] == module, lines[1] == release
        else { return .clear }
        let words = lines[2].split(separator: " ")
        guard words.count == 2, let number = Int32(words[0]), let beginning = UInt64(words[1]) else { return .clear }
        return StartMark.beginning(of: number) == beginning ? .otherStart : .leftover
    }

    /// Says that a start is under way, unless another process says so of its own. Returns whether the file is there.
    @discardableResult public mutating func write() -> Bool {
        guard isWritten || find() != .otherStart else { return false }
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        var text = "\(module)\n\(release)\n\(process)\n"
        isWritten = text.withUTF8 { Glibc.write(file, $0.baseAddress, $0.count) == $0.count }
        return isWritten
    }

    /// The start is through, or was taken back.
    public mutating func remove() {
        guard isWritten else { return }
        isWritten = false
        unlink(path)
    }

    /// What there is to say of a leftover.
    public var complaint: String {
        """
        the server ended amid this module's last start, so it is not loaded again; to try again, remove \(printable(path)); \
        another version of the module or of the server is tried by itself
        """
    }

    // MARK: - What there is to know

    /// A file, with what changes when it is another one.
    private static func identity(of file: String) -> String {
        var status = stat()
        guard stat(file, &status) == 0 else { return file }
        return "\(file) \(status.st_size) \(status.st_ino) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    /// When a process began, in the kernel's ticks; `nil` when there is none of this number.
    private static func beginning(of process: Int32) -> UInt64? {
        guard let line = read("/proc/\(process)/stat"), let end = line.lastIndex(of: ")") else { return nil }
        // The 22nd field; the third follows the name, in which anything can stand.
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
