import CPipeWire
import SessionCore

/// Where streams are sent instead of where the session manager would send them, by its metadata "default".
///
/// What its user has chosen for a stream is kept and put back. The target is written as a name: a session manager that
/// saves what users choose looks for numbers, and so does not take this for a choice to remember.
struct StreamTargets {
    private struct Entry: Equatable {
        var type: String?
        var value: String
    }

    private struct Sent {
        /// What was there before; `nil` for nothing.
        var former: Entry?
        var target: String
    }

    private static let key = "target.object"
    private static let olderKey = "target.node"
    /// More entries of others are not kept.
    private static let limit = 4096

    /// What the metadata says, by the stream's global id.
    private var known: [UInt32: Entry] = [:]
    private var knownOlder: [UInt32: Entry] = [:]
    /// What this module has said.
    private var sent: [UInt32: Sent] = [:]

    /// An entry of the metadata is another one. A choice that its user has made since is not undone.
    mutating func heard(_ subject: UInt32, _ key: String?, _ type: String?, _ value: String?) {
        let entry = value.map { Entry(type: type, value: $0) }
        if key == StreamTargets.olderKey || key == nil {
            knownOlder[subject] = knownOlder.count < StreamTargets.limit ? entry : nil
        }
        guard key == StreamTargets.key || key == nil else { return }
        known[subject] = known.count < StreamTargets.limit ? entry : nil
        if let own = sent[subject], own.target != entry?.value { sent[subject] = nil }
    }

    /// Nothing is known any more: the metadata is gone.
    mutating func forgetAll() { self = StreamTargets() }

    /// A stream is gone; its entries go with it.
    mutating func forget(_ stream: UInt32) {
        sent[stream] = nil
        known[stream] = nil
        knownOlder[stream] = nil
    }

    /// Sends a stream to a node, or back to where it went before.
    mutating func send(_ stream: UInt32, to node: String?, through metadata: DefaultsWatch) {
        if let node {
            let former = sent[stream].map(\.former) ?? known[stream]
            guard sent[stream]?.target != node else { return }
            sent[stream] = Sent(former: former, target: node)
            metadata.set(StreamTargets.key, of: stream, type: "Spa:String", to: node)
        } else if let own = sent.removeValue(forKey: stream) {
            metadata.set(StreamTargets.key, of: stream, type: own.former?.type, to: own.former?.value)
            // Saved anew by a session manager that has taken the change for its user's.
            if own.former == nil, let older = knownOlder[stream] {
                metadata.set(StreamTargets.olderKey, of: stream, type: nil, to: nil)
                metadata.set(StreamTargets.olderKey, of: stream, type: older.type, to: older.value)
            }
        }
    }
}
