import Glibc

/// An application's name in the desktop's menus, from its desktop file (Desktop Entry Specification, version 1.5).
enum DesktopFile {
    /// The folders of administrators, distributions, Flatpak and snapd. A user's own folder is left out: the home may
    /// be on another machine and answer slowly.
    static let folders = [
        "/usr/local/share/applications", "/usr/share/applications", "/var/lib/flatpak/exports/share/applications",
        "/var/lib/snapd/desktop/applications",
    ]
    /// The number of bytes that are read at most; the name is near the beginning.
    static let limit = 65_536

    /// Whether a text can be the name of a desktop file, without `.desktop`.
    static func isName(_ entry: String) -> Bool {
        !entry.isEmpty && entry.utf8.count <= 200 && !entry.hasPrefix(".")
            && !entry.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    /// The application's name in a file.
    ///
    /// - Parameter languages: The suffixes of localised keys, best first: `de_AT`, `de`.
    static func title(in text: [UInt8], languages: [String]) -> String? {
        let keys = languages.map { "Name[\($0)]" } + ["Name"]
        var best: (rank: Int, title: String)?
        var isFound = false
        KeyFile.read(text) { group, key, value in
            // The groups of actions follow, with names of their own.
            guard group == "Desktop Entry" else { return !isFound }
            isFound = true
            guard !value.isEmpty, key.starts(with: "Name".utf8) else { return true }
            if let rank = keys.firstIndex(of: String(decoding: key, as: UTF8.self)), rank < best?.rank ?? .max {
                best = (rank, String(decoding: value, as: UTF8.self))
            }
            return true
        }
        return best?.title
    }

    /// The languages of a locale, in the form that keys use.
    ///
    /// - Parameter locale: A value as of `LC_MESSAGES`: `de_AT.UTF-8@euro`.
    static func languages(of locale: String) -> [String] {
        let name = String(locale.prefix { $0 != "." && $0 != "@" })
        let language = String(name.prefix { $0 != "_" })
        guard !language.isEmpty, language != "C", language != "POSIX" else { return [] }
        return language == name ? [name] : [name, language]
    }

    /// The locale for messages in this process's environment (locale(7)).
    static var locale: String {
        for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
            if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
        }
        return ""
    }
}
