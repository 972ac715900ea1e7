import CPipeWire
import HostSupport

/// Overrides a node property for as long as a session requests it, and then restores the client's own value.
final class PropertyOverride {
    private let key: String
    private let node: OpaquePointer
    /// Our value; `nil` while the client's value is in force.
    private var ourValue: String?
    /// The client's value, as bytes without the terminating zero; `nil` if the property is not set.
    private var own: [UInt8]?
    /// Whether the client has overwritten our value since.
    private var isStale = false

    init(_ key: String, of node: OpaquePointer) {
        self.key = key
        self.node = node
    }

    /// Whether the property has our `value`; for `nil`, whether it has the client's value.
    func has(_ value: String?) -> Bool { value == ourValue && !isStale }

    /// Overrides the property, or with `nil` restores the client's value. The daemon then recalculates the graph.
    ///
    /// - Parameter fallback: A value with the same effect as an unset property. When a property is removed, the daemon
    ///   keeps the value that it read last, so the fallback is written before the removal.
    func set(_ value: String?, fallback: String) {
        guard !has(value) else { return }
        if ourValue == nil { own = present }
        isStale = false
        // Before the property is written, because the node reports the change at once.
        ourValue = value
        if let value { return cpw_node_set_property(node, key, value) }
        let own = own
        self.own = nil
        if !isFraction(String(decoding: own ?? [], as: UTF8.self)) {
            cpw_node_set_property(node, key, fallback)
        }
        guard let own else { return cpw_node_set_property(node, key, nil) }
        (own + [0]).withUnsafeBytes { cpw_node_set_property(node, key, $0.bindMemory(to: CChar.self).baseAddress) }
    }

    /// Handles a change of the node's properties. If the client has overwritten our value, keeps the client's value for
    /// the restore; ours has to be written again.
    func propertiesChanged() {
        let now = present
        guard let ourValue, now != Array(ourValue.utf8) else { return }
        own = now
        isStale = true
    }

    private var present: [UInt8]? {
        guard let value = pw_properties_get(pw_impl_node_get_properties(node), key) else { return nil }
        return Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }
}
