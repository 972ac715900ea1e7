import BusService
import CPulseCore
import Glibc
import HostSupport
import PolicyEngine
import PolicyRuntime

/// The properties of a stream and its client.
struct StreamProperties: Equatable {
    let role: Role?
    /// The application and process that play or record the stream.
    let identity: ClientIdentity
    /// An error in the properties, for the log.
    private(set) var complaint: String?

    /// Reads the properties; `nil` for a stream that sessions do not manage: one of the daemon's own modules, or a
    /// level meter.
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
                \(identity.application.name) has a media.role of \(strlen(claimed)) bytes, expected at most \
                \(Role.maximumLength): the stream counts as untagged
                """
        }
    }
}
