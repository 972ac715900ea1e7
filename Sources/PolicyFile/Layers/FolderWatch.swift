#if canImport(Glibc)
    import Glibc
#endif

/// Detects changes of configuration files in some folders, through one descriptor that any loop can poll. The folders
/// need not exist yet.
///
/// For a missing folder, the nearest existing parent is watched. After a change, ``FolderSearch`` finds that parent
/// again. Only the search accesses the file system, which may be remote.
public struct FolderWatch {
    /// What matters in a watched folder.
    fileprivate struct Interest: Sendable {
        /// Whether it contains policy files.
        var hasFiles = false
        /// The names of missing folders to wait for.
        var folders: Set<String> = []
    }

    /// Readable when something has changed; −1 if the system has no descriptor left.
    public var descriptor: Int32 { queue.descriptor }
    /// Whether anything is watched. If not, the system has no descriptor or no watch left.
    public var isWatching: Bool { !interests.isEmpty }
    /// A search that finds the existing folders and starts watching them.
    public var search: FolderSearch { FolderSearch(queue: queue, folders: folders) }
    private let queue = NotificationQueue()
    private let folders: [String]
    private var interests: [Int32: Interest] = [:]

    /// Starts watching folders, given by absolute paths. Accesses the file system.
    public init(_ folders: [String]) {
        self.folders = folders
        update(with: search.run())
    }

    /// Stores the result of a search.
    public mutating func update(with found: FolderSearch.Found) {
        for old in interests.keys where found.interests[old] == nil { inotify_rm_watch(descriptor, old) }
        interests = found.interests
    }

    /// Reads all reported events, without accessing the file system. Returns whether any of them matters, so that
    /// another search is needed.
    public func consumeChange() -> Bool {
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
        return matters
    }

    /// Whether any of these events matters.
    private func contains(_ events: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        let header = MemoryLayout<inotify_event>.size
        while offset + header <= events.count {
            let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + header + Int(event.len)
            guard end <= events.count else { return true }
            let name = String(decoding: events[(offset + header)..<end].prefix { $0 != 0 }, as: UTF8.self)
            let isOfItself = event.mask & mask(IN_DELETE_SELF, IN_MOVE_SELF, IN_Q_OVERFLOW) != 0
            // The event may belong to a folder found by a search that is still running.
            let isNew = interests[event.wd] == nil && event.mask & mask(IN_IGNORED) == 0
            let interest = interests[event.wd] ?? Interest()
            if isOfItself || isNew || interest.folders.contains(name) || interest.hasFiles && name.hasSuffix(".conf") {
                return true
            }
            offset = end
        }
        return false
    }
}

/// The search for the folders of a ``FolderWatch``. It accesses the file system, so it may take long, and may run on
/// another thread.
public struct FolderSearch: Sendable {
    /// The existing folders, or their nearest existing parents.
    public struct Found: Sendable {
        fileprivate var interests: [Int32: FolderWatch.Interest] = [:]
    }

    fileprivate let queue: NotificationQueue
    fileprivate let folders: [String]

    /// Watches each folder or, if it is missing, its nearest existing parent. Watching a folder again changes nothing.
    public func run() -> Found {
        var found = Found()
        guard queue.descriptor >= 0 else { return found }
        for folder in folders {
            var path = Substring(folder)
            var below = ""
            while true {
                let events = mask(
                    IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_CREATE, IN_DELETE_SELF, IN_MOVE_SELF,
                    IN_ONLYDIR)
                let watch = inotify_add_watch(queue.descriptor, path.isEmpty ? "/" : String(path), events)
                if watch >= 0 {
                    var interest = found.interests[watch] ?? FolderWatch.Interest()
                    if below.isEmpty { interest.hasFiles = true } else { interest.folders.insert(below) }
                    found.interests[watch] = interest
                }
                if watch >= 0 || path.isEmpty { break }
                let slash = path.lastIndex(of: "/") ?? path.startIndex
                below = String(path[slash...].dropFirst())
                path = path[..<slash]
            }
        }
        return found
    }
}

/// The system's queue of folder events (inotify(7)); open while anything refers to it.
private final class NotificationQueue: Sendable {
    let descriptor = inotify_init1(Int32(truncatingIfNeeded: IN_NONBLOCK | IN_CLOEXEC))

    deinit { if descriptor >= 0 { close(descriptor) } }
}

private func mask(_ events: Int32...) -> UInt32 {
    events.reduce(0) { $0 | UInt32(bitPattern: $1) }
}
