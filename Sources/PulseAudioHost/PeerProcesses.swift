import Glibc
import SessionDesktop

/// The process behind each client of the daemon.
///
/// The process id that a client states may be wrong, and means another process inside a sandbox than outside. The
/// kernel knows the process at the other end of each of the daemon's sockets (unix(7), `SO_PEERCRED`). A client is
/// announced right after its connection was accepted, so the newest socket is the client's.
final class PeerProcesses {
    private let processes: any ProcessTree
    /// The sockets at the last look, by inode, with the process at the other end.
    private var known: [UInt64: UInt32] = [:]
    /// The programs at the other end of the sockets that appeared together with a client: one as a rule; several if the
    /// daemon itself has connected elsewhere meanwhile; none for a client on the network.
    private var candidates: [OpaquePointer: [Program]] = [:]
    /// The number of sockets that are considered for one client at most.
    private static let mostCandidates = 8

    /// Records the connections that exist already.
    init(processes: any ProcessTree) {
        self.processes = processes
        known = PeerProcesses.sockets()
    }

    /// Records a new client.
    func added(_ client: OpaquePointer) {
        let sockets = PeerProcesses.sockets()
        let new = sockets.filter { known[$0.key] == nil }
        known = sockets
        candidates[client] = Set(new.values).sorted().prefix(Self.mostCandidates).compactMap {
            processes.program(of: $0)
        }
    }

    /// Forgets a client that has gone.
    func removed(_ client: OpaquePointer) { candidates[client] = nil }

    /// The program of a client; `nil` if it is not certain.
    ///
    /// - Parameter claimed: The process id that the client states. It decides only between several candidates, or, for
    ///   a client from before this module, if there is a connection from that process.
    func program(of client: OpaquePointer, claimed: UInt32?) -> Program? {
        if let known = candidates[client] {
            return known.count == 1 ? known.first : known.first { $0.process.number == claimed }
        }
        guard let claimed, PeerProcesses.sockets().values.contains(claimed) else { return nil }
        let program = processes.program(of: claimed)
        candidates[client] = program.map { [$0] } ?? []
        return program
    }

    /// The kernel's `struct ucred`, which glibc declares only with `_GNU_SOURCE`.
    private struct Credentials {
        var pid: pid_t = 0
        var uid: uid_t = 0
        var gid: gid_t = 0
    }

    /// The process at the other end of each socket of this process, by the socket's inode.
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
