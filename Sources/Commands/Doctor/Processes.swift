import Glibc

/// Looks through the kernel's list of processes for sound servers.
enum Processes {
    /// The programs that are looked for.
    private static let names: Set<String> = [
        "pipewire", "pipewire-pulse", "wireplumber", mediaSession, "pulseaudio",
    ]
    /// The kernel keeps 15 characters of a name.
    private static let mediaSession = String("pipewire-media-session".prefix(15))

    /// The sound servers and session managers of this user, in the order of their numbers.
    static func servers(runtimeFolder: String?) -> [Evidence.ServerProcess] {
        numbers.compactMap { number in
            guard let name = FileBytes.read("/proc/\(number)/comm")?.split(separator: "\n").first.map(String.init),
                names.contains(name)
            else { return nil }
            var status = stat()
            guard stat("/proc/\(number)", &status) == 0, status.st_uid == getuid() else { return nil }
            return server(number, name, runtimeFolder: runtimeFolder)
        }
    }

    private static func server(
        _ number: Int32, _ name: String, runtimeFolder: String?
    ) -> Evidence.ServerProcess? {
        let variables = Self.variables(of: number)
        let maps = FileBytes.read("/proc/\(number)/maps")
        // A process that is ending has neither.
        if maps == "", variables.isEmpty { return nil }
        let usual = "/run/user/\(getuid())"
        let own = variables["XDG_RUNTIME_DIR"] ?? usual
        return Evidence.ServerProcess(
            number: number, name: name == mediaSession ? "pipewire-media-session" : name,
            runtimeFolder: variables["XDG_RUNTIME_DIR"], busAddress: variables["DBUS_SESSION_BUS_ADDRESS"],
            module: maps.flatMap { loadedModule($0) }, isReadable: maps.map { !$0.isEmpty } ?? false,
            // A server whose environment cannot be read counts as the only one of its user.
            isOfThisSession: variables.isEmpty || own == runtimeFolder ?? usual)
    }

    /// The environment with which a process has started.
    static func variables(of number: Int32) -> [String: String] {
        var result: [String: String] = [:]
        for entry in (FileBytes.read("/proc/\(number)/environ") ?? "").split(separator: "\0") {
            guard let equals = entry.firstIndex(of: "=") else { continue }
            result[String(entry[..<equals])] = String(entry[entry.index(after: equals)...])
        }
        return result
    }

    /// The words with which a process has started.
    static func words(of number: Int32) -> [String] {
        (FileBytes.read("/proc/\(number)/cmdline") ?? "").split(separator: "\0").map(String.init)
    }

    /// The module's file in a list of mappings, as in `/proc/PID/maps`.
    static func loadedModule(_ maps: String) -> Evidence.LoadedFile? {
        for line in maps.split(separator: "\n") {
            // Address, access, offset, device, number of the file, path, which may have blanks.
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count == 6, let number = UInt64(fields[4]) else { continue }
            var path = String(fields[5].drop { $0 == " " })
            let isDeleted = path.hasSuffix(" (deleted)")
            if isDeleted { path.removeLast(10) }
            guard path.hasSuffix("module-audio-session.so") else { continue }
            return Evidence.LoadedFile(path: path, number: number, isDeleted: isDeleted)
        }
        return nil
    }

    private static var numbers: [Int32] { FileBytes.names(in: "/proc").compactMap { Int32($0) }.sorted() }
}

/// Small files and folders of the system.
enum FileBytes {
    /// A file as text; `nil` if it cannot be read. Long files are read in part.
    static func read(_ path: String, limit: Int = 4 << 20) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count < 0 && bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The names in a folder, in order; none if it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    /// The number of a file in its file system; `nil` if there is none.
    static func number(of path: String) -> UInt64? {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Where a symbolic link leads.
    static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBufferPointer { $0.baseAddress.map { readlink(path, $0, 4096) } ?? -1 }
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
