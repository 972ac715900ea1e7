import CPulseCore
import Glibc
import SessionCore
import SessionHost
import SessionService

/// What a stream and its client say of themselves.
struct StreamProperties: Equatable {
    let role: Role?
    /// Who plays or records it.
    let identity: ClientIdentity
    /// What is wrong with the properties, for the log.
    private(set) var complaint: String?

    /// Reads the properties; `nil` when the stream is not one that sessions are about: one of the daemon's own modules, or one
    /// that only looks at levels.
    init?(_ stream: StreamHandle, _ peers: PeerProcesses) {
        guard let client = stream.client, !stream.isInternal else { return nil }
        let claimed = text(stream.property("application.process.id")).flatMap { UInt32($0) }
        identity = ClientIdentity(
            program: peers.program(of: client, claimed: claimed), sandbox: nil,
            binary: name(stream.property("application.process.binary")),
            displayName: name(stream.property("application.name")),
            fallback: name(stream.property("media.name")) ?? "stream",
            connection: "client \(Int(bitPattern: UnsafeRawPointer(client)))")
        guard let claimed = stream.property("media.role"), claimed.pointee != 0 else {
            role = nil
            return
        }
        role = name(claimed).flatMap { Role($0) }
        if role == nil {
            complaint = """
                \(identity.application.name) has a media.role of \(strlen(claimed)) bytes, the longest that is looked at has \
                \(Role.maximumLength): it counts as untagged
                """
        }
    }
}
