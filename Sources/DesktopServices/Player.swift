/// A media player on the session bus, and the match between players and streams.

import PolicyRuntime

/// A program that can be asked to pause (MPRIS D-Bus Interface Specification, version 2.2): one connection with one or
/// more names below `org.mpris.MediaPlayer2`, all for the same object.
public struct Player: Sendable, Equatable {
    /// The connection's unique name, e.g. `:1.42`.
    public let owner: String
    /// Its names without `org.mpris.MediaPlayer2.`, e.g. `vlc` and `vlc.instance77`, in order of appearance.
    public internal(set) var names: [String]
    /// The process that the bus knows; for a sandboxed player, that of its proxy. Nil until known.
    public internal(set) var process: UInt32?
    /// The application id of the player's sandbox; nil outside of any.
    public internal(set) var sandbox: String?
    /// The playback status; nil until known.
    public internal(set) var status: PlaybackStatus?
    /// When it was last seen to pause or stop, in the loop's time; nil for never.
    public internal(set) var pausedAt: Int64?

    /// Whether one of the names is this one, or continues it after a dot.
    func isNamed(after name: String) -> Bool {
        names.contains { $0 == name || $0.hasPrefix(name + ".") }
    }
}

extension Player {
    /// How closely a player is related to a stream; the least value wins.
    struct Nearness: Comparable {
        /// 0 for a player that is playing, which singles out the right one of several browser instances.
        var isSilent: Int
        /// 0 for the stream's own process, 1 for an ancestor, 2 for the same sandbox, 3 for a descendant.
        var relation: Int
        /// The number of steps between the two processes.
        var steps: Int

        static func < (one: Nearness, other: Nearness) -> Bool {
            (one.isSilent, one.relation, one.steps) < (other.isSilent, other.relation, other.steps)
        }
    }

    /// The player's nearness to a process's stream; nil if the player does not belong to the stream.
    func nearness(to process: UInt32, sandbox: String?, in tree: any ProcessTree) -> Nearness? {
        let isSilent = status == .playing ? 0 : 1
        if let sandbox {
            // Sandboxed applications are matched by id alone: processes are numbered differently inside, and only the
            // proxy's process is visible for the player.
            guard self.sandbox == sandbox || (self.sandbox == nil && isNamed(after: sandbox)) else { return nil }
            return Nearness(isSilent: isSilent, relation: self.process == process ? 0 : 2, steps: 0)
        }
        guard self.sandbox == nil, let own = self.process else { return nil }
        if let steps = tree.distance(from: process, up: own) {
            return Nearness(isSilent: isSilent, relation: steps == 0 ? 0 : 1, steps: steps)
        }
        return tree.distance(from: own, up: process).map { Nearness(isSilent: isSilent, relation: 3, steps: $0) }
    }

    /// Whether the player speaks for another program, by whose name it is called, as mpDris2 does for mpd. A program in a
    /// sandbox may not, and nor does one process of a program for another one.
    func speaks(for process: UInt32, in tree: any ProcessTree) -> Bool {
        guard let own = self.process, let program = tree.executable(of: process), tree.executable(of: own) != program,
            tree.confinement(of: own) == .unconfined, tree.confinement(of: process) == .unconfined
        else { return false }
        return isNamed(after: String(program.suffix(while: { $0 != "/" })))
    }
}
