import CPipeWire
import SessionHost
import Glibc

/// The session manager's metadata "default": which sink and source are the default ones, and where streams are sent.
///
/// It is reached through the resource of the client that exports it, inside the daemon: a connection of our own would be a
/// client of its own, and the daemon of 0.3.65 crashes when one inside itself binds a metadata object.
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
            object(data, as: DefaultsWatch.self)?.heard(subject, text(key), text(type), text(value, limit: 1024))
            return 0
        }
        properties = Listener(metadataEvents) { cpw_metadata_add_listener(resource, $0, $1, pointer(to: self)) }
    }

    /// The session manager's connection to the daemon; `nil` for one that is part of the daemon, which cannot wait.
    var client: OpaquePointer? {
        guard let client = pw_resource_get_client(resource),
            let process = text(pw_properties_get(pw_impl_client_get_properties(client), "pipewire.sec.pid")),
            process != "\(getpid())"
        else { return nil }
        return client
    }

    private func heard(_ subject: UInt32, _ key: String?, _ type: String?, _ value: String?) {
        // Kept for the time when this one is the session manager's.
        if subject == 0, key == nil || key.map({ DefaultsWatch.keys.contains($0) }) == true {
            for name in DefaultsWatch.keys where key == nil || key == name { values[name] = value }
        }
        watch.entry(of: self, subject, key, type, value)
    }

    /// Tells once more what the defaults are.
    func tellDefaults() {
        for key in DefaultsWatch.keys { watch.entry(of: self, 0, key, nil, values[key]) }
    }

    /// Sets an entry, or removes it.
    func set(_ key: String, of subject: UInt32, type: String?, to value: String?) {
        cpw_metadata_set(resource, subject, key, type, value)
    }
}
