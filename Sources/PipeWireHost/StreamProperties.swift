import CPipeWire
import SessionCore
import SessionDesktop
import SessionHost
import SessionService

/// What a node and its client say of a stream.
struct StreamProperties: Equatable {
    var direction: StreamDirection
    var role: Role?
    /// Who plays or records it.
    var identity: ClientIdentity
    /// The node goes on when it should pause, so it is muted instead.
    var ignoresPause: Bool
    /// It belongs to a client of PulseAudio, which pipewire-pulse serves.
    var isOfPulseClient: Bool
    /// What is wrong with the properties, for the log.
    var complaint: String?

    /// Reads a node's properties; `nil` when the node is not a stream that sessions are about.
    ///
    /// Left alone are devices, monitors, filters and loopbacks (all of which are linked groups or virtual), and everything
    /// whose category says that it is not a program that plays or records.
    ///
    /// - Parameter programs: What is known of the programs behind the client.
    init?(node: OpaquePointer, client: OpaquePointer?, programs: ClientPrograms?) {
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
        let isOfPulseClient =
            text(verified("client.api")) == "pipewire-pulse" && programs?.connected?.sandbox == nil
        self.isOfPulseClient = isOfPulseClient
        let claimed = text(verified("application.process.id") ?? own("application.process.id")).flatMap { UInt32($0) }
        let portal = name(verified("pipewire.access.portal.app_id")).flatMap { $0.isEmpty ? nil : $0 }
        let instance = name(verified("pipewire.access.portal.instance_id"))
        identity = ClientIdentity(
            program: isOfPulseClient ? programs?.program(of: claimed) : programs?.connected,
            // Whoever reaches PulseAudio's socket may record there.
            sandbox: portal.map { AppSandbox($0, instance: instance, mayRecord: isOfPulseClient) },
            binary: name(inherited("application.process.binary")), displayName: name(inherited("application.name")),
            fallback: name(own("node.name")) ?? "stream", connection: "client \(text(own("client.id")) ?? "?")",
            isOfServer: client == nil)
        ignoresPause = text(own("node.pause-on-idle")) == "false"
        guard let role = inherited("media.role"), role.pointee != 0 else { return }
        self.role = name(role).flatMap { Role($0) }
        if self.role == nil {
            complaint = """
                \(identity.application.name) has a media.role of \(strlen(role)) bytes, the longest that is looked at has \
                \(Role.maximumLength): it counts as untagged
                """
        } else if String(validatingCString: role) == nil {
            complaint =
                "\(identity.application.name) has a media.role that is not UTF-8: it is read as '\(self.role?.name ?? "")'"
        }
    }
}

/// Whether a property's value means yes, as PipeWire reads it.
func isTrue(_ value: String?) -> Bool { value == "true" || value == "1" }
