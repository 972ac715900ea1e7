import DesktopServices
import Glibc
import PolicyRuntime

/// The process behind each client of the daemon.
///
/// The process id that a client states may be wrong, and means another process inside a sandbox than outside. The
/// kernel knows the process at the other end of each of the daemon's sockets (unix(7), `SO_PEERCRED`). A client is
/// announced right after its connection was accepted, so the newest socket is the client's.
final class PeerProcesses {
    private let processes: any ProcessTree
    /// The sockets at the last look, by inode, with the process at the other end.
    private var known: [UInt64: UInt32] = [:]
    /// The programs that each client may be, as they were when it came: one as a rule; several if other programs have
    /// connected at the same time, and all of them are outside of sandboxes; none for a client on the network.
    private var candidates: [OpaquePointer: [Program]] = [:]
    /// The number of sockets that are considered for one client at most.
    private static let mostCandidates = 8
    /// Whether a client from before this module may say which of the programs it is: all of them are outside of sandboxes.
    private let trustsClaims: Bool

    /// Records the connections that exist already.
    init(processes: any ProcessTree) {
        self.processes = processes
        known = PeerProcesses.sockets()
        trustsClaims = Set(known.values).allSatisfy { processes.confinement(of: $0) == .unconfined }
    }

    /// Records a new client.
    func added(_ client: OpaquePointer) {
        let sockets = PeerProcesses.sockets()
        let new = Set(sockets.filter { known[$0.key] == nil }.values)
        known = sockets
        candidates[client] = certain(new)
    }

    /// Forgets a client that has gone.
    func removed(_ client: OpaquePointer) { candidates[client] = nil }

    /// The program of a client; `nil` if it is not certain.
    ///
    /// - Parameter claimed: The process id that the client states. It decides only between programs outside of sandboxes.
    func program(of client: OpaquePointer, claimed: UInt32?) -> Program? {
        if candidates[client] == nil {
            let isConnected = claimed.map { PeerProcesses.sockets().values.contains($0) } ?? false
            let program = trustsClaims && isConnected ? claimed.flatMap { processes.program(of: $0) } : nil
            // Another process may have got the number since.
            candidates[client] = program?.confinement == .unconfined ? program.map { [$0] } : []
        }
        let known = candidates[client] ?? []
        return known.count == 1 ? known.first : known.first { $0.process.number == claimed }
    }

    /// The programs of some processes; none if there are several and not all of them are outside of sandboxes.
    private func certain(_ numbers: Set<UInt32>) -> [Program] {
        guard numbers.count <= Self.mostCandidates else { return [] }
        let programs = numbers.sorted().map { processes.program(of: $0) }
        let areOutside = programs.allSatisfy { $0?.confinement == .unconfined }
        return numbers.count == 1 || areOutside ? programs.compactMap { $0 } : []
    }

    /// The kernel's `struct ucred`, which glibc declares only with `_GNU_SOURCE`.
    private struct Credentials {
        var pid: pid_t = 0
        var uid: uid_t = 0
        var gid: gid_t = 0
    }

    /// The process at the other end of each socket that this process has accepted, by the socket's inode. A socket that this
    /// process has connected itself, such as to a bus, has no name.
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
            var name = sockaddr_un()
            var length = socklen_t(MemoryLayout<sockaddr_un>.size)
            let error = withUnsafeMutablePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            guard error == 0, length > MemoryLayout<sa_family_t>.size else { continue }
            guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0, credentials.pid > 0,
                credentials.pid != getpid(), fstat(descriptor, &file) == 0
            else { continue }
            result[UInt64(file.st_ino)] = UInt32(credentials.pid)
        }
        return result
    }
}
