#if canImport(Glibc)
    import Glibc
#endif

/// Lists the policy files of a folder.
enum Folder {
    /// The maximum number of files read from one folder.
    static let maximumCount = 256

    /// The names that end in `.conf`, in byte order, without hidden files. Empty for a missing folder.
    static func names(_ path: String) -> Result<[String], FileContents.Failure> {
        guard let folder = opendir(path) else {
            let code = errno
            var status = stat()
            let isThere = stat(path, &status) == 0
            switch code {
            case ENOENT: return .success([])
            case ENOTDIR where !isThere: return .success([])
            case ENOTDIR: return .failure(.init(found: "no folder", expected: "one"))
            case EACCES, EPERM:
                return .failure(
                    .init(found: "a folder without permission to read it", expected: "one that can be read"))
            default: return .failure(.init(found: "error \(code) on reading", expected: "a folder that can be read"))
            }
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(".conf"), !name.hasPrefix(".") else { continue }
            guard names.count < maximumCount else {
                return .failure(.init(found: "more than \(maximumCount) files", expected: "fewer"))
            }
            names.append(name)
        }
        return .success(names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }
}
