import Glibc
public import PolicyRuntime

/// The processes of this machine, read from `/proc` (proc(5)). The kernel makes these files in memory and at once, but for
/// `cmdline`: it is the process's own memory.
public struct LinuxProcessTree: ProcessTree {
    /// The mount point of the proc file system.
    private let root: String
    /// The folders with desktop files.
    private let entries: [String]
    private let languages: [String]

    /// The machine's processes.
    public init() { self.init(root: "/proc") }

    /// Processes described by another folder, for tests.
    init(
        root: String, entries: [String] = DesktopFile.folders,
        languages: [String] = DesktopFile.languages(of: DesktopFile.locale)
    ) {
        self.root = root
        self.entries = entries
        self.languages = languages
    }

    /// The parent and the start time, fields 4 and 22 of `/proc/PID/stat`.
    public func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)? {
        status(of: process).map { ($0.parent, $0.start) }
    }

    /// Whether a process has ended, or its files are being closed because it does.
    public func hasEnded(_ process: ProcessID) -> Bool {
        status(of: process.number).map { $0.isEnding || $0.start != process.start } ?? true
    }

    /// Decided by the namespaces, by what Flatpak describes inside of a sandbox (`/.flatpak-info`, flatpak-metadata(5)), and
    /// by the control group that Flatpak or snapd has made.
    ///
    /// Services with a mount namespace of their own have the machine's root all the same. With another root, or in a user
    /// namespace of one's own, which whoever makes a mount namespace without privileges has made (user_namespaces(7)), it is
    /// not known what a program may do unless there is a description. What a control group says counts more: a program can
    /// describe itself in a root of its own making, but leave its group only with the help of somebody outside.
    public func confinement(of process: UInt32) -> Confinement {
        guard let files = target(of: "\(process)/ns/mnt"), let ownFiles = target(of: "self/ns/mnt"),
            let users = target(of: "\(process)/ns/user"), let ownUsers = target(of: "self/ns/user"),
            let groups = groups(of: process)
        else { return .unknown }
        let grouped = LinuxProcessTree.sandbox(inGroups: groups)
        var hasOwnRoot = false
        if files != ownFiles {
            guard let description = flatpakDescription(of: process) else { return .unknown }
            hasOwnRoot = description.hasOwnRoot
            if !description.text.isEmpty {
                let sandbox = LinuxProcessTree.sandbox(inFlatpak: description.text)
                guard let sandbox, grouped.map({ $0 == sandbox.application }) ?? true else {
                    return grouped.map { .sandbox(AppSandbox($0)) } ?? .unknown
                }
                return .sandbox(sandbox)
            }
        }
        if let grouped { return .sandbox(AppSandbox(grouped)) }
        return files == ownFiles || users == ownUsers && !hasOwnRoot ? .unconfined : .unknown
    }

    /// The path in `/proc/PID/exe`, even if the program's file has been replaced since.
    public func executable(of process: UInt32) -> String? {
        guard let text = target(of: "\(process)/exe") else { return nil }
        let deleted = " (deleted)"
        return text.hasSuffix(deleted) ? String(text.dropLast(deleted.count)) : text
    }

    /// The name under which the program was started, from `/proc/PID/comm` and `/proc/PID/cmdline`: `paplay` even if
    /// that is a link to pacat, and a script's own name instead of its interpreter's.
    public func name(of process: UInt32) -> String? {
        let command = contents(of: "\(process)/comm").map { String(decoding: $0, as: UTF8.self) }
        // The first arguments are enough, however many there are.
        let line = LinuxProcessTree.bytes(at: "\(root)/\(process)/cmdline", limit: 4096, flags: O_NOFOLLOW)
        let arguments = line.map { LinuxProcessTree.arguments($0) } ?? []
        return LinuxProcessTree.name(command: command ?? "", arguments: arguments)
    }

    /// The first 15 bytes of the name, from `/proc/PID/comm`.
    public func shortName(of process: UInt32) -> String? {
        let command = contents(of: "\(process)/comm").map { String(decoding: $0, as: UTF8.self) }
        return LinuxProcessTree.name(command: command ?? "", arguments: [])
    }

    /// The innermost application unit in `/proc/PID/cgroup`. A program that the user starts in a terminal does not
    /// count as part of the terminal's unit.
    public func unit(of process: UInt32) -> String? {
        guard let groups = groups(of: process), let unit = LinuxProcessTree.unit(inGroups: groups) else { return nil }
        if unit.hasPrefix("app-"), status(of: process)?.hasTerminal ?? false { return nil }
        return unit
    }

    /// The name in the first existing desktop file, if the file's file system answers at once.
    public func title(ofDesktopEntry entry: String) -> String? {
        guard DesktopFile.isName(entry), let mounts = contents(of: "self/mountinfo", limit: 1 << 20) else { return nil }
        for folder in entries {
            let path = "\(folder)/\(entry).desktop"
            guard LinuxProcessTree.answersAtOnce(path, mounts) else { continue }
            if let text = LinuxProcessTree.contents(at: path, limit: DesktopFile.limit, followsLinks: true),
                let title = DesktopFile.title(in: text, languages: languages)
            {
                return title
            }
        }
        return nil
    }

    // MARK: - Reading

    /// The parsed content of `/proc/PID/stat`.
    struct Status: Equatable {
        var parent: UInt32
        var hasTerminal: Bool
        var start: UInt64
        /// Whether it is ending (`PF_EXITING` in field 9), which is so before its files are closed.
        var isEnding = false
    }

    private func status(of process: UInt32) -> Status? {
        contents(of: "\(process)/stat").flatMap { LinuxProcessTree.status($0) }
    }

    private func groups(of process: UInt32) -> [UInt8]? { contents(of: "\(process)/cgroup") }

    /// Parses `/proc/PID/stat`. The second field is the program's name in parentheses, which may contain blanks and
    /// parentheses itself, so the fields are counted from the last parenthesis.
    static func status(_ line: [UInt8]) -> Status? {
        guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
        // Field 3 is the first one after the name.
        func field<Number: FixedWidthInteger>(_ number: Int) -> Number? {
            fields.dropFirst(number - 3).first.flatMap { Number(String(decoding: $0, as: UTF8.self)) }
        }
        guard let parent: UInt32 = field(4), let terminal: Int32 = field(7), let start: UInt64 = field(22) else {
            return nil
        }
        let flags: UInt32 = field(9) ?? 0
        return Status(parent: parent, hasTerminal: terminal != 0, start: start, isEnding: flags & 4 != 0)
    }

    /// The arguments in `/proc/PID/cmdline`; a program can overwrite them all with a single text.
    static func arguments(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 0).prefix(2).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The name of a program for people. The kernel keeps the first 15 bytes of the name; the full name is used if an
    /// argument contains it.
    static func name(command: String, arguments: [String]) -> String? {
        let command = command.hasSuffix("\n") ? String(command.dropLast()) : command
        let names = arguments.map { argument in
            // Chromium joins all its arguments into the first one; Wine's arguments contain backslashes.
            let program = argument.prefix(before: " -")
            return String(program.suffix(while: { $0 != "/" && $0 != "\\" }))
        }
        let known = names.first { !$0.isEmpty && ($0 == command || $0.utf8.count > 15 && $0.hasPrefix(command)) }
        return known ?? names.first { !$0.isEmpty } ?? (command.isEmpty ? nil : command)
    }

    /// Parses Flatpak's description of a sandbox: the application, the instance, and whether it may use PulseAudio's
    /// socket, which permits recording.
    static func sandbox(inFlatpak text: [UInt8]) -> AppSandbox? {
        var sandbox = AppSandbox("")
        KeyFile.read(text) { group, key, value in
            let value = String(decoding: value, as: UTF8.self)
            switch (group, String(decoding: key, as: UTF8.self)) {
            case ("Application", "name"): sandbox.application = value
            case ("Instance", "instance-id"): sandbox.instance = value
            case ("Context", "sockets"): sandbox.mayRecord = value.split(separator: ";").contains("pulseaudio")
            default: break
            }
            return true
        }
        return sandbox.application.isEmpty ? nil : sandbox
    }

    /// Whether a file is on a local file system of the kernel, not on another machine and not on one that a program
    /// serves (FUSE), which may take any time. Decided by `/proc/PID/mountinfo` (proc(5)).
    static func answersAtOnce(_ file: String, _ mounts: [UInt8]) -> Bool {
        var kind: String?
        var longest = 0
        for mount in LinuxProcessTree.mounts(mounts) {
            // The file may be a mount point itself; of several mounts in one place, the last one is in force.
            guard mount.place == "/" || file == mount.place || file.hasPrefix(mount.place + "/"),
                mount.place.utf8.count >= longest
            else { continue }
            longest = mount.place.utf8.count
            kind = mount.kind
        }
        let slow = ["fuse", "nfs", "cifs", "smb3", "9p", "ceph", "afs", "autofs"]
        return kind.map { kind in !slow.contains { kind.hasPrefix($0) } } ?? false
    }

    /// Whether the mount with a number is a file system that can only be mounted with privileges, or is in memory. Another
    /// one, an overlay too, can be served by the program that is asked about.
    static func isLocal(mount: Int, _ mounts: [UInt8]) -> Bool {
        let kinds = [
            "tmpfs", "ramfs", "rootfs", "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "bcachefs", "zfs", "squashfs",
            "erofs",
        ]
        return LinuxProcessTree.mounts(mounts).contains { $0.number == mount && kinds.contains($0.kind) }
    }

    /// The lines of `/proc/PID/mountinfo`: the mount's number, its place, and the kind of its file system.
    private static func mounts(_ text: [UInt8]) -> [(number: Int, place: String, kind: String)] {
        text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            guard fields.count > 4, let number = Int(fields[0]), let end = fields.firstIndex(of: "-"),
                end + 1 < fields.count
            else { return nil }
            return (number, fields[4], fields[end + 1])
        }
    }

    /// The application id in `/proc/PID/cgroup`: from the first hierarchy that contains one, and from the innermost
    /// group.
    static func sandbox(inGroups groups: [UInt8]) -> String? { innermost(of: groups) { sandbox(inGroup: $0) } }

    /// The application unit in `/proc/PID/cgroup`, recognised by the prefixes that desktops (systemd, Desktop
    /// Environment Integration), Flatpak and snapd use.
    static func unit(inGroups groups: [UInt8]) -> String? {
        innermost(of: groups) { group in
            let isUnit = group.hasSuffix(".scope") || group.hasSuffix(".service")
            let isOfApplication = ["app-", "flatpak-", "snap."].contains { group.hasPrefix($0) }
            return isUnit && isOfApplication ? group : nil
        }
    }

    private static func innermost(of groups: [UInt8], _ meaning: (String) -> String?) -> String? {
        for line in groups.split(separator: UInt8(ascii: "\n")) {
            for group in line.split(separator: UInt8(ascii: "/")).reversed() {
                if let found = meaning(String(decoding: group, as: UTF8.self)) { return found }
            }
        }
        return nil
    }

    /// The application id in the name of one control group: Flatpak's `app-flatpak-APPLICATION-NUMBER.scope`, or
    /// snapd's `snap.NAME.APPLICATION…`.
    static func sandbox(inGroup group: String) -> String? {
        if group.hasPrefix("app-flatpak-"), group.hasSuffix(".scope") {
            guard let end = group.lastIndex(of: "-") else { return nil }
            let id = group[..<end].dropFirst("app-flatpak-".count)
            return id.isEmpty ? nil : UnitName.unescaped(id)
        }
        if group.hasPrefix("snap.") {
            let name = group.dropFirst("snap.".count).prefix { $0 != "." }
            return name.isEmpty ? nil : String(name)
        }
        return nil
    }

    /// The target of a symbolic link below the root.
    private func target(of path: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return 0 }
                return max(0, readlink("\(root)/\(path)", start, characters.count))
            }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// A file below the root; `nil` if it cannot be read, or is longer than `limit`.
    private func contents(of path: String, limit: Int = 65_536) -> [UInt8]? {
        // Not through links: a file inside a sandbox may be anything.
        LinuxProcessTree.contents(at: "\(root)/\(path)", limit: limit, followsLinks: false)
    }

    private static func contents(at path: String, limit: Int, followsLinks: Bool) -> [UInt8]? {
        let bytes = bytes(at: path, limit: limit + 1, flags: followsLinks ? 0 : O_NOFOLLOW)
        return bytes.flatMap { $0.count > limit ? nil : $0 }
    }

    /// The first bytes of a file, however many reads they take: the kernel gives at most a page of some files at once. `nil`
    /// if there are none.
    private static func bytes(at path: String, limit: Int, flags: Int32) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let part = [UInt8](unsafeUninitializedCapacity: min(limit - bytes.count, 16_384)) { buffer, count in
                count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
            if part.isEmpty { break }
            bytes += part
        }
        return bytes.isEmpty ? nil : bytes
    }

    // MARK: - Inside of a sandbox

    /// What Flatpak's file in a process's root says, empty without such a file, and whether the process has another root than
    /// this one; `nil` if that cannot be told without waiting
    /// for a program: the process can mount anything into its own root, at any time.
    ///
    /// So each file is first opened with `O_PATH` (open(2)), for which no file system is asked. The descriptor holds its mount,
    /// so the process cannot put another one there between the look at the mount and the reading.
    private func flatpakDescription(of process: UInt32) -> (text: [UInt8], hasOwnRoot: Bool)? {
        let folder = open("\(root)/\(process)/root", LinuxProcessTree.path | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        defer { close(folder) }
        guard isLocal(folder, of: process) else { return nil }
        var (theirs, ours) = (stat(), stat())
        guard fstat(folder, &theirs) == 0, stat("\(root)/self/root/.", &ours) == 0 else { return nil }
        let hasOwnRoot = theirs.st_dev != ours.st_dev || theirs.st_ino != ours.st_ino
        let file = openat(folder, ".flatpak-info", LinuxProcessTree.path | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return errno == ENOENT ? ([], hasOwnRoot) : nil }
        defer { close(file) }
        var facts = stat()
        guard isLocal(file, of: process), fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        // Through the descriptor's link, which leads to this file and no other.
        return LinuxProcessTree.contents(at: "/proc/self/fd/\(file)", limit: 65_536, followsLinks: true)
            .map { ($0, hasOwnRoot) }
    }

    /// `O_PATH`, which glibc declares only with `_GNU_SOURCE` (fcntl.h).
    private static let path: Int32 = 0o10_000_000

    /// Whether an open file is on a local file system of a process.
    private func isLocal(_ descriptor: Int32, of process: UInt32) -> Bool {
        guard
            let facts = LinuxProcessTree.contents(
                at: "/proc/self/fdinfo/\(descriptor)", limit: 4096, followsLinks: false),
            let line = facts.split(separator: UInt8(ascii: "\n")).first(where: {
                $0.starts(with: Array("mnt_id:".utf8))
            }),
            let number = Int(
                String(decoding: line.dropFirst("mnt_id:".utf8.count).drop { $0 == 9 || $0 == 32 }, as: UTF8.self)),
            let mounts = contents(of: "\(process)/mountinfo", limit: 1 << 20)
        else { return false }
        return LinuxProcessTree.isLocal(mount: number, mounts)
    }
}

extension String {
    /// The part before two consecutive characters; the whole text if they do not occur.
    fileprivate func prefix(before pair: StaticString) -> String {
        let letters = Array(utf8)
        let (first, second) = pair.withUTF8Buffer { ($0.first, $0.last) }
        let place = letters.indices.dropLast().first { letters[$0] == first && letters[$0 + 1] == second }
        return place.map { String(decoding: letters[..<$0], as: UTF8.self) } ?? self
    }
}
