import CPipeWire
import HostSupport
import PolicyEngine

/// The session manager: which client it is, what it says in its metadata, and whether it is held back.
extension RouteWatch {
    func busyChanged(_ client: OpaquePointer, _ isBusy: Bool) { hold.busyChanged(client, isBusy) }

    /// Checks the hold again when its timer fires.
    func updateHold() { hold.update() }

    /// Ends the hold for good, and gives the session manager its settings back.
    func releaseManager() {
        hold.setManager(nil, isBusy: false)
        for settings in settings.values { settings.update(isInTheWay: false) }
        settings = [:]
    }

    /// Forgets a client that has gone.
    func removed(client: OpaquePointer) { hold.forget(client) }

    /// Records that a client has a metadata or device resource, exported by itself or by another client.
    func added(_ resource: OpaquePointer) { resources.insert(resource) }

    func removed(_ resource: OpaquePointer) { resources.remove(resource) }

    /// Observes metadata that a client has registered, now or before this module was loaded. The resource that exports
    /// it is bound to the same global id. Resources of other clients with that id only use the metadata, and do not
    /// serve here. If the exporting client has several such resources, the exporting one cannot be told, and the
    /// metadata is ignored.
    func added(metadata global: UInt32, name: String?, by client: OpaquePointer?) {
        let own = resources.filter {
            pw_resource_get_client($0) == client && pw_resource_get_bound_id($0) == global
        }
        guard let client, let resource = own.first, own.count == 1 else { return }
        if name == ManagerSettings.name { return added(settings: resource, by: client) }
        guard name == "default" else { return }
        choice.add(resource, of: host.isConfined(client: client) ? nil : host.program(of: client))
        guard choice.all.contains(resource) else { return }
        metadata[resource] = DefaultsWatch(resource: resource, watch: self)
        switchManager()
    }

    private func added(settings resource: OpaquePointer, by client: OpaquePointer) {
        guard settings.count < ManagerSettings.most, !host.isConfined(client: client) else { return }
        settings[resource] = ManagerSettings(
            resource: resource, isInTheWay: host.replacesManagersPause,
            log: { [unowned host] level, line in host.log(level, line) },
            removed: { [unowned self] in settings[$0.resource] = nil })
    }

    /// Turns the session manager's own pause of players off, or on again, if the policy says so now.
    func updateSettings() {
        guard !settings.isEmpty else { return }
        let isInTheWay = host.replacesManagersPause
        for settings in settings.values { settings.update(isInTheWay: isInTheWay) }
    }

    func removed(_ defaults: DefaultsWatch) {
        metadata[defaults.resource] = nil
        choice.remove(defaults.resource)
        switchManager()
    }

    /// Switches to another session manager, or to none; the targets told to the former one are forgotten.
    private func switchManager() {
        let now = choice.chosen.flatMap { metadata[$0] }
        guard now !== defaults else { return }
        defaults = now
        targets = StreamTargets()
        let client = now?.client
        hold.setManager(client, isBusy: client.map { host.isBusy($0) } ?? false)
        now?.reportDefaults()
        host.handle(.managerChanged)
    }

    /// Handles one entry of the `default` metadata. The value of a default is a JSON object with a name. An entry
    /// without a key concerns all keys of the subject.
    func handleEntry(of defaults: DefaultsWatch, _ subject: UInt32, _ key: String?, _ type: String?, _ value: String?) {
        guard defaults === self.defaults else { return }
        if subject != 0 { return targets.handleEntry(subject, key, type, value) }
        let name = value.flatMap { nodeName(in: $0) }
        if key == "default.audio.sink" || key == nil { host.handle(.defaultNode(.output, name: name)) }
        if key == "default.audio.source" || key == nil { host.handle(.defaultNode(.input, name: name)) }
    }
}

/// The name in `{ "name": "alsa_output.…" }`. Node names contain no quotes.
func nodeName(in json: String) -> String? {
    let parts = json.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    guard let key = parts.firstIndex(where: { String($0) == "name" }), key + 2 < parts.count else { return nil }
    return String(parts[key + 2])
}
