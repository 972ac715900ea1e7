import PolicyEngine

/// A property of a stream or application, as in scenarios and on the command line.
struct Property {
    var key: String
    var value: String
}

extension [Property] {
    /// The value of a property; as in a server, the last one of a name counts.
    func value(of key: String) -> String? { last { $0.key == key }?.value }

    /// All values by their names.
    var values: [String: String] { Dictionary(map { ($0.key, $0.value) }) { $1 } }

    /// The application with these properties, identified as in a server.
    func application(otherwise name: String) -> ApplicationID {
        ApplicationID(
            portal: value(of: "pipewire.access.portal.app_id"), binary: value(of: "application.process.binary"),
            displayName: value(of: "application.name"), fallback: name)
    }
}
