#if canImport(Glibc)
    import Glibc
#endif

/// Sees changes of the configuration files in some folders, also in those that do not exist yet, through one descriptor
/// that any loop can poll.
///
/// A folder that is missing is waited for in the nearest one above it that is there.
public struct FolderWatch: ~Copyable {
    /// What matters in a folder that is watched.
    private struct Interest {
        /// Files of ours are in it.
        var hasFiles = false
        /// Folders that are waited for.
        var folders: Set<String> = []
    }

    /// Becomes readable when something has changed; −1 when the system has no more of them.
    public let descriptor: Int32
    private let folders: [String]
    private var interests: [Int32: Interest] = [:]

    /// Starts to watch folders, given by absolute paths.
    public init(_ folders: [String]) {
        self.folders = folders
        descriptor = inotify_init1(Int32(truncatingIfNeeded: IN_NONBLOCK | IN_CLOEXEC))
        watch()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Takes what has been reported so far. Returns whether any of it matters.
    public mutating func take() -> Bool {
        guard descriptor >= 0 else { return false }
        var matters = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            if buffer.withUnsafeBytes({ contains(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }) {
                matters = true
            }
        }
        // Folders may have come or gone with that.
        if matters { watch() }
        return matters
    }

    /// Whether a series of events has one in it that matters.
    private func contains(_ events: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        let header = MemoryLayout<inotify_event>.size
        while offset + header <= events.count {
            let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + header + Int(event.len)
            guard end <= events.count else { return true }
            let name = String(decoding: events[(offset + header)..<end].prefix { $0 != 0 }, as: UTF8.self)
            let isOfItself = event.mask & mask(IN_DELETE_SELF, IN_MOVE_SELF, IN_Q_OVERFLOW) != 0
            let interest = interests[event.wd] ?? Interest()
            if isOfItself || interest.folders.contains(name) || interest.hasFiles && name.hasSuffix(".conf") {
                return true
            }
            offset = end
        }
        return false
    }

    /// Watches each folder or, where it is missing, the nearest one above. To watch one again changes nothing.
    private mutating func watch() {
        guard descriptor >= 0 else { return }
        var present: [Int32: Interest] = [:]
        for folder in folders {
            var path = Substring(folder)
            var below = ""
            while true {
                let events = mask(
                    IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_CREATE, IN_DELETE_SELF, IN_MOVE_SELF,
                    IN_ONLYDIR)
                let watch = inotify_add_watch(descriptor, path.isEmpty ? "/" : String(path), events)
                if watch >= 0 {
                    var interest = present[watch] ?? Interest()
                    if below.isEmpty { interest.hasFiles = true } else { interest.folders.insert(below) }
                    present[watch] = interest
                }
                if watch >= 0 || path.isEmpty { break }
                let slash = path.lastIndex(of: "/") ?? path.startIndex
                below = String(path[slash...].dropFirst())
                path = path[..<slash]
            }
        }
        for old in interests.keys where present[old] == nil { inotify_rm_watch(descriptor, old) }
        interests = present
    }
}

private func mask(_ events: Int32...) -> UInt32 {
    events.reduce(0) { $0 | UInt32(bitPattern: $1) }
}
