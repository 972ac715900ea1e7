#if canImport(Glibc)
    import Glibc
#endif

/// Sees changes of the configuration files in some folders, also in those that do not exist yet, through one descriptor
/// that any loop can poll.
///
/// A folder that is missing is waited for in the nearest one above it that is there. Which that is has to be found out again
/// after a change (``FolderSearch``): that alone looks into the file system, which may be a distant one.
public struct FolderWatch {
    /// What matters in a folder that is watched.
    fileprivate struct Interest: Sendable {
        /// Files of ours are in it.
        var hasFiles = false
        /// Folders that are waited for.
        var folders: Set<String> = []
    }

    /// Becomes readable when something has changed; −1 when the system has no more of them.
    public var descriptor: Int32 { queue.descriptor }
    /// Finds out which folders are there, and has these watched from then on.
    public var search: FolderSearch { FolderSearch(queue: queue, folders: folders) }
    private let queue = NotificationQueue()
    private let folders: [String]
    private var interests: [Int32: Interest] = [:]

    /// Starts to watch folders, given by absolute paths. Looks into the file system.
    public init(_ folders: [String]) {
        self.folders = folders
        take(search.run())
    }

    /// Takes what a search has found.
    public mutating func take(_ found: FolderSearch.Found) {
        for old in interests.keys where found.interests[old] == nil { inotify_rm_watch(descriptor, old) }
        interests = found.interests
    }

    /// Takes what has been reported so far, without a look into the file system. Returns whether any of it matters: then another
    /// search is due.
    public func take() -> Bool {
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
            // A search that is under way has found folders that are not known yet.
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

/// The search for the folders of a ``FolderWatch``: it looks into the file system, so it may take long, and may be done on
/// another thread.
public struct FolderSearch: Sendable {
    /// The folders that are there, or the nearest ones above them.
    public struct Found: Sendable {
        fileprivate var interests: [Int32: FolderWatch.Interest] = [:]
    }

    fileprivate let queue: NotificationQueue
    fileprivate let folders: [String]

    /// Watches each folder or, where it is missing, the nearest one above. To watch one again changes nothing.
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

/// The system's queue of what happens in folders (inotify(7)); open for as long as somebody needs it.
private final class NotificationQueue: Sendable {
    let descriptor = inotify_init1(Int32(truncatingIfNeeded: IN_NONBLOCK | IN_CLOEXEC))

    deinit { if descriptor >= 0 { close(descriptor) } }
}

private func mask(_ events: Int32...) -> UInt32 {
    events.reduce(0) { $0 | UInt32(bitPattern: $1) }
}
