/// A media player on the session bus, and which of them a stream belongs to.

/// A program that can be told to pause (MPRIS D-Bus Interface Specification, version 2.2): one connection with one or
/// more names below `org.mpris.MediaPlayer2`, which all stand for the same object.
public struct Player: Sendable, Equatable {
    /// The unique name of its connection, e.g. `:1.42`.
    public let owner: String
    /// Its names after `org.mpris.MediaPlayer2.`, e.g. `vlc` and `vlc.instance77`, in the order in which they came.
    public internal(set) var names: [String]
    /// Its process as the bus knows it; of a sandboxed one, that of its proxy. Nil until it is known.
    public internal(set) var process: UInt32?
    /// The application id of its sandbox; nil outside of any.
    public internal(set) var sandbox: String?
    /// What it does; nil until it is known.
    public internal(set) var status: PlaybackStatus?

    /// Whether one of its names is that of an application, as a sandbox requires: the id, or the id and more after a
    /// dot.
    func isNamed(after application: String) -> Bool {
        names.contains { $0 == application || $0.hasPrefix(application + ".") }
    }
}

extension Player {
    /// How near a player is to a stream; less is nearer.
    struct Nearness: Comparable {
        /// 0 when it is playing, which of several instances of one browser tells the right one.
        var isSilent: Int
        /// 0 the same process, 1 an ancestor of the stream's, 2 in the same sandbox, 3 a descendant.
        var relation: Int
        /// The steps between the two processes.
        var steps: Int

        static func < (one: Nearness, other: Nearness) -> Bool {
            (one.isSilent, one.relation, one.steps) < (other.isSilent, other.relation, other.steps)
        }
    }

    /// How near this player is to a stream of a process; nil when it is not its player.
    func nearness(to process: UInt32, sandbox: String?, in tree: any ProcessTree) -> Nearness? {
        let isSilent = status == .playing ? 0 : 1
        if let sandbox {
            // An application in a sandbox is told from others by its id alone: inside, processes are numbered anew, and
            // all that is seen of its player is the proxy's process.
            guard self.sandbox == sandbox || (self.sandbox == nil && isNamed(after: sandbox)) else { return nil }
            return Nearness(isSilent: isSilent, relation: self.process == process ? 0 : 2, steps: 0)
        }
        guard self.sandbox == nil, let own = self.process else { return nil }
        if let steps = tree.distance(from: process, up: own) {
            return Nearness(isSilent: isSilent, relation: steps == 0 ? 0 : 1, steps: steps)
        }
        return tree.distance(from: own, up: process).map { Nearness(isSilent: isSilent, relation: 3, steps: $0) }
    }
}
