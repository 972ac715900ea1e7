import CPipeWire
import Glibc
import HostSupport

/// The session manager's metadata "default": which sink and source are the default ones, and where streams are sent.
///
/// We use the resource of the client that exports the metadata, inside the daemon. A connection of our own would be a
/// client of the daemon inside itself, and version 0.3.65 crashes when such a client binds a metadata object.
final class DefaultsWatch {
    private static let keys = ["default.audio.sink", "default.audio.source"]

    let resource: OpaquePointer
    private var values: [String: String] = [:]
    private unowned let watch: RouteWatch
    private var events: Listener<pw_resource_events>?
    private var properties: Listener<pw_metadata_events>?

    init(resource: OpaquePointer, watch: RouteWatch) {
        self.resource = resource
        self.watch = watch
        var resourceEvents = pw_resource_events()
        resourceEvents.version = UInt32(PW_VERSION_RESOURCE_EVENTS)
        resourceEvents.destroy = { data in
            guard let self = object(data, as: DefaultsWatch.self) else { return }
            self.events = nil
            self.properties = nil
            self.watch.removed(self)
        }
        events = Listener(resourceEvents) { pw_resource_add_listener(resource, $0, $1, pointer(to: self)) }
        var metadataEvents = pw_metadata_events()
        metadataEvents.version = UInt32(PW_VERSION_METADATA_EVENTS)
        metadataEvents.property = { data, subject, key, type, value in
            object(data, as: DefaultsWatch.self)?.handleProperty(
                subject, text(key), text(type), text(value, limit: 1024))
            return 0
        }
        properties = Listener(metadataEvents) { cpw_metadata_add_listener(resource, $0, $1, pointer(to: self)) }
    }

    /// The session manager's client; `nil` if the session manager runs inside the daemon, where it cannot be held back.
    var client: OpaquePointer? {
        guard let client = pw_resource_get_client(resource),
            let process = text(pw_properties_get(pw_impl_client_get_properties(client), "pipewire.sec.pid")),
            process != "\(getpid())"
        else { return nil }
        return client
    }

    private func handleProperty(_ subject: UInt32, _ key: String?, _ type: String?, _ value: String?) {
        // Keep the entry in case this metadata becomes the one of the session manager.
        if subject == 0, key == nil || key.map({ DefaultsWatch.keys.contains($0) }) == true {
            for name in DefaultsWatch.keys where key == nil || key == name { values[name] = value }
        }
        watch.handleEntry(of: self, subject, key, type, value)
    }

    /// Reports all current defaults again.
    func reportDefaults() {
        for key in DefaultsWatch.keys { watch.handleEntry(of: self, 0, key, nil, values[key]) }
    }

    /// Sets an entry, or removes it.
    func set(_ key: String, of subject: UInt32, type: String?, to value: String?) {
        cpw_metadata_set(resource, subject, key, type, value)
    }
}
