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
    /// The programs at the other end of the sockets that had come when a client did: one, unless the daemon has connected itself
    /// somewhere meanwhile; none for a client that comes over a network.
    private var candidates: [OpaquePointer: [Program]] = [:]
    /// More sockets that came at once are not told apart.
    private static let mostCandidates = 8

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
        candidates[client] = Set(new.values).sorted().prefix(Self.mostCandidates).compactMap {
            processes.program(of: $0)
        }
    }

    /// It is gone.
    func removed(_ client: OpaquePointer) { candidates[client] = nil }

    /// The program of a client; `nil` where that is not certain.
    ///
    /// - Parameter claimed: The number that it says. It counts only where there are several, and for those that were there before
    ///   this module, if there is a connection from that process.
    func program(of client: OpaquePointer, claimed: UInt32?) -> Program? {
        if let known = candidates[client] {
            return known.count == 1 ? known.first : known.first { $0.process.number == claimed }
        }
        guard let claimed, PeerProcesses.sockets().values.contains(claimed) else { return nil }
        let program = processes.program(of: claimed)
        candidates[client] = program.map { [$0] } ?? []
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
