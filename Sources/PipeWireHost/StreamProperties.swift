import CPipeWire
import SessionCore

/// What a node and its client say of a stream.
struct StreamProperties {
    var direction: StreamDirection
    var role: Role?
    var application: ApplicationID
    /// The node goes on when it should pause, so it is muted instead.
    var ignoresPause: Bool

    /// Reads a node's properties; `nil` when the node is not a stream that sessions are about.
    ///
    /// Left alone are devices, monitors, filters and loopbacks (all of which are linked groups or virtual), and everything
    /// whose role or category says that it is a part of audio production.
    init?(node: OpaquePointer, client: OpaquePointer?) {
        let properties = pw_impl_node_get_properties(node)
        let clientProperties = client.flatMap { pw_impl_client_get_properties($0) }
        func own(_ key: String) -> String? { text(pw_properties_get(properties, key), limit: Self.longest) }
        func inherited(_ key: String) -> String? {
            own(key) ?? text(clientProperties.flatMap { pw_properties_get($0, key) }, limit: Self.longest)
        }
        switch own("media.class") {
        case "Stream/Output/Audio": direction = .playback
        case "Stream/Input/Audio": direction = .capture
        default: return nil
        }
        guard own("node.link-group") == nil, !isTrue(own("stream.monitor")), !isTrue(own("stream.capture.sink")),
            !isTrue(own("node.virtual"))
        else { return nil }
        switch own("media.category") {
        case "Filter", "Duplex", "Monitor", "Manager": return nil
        default: break
        }
        role = inherited("media.role").flatMap { Role($0) }
        application = ApplicationID(
            portal: text(clientProperties.flatMap { pw_properties_get($0, "pipewire.access.portal.app_id") }),
            binary: inherited("application.process.binary"), displayName: inherited("application.name"),
            fallback: own("node.name") ?? "stream")
        ignoresPause = own("node.pause-on-idle") == "false"
    }

    /// The longest value that is looked at; a role longer than ``Role/maximumLength`` is none.
    private static let longest = 256
}

/// Whether a property's value means yes, as PipeWire reads it.
func isTrue(_ value: String?) -> Bool { value == "true" || value == "1" }
