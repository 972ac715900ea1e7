#if canImport(Glibc)
    import Glibc
#endif

/// Reads whole files, if they are regular and of a reasonable size. Blocks only on the disk.
package enum FileContents {
    /// Why a file cannot be read.
    package struct Failure: Error, Hashable {
        /// Whether the file does not exist.
        package var isMissing = false
        /// What was found, as part of a message.
        package var found: String
        /// What was expected, as part of a message.
        package var expected: String
    }

    /// Reads up to ``PolicyFile/maximumSize`` bytes.
    package static func read(_ path: String) -> Result<[UInt8], Failure> {
        guard !path.utf8.contains(0) else {
            return .failure(Failure(found: "a zero byte in the path", expected: "none"))
        }
        // O_NONBLOCK: a pipe without a writer must not hold up the server.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(failure(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(failure(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let found = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "no regular file"
            return .failure(Failure(found: found, expected: "a file"))
        }
        if status.st_size > PolicyFile.maximumSize { return .failure(tooLarge("\(status.st_size) bytes")) }
        return contents(of: descriptor)
    }

    /// Reads to the end of the file, whatever size `fstat` reported.
    private static func contents(of descriptor: Int32) -> Result<[UInt8], Failure> {
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return .success(contents) }
            if count < 0 {
                if errno == EINTR { continue }
                return .failure(failure(errno))
            }
            contents += buffer.prefix(count)
            if contents.count > PolicyFile.maximumSize {
                return .failure(tooLarge("more than \(PolicyFile.maximumSize) bytes"))
            }
        }
    }

    private static func tooLarge(_ found: String) -> Failure {
        Failure(found: found, expected: "at most \(PolicyFile.maximumSize)")
    }

    private static func failure(_ code: Int32) -> Failure {
        switch code {
        case ENOENT, ENOTDIR: Failure(isMissing: true, found: "no such file", expected: "one that can be read")
        case EACCES, EPERM: Failure(found: "a file without permission to read it", expected: "one that can be read")
        default: Failure(found: "error \(code) on reading", expected: "a file that can be read")
        }
    }
}
