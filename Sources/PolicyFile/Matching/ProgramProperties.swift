/// The properties by which a rule tells a program from others.
public enum ProgramProperties {
    /// What runs other programs, or plays whatever it is given, by the letters that its name begins with: its name says
    /// nothing of what is heard.
    private static let hosts: Set<Substring> = [
        "aplay", "arecord", "bash", "dotnet", "electron", "gjs", "gst", "guile", "java", "lua", "mono", "node", "pacat",
        "paplay", "parec", "parecord", "perl", "php", "pw", "pypy", "python", "ruby", "sh", "wine",
    ]

    /// The strongest properties that a stream has: the sandbox, else the program, else what it calls itself. The name of a
    /// program that runs others goes together with what it calls itself.
    ///
    /// - Parameter property: The value of a property of the stream, or else of its client; `nil` if neither has it.
    public static func strongest(_ property: (String) -> String?) -> [(key: String, value: String)] {
        func said(_ key: String) -> (key: String, value: String)? {
            property(key).flatMap { $0.isEmpty ? nil : (key, $0) }
        }
        if let sandbox = said("pipewire.access.portal.app_id") { return [sandbox] }
        let binary = said("application.process.binary")
        if let binary, !hosts.contains(binary.value.lowercased().prefix(while: \.isLetter)) { return [binary] }
        let names = ["application.name", "node.name"].compactMap(said)
        let found = [binary, names.first { $0.value != binary?.value }].compactMap { $0 }
        return found.isEmpty ? [said("media.name")].compactMap { $0 } : found
    }
}
