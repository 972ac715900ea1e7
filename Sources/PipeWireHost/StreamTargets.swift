import CPipeWire
import HostSupport
import PolicyEngine

/// Redirects streams away from the session manager's choice, through its metadata `default`.
///
/// The user's own target of a stream is kept and restored later. We write targets as names: session managers save only
/// targets written as numbers, so ours are not saved. WirePlumber 0.4 forgets a saved target, and saves it again when
/// it is restored.
struct StreamTargets {
    private struct Entry: Equatable {
        var type: String?
        var value: String
    }

    private static let key = "target.object"
    private static let olderKey = "target.node"
    /// The number of entries of others that are kept at most.
    private static let limit = 4096

    /// The targets set by others, by the stream's global id.
    private var known: [UInt32: Entry] = [:]
    private var knownOlder: [UInt32: Entry] = [:]
    /// The targets that we set.
    private var sent: [UInt32: String] = [:]
    /// Our writes that the metadata has not reported back yet, in order. Their reports are not choices of the user.
    private var due: [UInt32: [String?]] = [:]

    /// Handles a changed entry of the metadata. A choice that the user made after our redirect is kept.
    mutating func handleEntry(_ subject: UInt32, _ key: String?, _ type: String?, _ value: String?) {
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
        // The session manager repeats all entries whenever a new listener comes.
        if let own = sent[subject], own == value { return }
        sent[subject] = nil
        known[subject] = known.count < StreamTargets.limit ? entry : nil
    }

    /// Forgets a stream that has gone.
    mutating func forget(_ stream: UInt32) {
        sent[stream] = nil
        due[stream] = nil
        known[stream] = nil
        knownOlder[stream] = nil
    }

    /// Redirects a stream to a node, or restores its former target.
    mutating func send(_ stream: UInt32, to node: String?, through metadata: DefaultsWatch) {
        if let node {
            guard sent[stream] != node else { return }
            sent[stream] = node
            write(Entry(type: "Spa:String", value: node), of: stream, through: metadata)
        } else if sent.removeValue(forKey: stream) != nil {
            let former = known[stream]
            write(former, of: stream, through: metadata)
            // The session manager took our change for the user's; this makes it save the former target again.
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
