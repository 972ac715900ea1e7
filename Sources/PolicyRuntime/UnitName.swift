/// The names of the units in which systemd and desktops start applications.
package enum UnitName {
    /// The name of the desktop file, without `.desktop`, in an application's unit: `app[-LAUNCHER]-ID-NUMBER.scope` or
    /// `app[-LAUNCHER]-ID[@NUMBER].service` (systemd, Desktop Environment Integration).
    package static func desktopEntry(of unit: String) -> String? {
        var parts: [Substring]
        if unit.hasSuffix(".scope") {
            parts = unit.dropLast(".scope".count).split(separator: "-", omittingEmptySubsequences: false).dropLast()
        } else if unit.hasSuffix(".service") {
            let name = unit.dropLast(".service".count).prefix { $0 != "@" }
            parts = name.split(separator: "-", omittingEmptySubsequences: false)
        } else {
            return nil
        }
        guard (2...3).contains(parts.count), parts.first == "app", let id = parts.popLast(), !id.isEmpty else {
            return nil
        }
        return unescaped(id)
    }

    /// Decodes systemd's escapes: `\x2d` is a hyphen (systemd.unit(5), "String Escaping for Inclusion in Unit Names").
    package static func unescaped(_ name: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(name).utf8[...]
        while let byte = rest.first {
            let escape = rest.prefix(4)
            if byte == UInt8(ascii: "\\"), escape.count == 4, escape.dropFirst().first == UInt8(ascii: "x"),
                let code = UInt8(String(decoding: escape.dropFirst(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(4)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
