import Foundation

/// Real media players that can be paused over the session bus (MPRIS).
public enum MediaPlayers {
    /// The plug-in that gives mpv its MPRIS interface, from the Debian package `mpv-mpris`.
    public static let scriptOfMPV = "/usr/lib/mpv-mpris/mpris.so"

    /// The arguments that make mpv play a file as `org.mpris.MediaPlayer2.mpv`, on one of its audio outputs.
    public static func argumentsOfMPV(file: String, output: String = "null") -> [String] {
        ["--no-config", "--no-video", "--no-terminal", "--script=\(scriptOfMPV)", "--ao=\(output)", "--", file]
    }

    /// The arguments that make VLC, which has the interface by default, play a file as `org.mpris.MediaPlayer2.vlc`, on
    /// one of its audio outputs.
    public static func argumentsOfVLC(file: String, output: String = "adummy") -> [String] {
        ["--ignore-config", "--intf=dummy", "--aout=\(output)", "--no-video", "--quiet", file]
    }
}

extension Sandbox {
    /// Starts mpv with a file. It appears on the bus a moment later.
    public func startMPV(file: String, output: String = "null") throws -> ChildProcess {
        try start("mpv", Invocation("mpv", MediaPlayers.argumentsOfMPV(file: file, output: output)))
    }

    /// Starts VLC with a file. It appears on the bus a moment later.
    public func startVLC(file: String, output: String = "adummy") throws -> ChildProcess {
        try start("vlc", Invocation(try vlc(), MediaPlayers.argumentsOfVLC(file: file, output: output)))
    }

    /// The path of VLC's program. VLC refuses to run as root, which tests in a container do, so there it is a copy that
    /// checks its parent's process id instead of the user id.
    public func vlc(named name: String = "vlc") throws -> String {
        guard geteuid() == 0 else { return try locate("vlc") }
        var program = try Data(contentsOf: URL(fileURLWithPath: try locate("vlc")))
        guard let place = program.range(of: Data("geteuid".utf8)) else { return try copy(of: "vlc", named: name) }
        program.replaceSubrange(place, with: Data("getppid".utf8))
        // Written elsewhere, and copied by another process: see `copy`.
        let changed = path("tmp/\(UUID().uuidString)")
        try program.write(to: URL(fileURLWithPath: changed))
        chmod(changed, 0o755)
        return try copy(of: changed, named: name)
    }
}
