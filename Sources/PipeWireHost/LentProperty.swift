import CPipeWire
import SessionHost

/// A property of a node that says something else than its client does, for a while.
final class LentProperty {
    private let key: String
    private let node: OpaquePointer
    /// What it says meanwhile; `nil` while it is the client's.
    private var lent: String?
    /// What the client says, byte by byte and without the zero at the end; `nil` for nothing.
    private var own: [UInt8]?
    /// The client has said something else since.
    private var isStale = false

    init(_ key: String, of node: OpaquePointer) {
        self.key = key
        self.node = node
    }

    /// Whether it says something, or for `nil` what its client says.
    func says(_ value: String?) -> Bool { value == lent && !isStale }

    /// Lets it say something, or with `nil` what its client says. The daemon looks at the graph anew.
    ///
    /// - Parameter fallback: What says the same as nothing. The daemon goes by what it has read last even when the property
    ///   is gone, so it has to read this before.
    func set(_ value: String?, fallback: String) {
        guard !says(value) else { return }
        if lent == nil { own = present }
        isStale = false
        // Before it is written: the node tells of it at once.
        lent = value
        if let value { return cpw_node_set_property(node, key, value) }
        let own = own
        self.own = nil
        if own.flatMap({ Fraction(String(decoding: $0, as: UTF8.self)) }) == nil {
            cpw_node_set_property(node, key, fallback)
        }
        guard let own else { return cpw_node_set_property(node, key, nil) }
        (own + [0]).withUnsafeBytes { cpw_node_set_property(node, key, $0.bindMemory(to: CChar.self).baseAddress) }
    }

    /// The node's properties have changed. What the client says now is kept, and said when it is its turn; what is lent has
    /// to be said anew.
    func noteChange() {
        let now = present
        guard let lent, now != Array(lent.utf8) else { return }
        own = now
        isStale = true
    }

    private var present: [UInt8]? {
        guard let value = pw_properties_get(pw_impl_node_get_properties(node), key) else { return nil }
        return Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }
}
