import CPipeWire
import SessionHost
import SessionCore

/// Where streams are sent instead of where the session manager would send them, by its metadata "default".
///
/// What its user has chosen for a stream is kept and put back. The target is written as a name: a session manager that
/// saves what users choose looks for numbers, and so does not save this one. WirePlumber 0.4 forgets what it had saved,
/// and saves it anew when it is put back.
struct StreamTargets {
    private struct Entry: Equatable {
        var type: String?
        var value: String
    }

    private static let key = "target.object"
    private static let olderKey = "target.node"
    /// More entries of others are not kept.
    private static let limit = 4096

    /// What others have said, by the stream's global id.
    private var known: [UInt32: Entry] = [:]
    private var knownOlder: [UInt32: Entry] = [:]
    /// Where streams are sent.
    private var sent: [UInt32: String] = [:]
    /// What was written and has not been heard of yet, in its order: no choices of the user's.
    private var due: [UInt32: [String?]] = [:]

    /// An entry of the metadata is another one. A choice that its user has made since is not undone.
    mutating func heard(_ subject: UInt32, _ key: String?, _ type: String?, _ value: String?) {
        let entry = value.map { Entry(type: type, value: $0) }
        if key == StreamTargets.olderKey || key == nil {
            knownOlder[subject] = knownOlder.count < StreamTargets.limit ? entry : nil
        }
        guard key == StreamTargets.key || key == nil else { return }
        if let place = due[subject]?.firstIndex(of: value) {
            due[subject]?.removeSubrange(...place)
            if due[subject]?.isEmpty == true { due[subject] = nil }
            return
        }
        // The session manager tells everything again whenever somebody new listens.
        if let own = sent[subject], own == value { return }
        sent[subject] = nil
        known[subject] = known.count < StreamTargets.limit ? entry : nil
    }

    /// A stream is gone; its entries go with it.
    mutating func forget(_ stream: UInt32) {
        sent[stream] = nil
        due[stream] = nil
        known[stream] = nil
        knownOlder[stream] = nil
    }

    /// Sends a stream to a node, or back to where it went before.
    mutating func send(_ stream: UInt32, to node: String?, through metadata: DefaultsWatch) {
        if let node {
            guard sent[stream] != node else { return }
            sent[stream] = node
            write(Entry(type: "Spa:String", value: node), of: stream, through: metadata)
        } else if sent.removeValue(forKey: stream) != nil {
            let former = known[stream]
            write(former, of: stream, through: metadata)
            // Saved anew by a session manager that has taken the change for its user's.
            if former == nil, let older = knownOlder[stream] {
                metadata.set(StreamTargets.olderKey, of: stream, type: nil, to: nil)
                metadata.set(StreamTargets.olderKey, of: stream, type: older.type, to: older.value)
            }
        }
    }

    private mutating func write(_ entry: Entry?, of stream: UInt32, through metadata: DefaultsWatch) {
        if due[stream, default: []].count < 64 { due[stream, default: []].append(entry?.value) }
        metadata.set(StreamTargets.key, of: stream, type: entry?.type, to: entry?.value)
    }
}
