import BusService
import CPipeWire
import DesktopServices
import HostSupport
import PolicyEngine
import PolicyRuntime

/// A stream's properties, from its node and its client.
struct StreamProperties: Equatable {
    var direction: StreamDirection
    var role: Role?
    /// The application and process that play or record the stream.
    var identity: ClientIdentity
    /// Mute instead of pausing: a node with `node.pause-on-idle = false` plays on when it is inactive.
    var ignoresPause: Bool
    /// Whether the stream belongs to a PulseAudio client, served by pipewire-pulse.
    var isOfPulseClient: Bool
    /// An error in the properties, for the log.
    var complaint: String?

    /// Reads a node's properties; `nil` if the node is not a stream that sessions manage.
    ///
    /// Devices, monitors, filters and loopbacks (all linked groups or virtual nodes) are left alone. So is a node whose
    /// media category is neither playback nor capture by a program.
    ///
    /// - Parameters:
    ///   - programs: What is known of the programs behind the client.
    ///   - isOfServer: Whether the daemon itself has made the node.
    init?(node: OpaquePointer, client: OpaquePointer?, programs: ClientPrograms?, isOfServer: Bool) {
        let properties = pw_impl_node_get_properties(node)
        let clientProperties = client.flatMap { pw_impl_client_get_properties($0) }
        func own(_ key: String) -> UnsafePointer<CChar>? { pw_properties_get(properties, key) }
        func inherited(_ key: String) -> UnsafePointer<CChar>? {
            own(key) ?? clientProperties.flatMap { pw_properties_get($0, key) }
        }
        switch text(own("media.class")) {
        case "Stream/Output/Audio": direction = .playback
        case "Stream/Input/Audio": direction = .capture
        default: return nil
        }
        guard own("node.link-group") == nil, !isTrue(text(own("stream.monitor"))),
            !isTrue(text(own("stream.capture.sink"))), !isTrue(text(own("node.virtual")))
        else { return nil }
        switch text(own("media.category")) {
        case "Filter", "Duplex", "Monitor", "Manager": return nil
        default: break
        }
        func verified(_ key: String) -> UnsafePointer<CChar>? {
            clientProperties.flatMap { pw_properties_get($0, key) }
        }
        // Only a program outside of sandboxes, such as a portal or pipewire-pulse, speaks for others.
        let speaksForOthers = programs?.connected?.confinement == .unconfined
        let isOfPulseClient =
            text(verified("client.api")) == "pipewire-pulse" && speaksForOthers
            && ["pipewire", "pipewire-pulse"].contains(programs?.connected?.executable)
        self.isOfPulseClient = isOfPulseClient
        let claimed = text(verified("application.process.id") ?? own("application.process.id")).flatMap { UInt32($0) }
        func spoken(_ key: String) -> String? {
            speaksForOthers ? name(verified(key)).flatMap { $0.isEmpty ? nil : $0 } : nil
        }
        // Unknown are a sandbox without a name, a client on another machine, and a client that states pipewire-pulse's own
        // process.
        let isNameless = ["pipewire.access.portal.app_id", "pipewire.snap.id"].contains {
            verified($0).map { $0.pointee == 0 } ?? false
        }
        let isKnown =
            !isNameless && text(verified("pulse.server.type")) != "tcp"
            && !(isOfPulseClient && claimed != nil && claimed == programs?.connected?.process.number)
        // A client that can reach PulseAudio's socket may record there; snaps are asked by pipewire-pulse (since 1.2).
        let sandbox =
            spoken("pipewire.access.portal.app_id").map {
                AppSandbox($0, instance: spoken("pipewire.access.portal.instance_id"), mayRecord: isOfPulseClient)
            }
            ?? spoken("pipewire.snap.id").map {
                AppSandbox($0, mayRecord: isTrue(spoken("pipewire.snap.audio.record")))
            }
        identity = ClientIdentity(
            program: !isKnown ? nil : isOfPulseClient ? programs?.program(of: claimed) : programs?.connected,
            sandbox: sandbox,
            binary: name(inherited("application.process.binary")), displayName: name(inherited("application.name")),
            fallback: name(own("node.name")) ?? "stream", connection: "client \(text(own("client.id")) ?? "?")",
            isOfServer: isOfServer)
        ignoresPause = text(own("node.pause-on-idle")) == "false"
        guard let role = inherited("media.role"), role.pointee != 0 else { return }
        self.role = name(role).flatMap { Role($0) }
        if self.role == nil {
            complaint = """
                \(identity.application.name) has a media.role of \(strlen(role)) bytes, expected at most \
                \(Role.maximumLength): the stream counts as untagged
                """
        } else if String(validatingCString: role) == nil {
            complaint =
                "\(identity.application.name) has a media.role that is not UTF-8: it is read as '\(self.role?.name ?? "")'"
        }
    }
}

/// Whether a property's value is true in PipeWire's syntax.
func isTrue(_ value: String?) -> Bool { value == "true" || value == "1" }
