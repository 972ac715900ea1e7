import CPipeWire
import HostSupport
import PolicyRuntime

/// The settings of a session manager, in the metadata "sm-settings". One of them works against the policy:
/// `linking.pause-playback`, which WirePlumber has since 0.5.11, and which is on by default.
///
/// When a sink goes, the session manager asks the players that were heard there to pause, and never asks them to go on.
/// The policy would take these pauses for the users': no player would go on when the headphones are back, and a call in a
/// browser would stop instead of going on elsewhere. So the setting is off while the policy is in force. The values that
/// the module writes are never saved.
final class ManagerSettings {
    /// The name of the metadata.
    static let name = "sm-settings"
    /// The maximum number of such metadata objects that are observed.
    static let most = 8
    private static let key = "linking.pause-playback"

    let resource: OpaquePointer
    private var pausePlayback = ConflictingSetting()
    private let log: (LogLevel, String) -> Void
    private let removed: (ManagerSettings) -> Void
    private var events: Listener<pw_resource_events>?
    private var properties: Listener<pw_metadata_events>?

    /// - Parameters:
    ///   - resource: The resource of the client that exports the metadata.
    ///   - isInTheWay: Whether the policy takes the setting's place.
    ///   - removed: Called when the metadata is gone.
    init(
        resource: OpaquePointer, isInTheWay: Bool, log: @escaping (LogLevel, String) -> Void,
        removed: @escaping (ManagerSettings) -> Void
    ) {
        self.resource = resource
        self.log = log
        self.removed = removed
        _ = pausePlayback.update(isInTheWay: isInTheWay)
        var resourceEvents = pw_resource_events()
        resourceEvents.version = UInt32(PW_VERSION_RESOURCE_EVENTS)
        resourceEvents.destroy = { data in
            guard let self = object(data, as: ManagerSettings.self) else { return }
            self.events = nil
            self.properties = nil
            self.removed(self)
        }
        events = Listener(resourceEvents) { pw_resource_add_listener(resource, $0, $1, pointer(to: self)) }
        var metadataEvents = pw_metadata_events()
        metadataEvents.version = UInt32(PW_VERSION_METADATA_EVENTS)
        metadataEvents.property = { data, subject, key, _, value in
            let key = text(key)
            guard subject == 0, key == nil || key == ManagerSettings.key else { return 0 }
            object(data, as: ManagerSettings.self)?.report(key == nil ? nil : text(value))
            return 0
        }
        properties = Listener(metadataEvents) { cpw_metadata_add_listener(resource, $0, $1, pointer(to: self)) }
    }

    /// Turns the setting off, or on again.
    func update(isInTheWay: Bool) { write(pausePlayback.update(isInTheWay: isInTheWay)) }

    private func report(_ value: String?) {
        let wasKept = pausePlayback.isKept
        write(pausePlayback.report(value.map { $0 == "true" }))
        if pausePlayback.isKept, !wasKept {
            log(.warning, "\(Self.key) was turned on again: the session manager pauses players, and they stay paused")
        }
    }

    private func write(_ isOn: Bool?) {
        guard let isOn else { return }
        let line = isOn ? "is on again" : "is off while this policy is in force: the policy takes its place"
        log(.info, "\(Self.key) \(line)")
        cpw_metadata_set(resource, 0, Self.key, "Spa:String:JSON", isOn ? "true" : "false")
    }
}
