import Glibc
import SessionDesktop

/// Which process is behind each client of the daemon.
///
/// Clients say a number of their own, which may be wrong, and inside of a sandbox means another process than outside. The kernel
/// knows who is at the other end of each of the daemon's sockets (unix(7), `SO_PEERCRED`); and a client is told of when its
/// connection has just been accepted, so the socket that has come since is its own.
final class PeerProcesses {
    private let processes: any ProcessTree
    /// The sockets that were seen last, by the number of their file.
    private var known: [UInt64: UInt32] = [:]
    /// The program of each client that has come since this module is there; `nil` where its socket could not be told.
    private var programs: [OpaquePointer: Program?] = [:]

    /// Looks at the connections that there are.
    init(processes: any ProcessTree) {
        self.processes = processes
        known = PeerProcesses.sockets()
    }

    /// A client is there.
    func added(_ client: OpaquePointer) {
        let sockets = PeerProcesses.sockets()
        let new = sockets.filter { known[$0.key] == nil }
        known = sockets
        // One that comes over a network has no process here.
        let process = Set(new.values).count == 1 ? new.values.first : nil
        programs[client] = .some(process.flatMap { processes.program(of: $0) })
    }

    /// It is gone.
    func removed(_ client: OpaquePointer) { programs[client] = nil }

    /// The program of a client; `nil` where that is not certain.
    ///
    /// - Parameter claimed: The number that it says. It counts only for those that were there before this module, and where there
    ///   is a connection from that process.
    func program(of client: OpaquePointer, claimed: UInt32?) -> Program? {
        if let program = programs[client] { return program }
        guard let claimed, PeerProcesses.sockets().values.contains(claimed) else { return nil }
        let program = processes.program(of: claimed)
        programs[client] = .some(program)
        return program
    }

    /// The kernel's `struct ucred`, which glibc shows only to those who ask for all that is GNU's.
    private struct Credentials {
        var pid: pid_t = 0
        var uid: uid_t = 0
        var gid: gid_t = 0
    }

    /// The process at the other end of each of this process's sockets, by the number of the socket's file.
    private static func sockets() -> [UInt64: UInt32] {
        var result: [UInt64: UInt32] = [:]
        guard let folder = opendir("/proc/self/fd") else { return result }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let number = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { strtol($0, nil, 10) }
            }
            guard let descriptor = Int32(exactly: number), descriptor > 2 else { continue }
            var credentials = Credentials()
            var size = socklen_t(MemoryLayout<Credentials>.size)
            var file = stat()
            guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0, credentials.pid > 0,
                credentials.pid != getpid(), fstat(descriptor, &file) == 0
            else { continue }
            result[UInt64(file.st_ino)] = UInt32(credentials.pid)
        }
        return result
    }
}
