import ArgumentParser
import Glibc

/// The lock files through which `interrupt end` finds the processes of `interrupt begin`.
///
/// Each process has a file in the user's runtime folder, with the kind and the process id in its name, and locks it
/// until it ends. So another process that has got the same id is never taken for it.
struct InterruptionLock {
    let kind: String
    let process: pid_t
    private let path: String
    private let descriptor: Int32

    private static let prefix = "interruption-"
    /// How long a process may take to end after the request, in milliseconds.
    private static let patience = 5000

    private static var folder: String? {
        guard let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") else { return nil }
        return "\(runtime)/audio-session"
    }

    /// Creates and locks this process's file; `nil`, with a warning, if the folder is missing.
    static func acquire(_ kind: String) -> InterruptionLock? {
        func fail(_ reason: String) -> InterruptionLock? {
            Terminal.complain("interrupt end will not find this interruption: \(reason)")
            return nil
        }
        guard let folder else { return fail("XDG_RUNTIME_DIR is not set") }
        mkdir(folder, 0o700)
        let path = "\(folder)/\(prefix)\(kind)-\(getpid())"
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            return fail("\(path): \(String(cString: strerror(errno)))")
        }
        return InterruptionLock(kind: kind, process: getpid(), path: path, descriptor: descriptor)
    }

    /// Removes the file.
    func release() {
        unlink(path)
        close(descriptor)
    }

    /// Asks all processes that keep interruptions of a kind (or of any kind) to end, and waits until they have.
    ///
    /// - Returns: The processes that have ended.
    static func endAll(of kind: Interrupt.Kind?) throws -> [InterruptionLock] {
        guard let folder else {
            throw Terminal.failure("XDG_RUNTIME_DIR is not set, so no interruption can be found")
        }
        let locks = FileBytes.names(in: folder).compactMap { held($0, in: folder, of: kind?.rawValue) }
        for lock in locks { kill(lock.process, SIGTERM) }
        var ended: [InterruptionLock] = []
        for lock in locks {
            if lock.waitUntilFree() {
                ended.append(lock)
            } else {
                Terminal.complain("process \(lock.process) does not end")
            }
            close(lock.descriptor)
        }
        if ended.count < locks.count { throw ExitCode.failure }
        return ended
    }

    /// The lock held by a living process of this command. A file that nobody locks is a leftover and is removed.
    private static func held(_ name: String, in folder: String, of wanted: String?) -> InterruptionLock? {
        guard name.hasPrefix(prefix), let dash = name.lastIndex(of: "-"), dash >= prefix.endIndex,
            let process = pid_t(name[name.index(after: dash)...]), process > 1
        else { return nil }
        let kind = String(name[prefix.endIndex..<dash])
        guard wanted == nil || wanted == kind else { return nil }
        let path = "\(folder)/\(name)"
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let lock = InterruptionLock(kind: kind, process: process, path: path, descriptor: descriptor)
        if lock.isFree {
            lock.release()
            return nil
        }
        guard lock.isOurs else {
            close(descriptor)
            return nil
        }
        return lock
    }

    private var isFree: Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Whether the process belongs to this user and runs this program.
    private var isOurs: Bool {
        var status = stat()
        guard stat("/proc/\(process)", &status) == 0, status.st_uid == getuid() else { return false }
        return FileBytes.read("/proc/\(process)/comm") == FileBytes.read("/proc/self/comm")
    }

    private func waitUntilFree() -> Bool {
        for _ in 0..<(Self.patience / 10) where !isFree { usleep(10_000) }
        return isFree
    }
}
