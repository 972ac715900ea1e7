import Glibc

/// The processes of this machine, from `/proc` (proc(5)), whose files are made in memory when they are read.
public struct LinuxProcessTree: ProcessTree {
    /// The machine's processes.
    public init() {}

    /// The fourth field of `/proc/PID/stat`.
    public func parent(of process: UInt32) -> UInt32? {
        LinuxProcessTree.contents(of: "/proc/\(process)/stat").flatMap(LinuxProcessTree.parent(inStatus:))
    }

    /// The application id in the name of the control group: what Flatpak and snapd put there.
    public func sandbox(of process: UInt32) -> String? {
        LinuxProcessTree.contents(of: "/proc/\(process)/cgroup").flatMap(LinuxProcessTree.sandbox(inGroups:))
    }

    /// The parent in a line of `/proc/PID/stat`. The second field is the program's name in parentheses, which may
    /// itself have blanks and parentheses in it, so what counts is what follows the last one.
    static func parent(inStatus status: [UInt8]) -> UInt32? {
        guard let end = status.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = status[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let field = fields.dropFirst().first else { return nil }
        return UInt32(String(decoding: field, as: UTF8.self))
    }

    /// The application id in `/proc/PID/cgroup`: of several hierarchies the first that has one, and of nested groups
    /// the innermost.
    static func sandbox(inGroups groups: [UInt8]) -> String? {
        for line in groups.split(separator: UInt8(ascii: "\n")) {
            for group in line.split(separator: UInt8(ascii: "/")).reversed() {
                if let id = sandbox(inGroup: String(decoding: group, as: UTF8.self)) { return id }
            }
        }
        return nil
    }

    /// The application id in the name of one control group: `app-flatpak-APPLICATION-NUMBER.scope` of Flatpak,
    /// `snap.NAME.APPLICATION…` of snapd.
    static func sandbox(inGroup group: String) -> String? {
        if group.hasPrefix("app-flatpak-"), group.hasSuffix(".scope") {
            guard let end = group.lastIndex(of: "-") else { return nil }
            let id = group[..<end].dropFirst("app-flatpak-".count)
            return id.isEmpty ? nil : unescaped(id)
        }
        if group.hasPrefix("snap.") {
            let name = group.dropFirst("snap.".count).prefix { $0 != "." }
            return name.isEmpty ? nil : String(name)
        }
        return nil
    }

    /// The text that systemd has escaped: `\x2d` is a hyphen (systemd.unit(5), "String Escaping for Inclusion in Unit
    /// Names").
    private static func unescaped(_ name: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(name).utf8[...]
        while let byte = rest.first {
            let escape = rest.prefix(4)
            if byte == UInt8(ascii: "\\"), escape.count == 4, escape.dropFirst().first == UInt8(ascii: "x"),
                let code = UInt8(String(decoding: escape.dropFirst(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(4)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first 4096 bytes of a file; nil when it cannot be read.
    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : bytes
    }
}
