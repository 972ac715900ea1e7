import CPipeWire
import HostSupport

/// Reads the rate and quantum of each part of the graph (R74).
///
/// Each driver has a clock, in memory that the daemon shares with all nodes in the graph. The daemon does not announce
/// that a clock has changed. A clock changes only when nodes, their properties or the daemon's settings change.
final class GraphWatch {
    /// One node.
    private final class Node {
        let node: OpaquePointer
        unowned let watch: GraphWatch
        var listener: Listener<pw_impl_node_events>?
        /// The node that drives this one; `nil` if none does.
        var driver: Node? {
            didSet {
                oldValue?.followers -= 1
                driver?.followers += 1
            }
        }
        /// The number of nodes that this node drives.
        var followers = 0
        /// The clock of the graph that this node drives.
        var clock: UnsafePointer<spa_io_clock>?
        /// What the clock said when ``GraphWatch/takeChange()`` was last called.
        var known: GraphTiming?

        init(_ node: OpaquePointer, _ watch: GraphWatch) {
            self.node = node
            self.watch = watch
        }

        /// What the clock says now.
        var timing: GraphTiming? {
            var timing = GraphTiming(rate: 0, quantum: 0)
            guard let clock, cpw_clock_read(clock, &timing.rate, &timing.quantum) else { return nil }
            return timing
        }
    }

    private let context: OpaquePointer
    private let loop: UnsafeMutablePointer<pw_loop>
    private let changed: () -> Void
    private var nodes: [OpaquePointer: Node] = [:]
    private var metadata: Listener<pw_impl_metadata_events>?
    /// The daemon's settings.
    private(set) var settings: GraphSettings
    /// Whether a change may have changed a clock.
    private var isStale = false
    /// Whether a node has joined or left a graph, or the settings have changed, since ``takeChange()`` was last called.
    private var hasChanged = false
    /// The driver with the most followers.
    private var busiest: Node?
    /// Fires when a change has reached the clocks of all releases.
    private var timer: UnsafeMutablePointer<spa_source>?
    /// Before PipeWire 0.3.69, a clock shows the daemon's decision when the next cycle begins.
    private static let longestCycle: Int64 = 200_000_000

    init(context: OpaquePointer, loop: UnsafeMutablePointer<pw_loop>, changed: @escaping () -> Void) {
        self.context = context
        self.loop = loop
        self.changed = changed
        settings = GraphSettings(pw_context_get_properties(context))
        timer = cpw_loop_add_timer(
            loop,
            { data, _ in
                guard let watch = object(data, as: GraphWatch.self) else { return }
                watch.isStale = true
                watch.changed()
            }, pointer(to: self))
    }

    /// Observes a node.
    func added(node: OpaquePointer) {
        let known = Node(node, self)
        nodes[node] = known
        var events = pw_impl_node_events()
        events.version = UInt32(PW_VERSION_IMPL_NODE_EVENTS)
        events.destroy = { data in
            guard let node = object(data, as: Node.self) else { return }
            node.watch.removed(node)
        }
        events.info_changed = { data, info in
            guard let info, info.pointee.change_mask & UInt64(PW_NODE_CHANGE_MASK_PROPS) != 0 else { return }
            object(data, as: Node.self)?.watch.markStale()
        }
        events.state_changed = { data, _, _, _ in
            guard let node = object(data, as: Node.self), node.followers > 0 else { return }
            node.watch.markStale()
        }
        events.driver_changed = { data, _, driver in
            guard let node = object(data, as: Node.self), let driver else { return }
            node.driver = driver == node.node ? nil : node.watch.nodes[driver]
            node.watch.hasChanged = true
            node.watch.markStale()
        }
        known.listener = Listener(events) { pw_impl_node_add_listener(node, $0, $1, pointer(to: known)) }
    }

    private func removed(_ node: Node) {
        node.listener = nil
        node.driver = nil
        // The nodes that it drives are told of another driver after this.
        node.clock = nil
        nodes[node.node] = nil
        markStale()
    }

    /// Observes a metadata object of the daemon itself, if it is named `settings`.
    func added(metadata global: OpaquePointer) {
        guard metadata == nil, text(pw_properties_get(pw_global_get_properties(global), "metadata.name")) == "settings",
            let settings = OpaquePointer(pw_global_get_object(global))
        else { return }
        var events = pw_impl_metadata_events()
        events.version = UInt32(PW_VERSION_IMPL_METADATA_EVENTS)
        events.destroy = { data in object(data, as: GraphWatch.self)?.metadata = nil }
        events.property = { data, subject, key, _, value in
            guard subject == 0, let watch = object(data, as: GraphWatch.self) else { return 0 }
            watch.settings.set(text(key), to: text(value))
            watch.hasChanged = true
            watch.markStale()
            return 0
        }
        metadata = Listener(events) { pw_impl_metadata_add_listener(settings, $0, $1, pointer(to: self)) }
    }

    /// Removes all listeners.
    func leave() {
        nodes.removeAll()
        busiest = nil
        metadata = nil
        if let timer { cpw_loop_destroy_source(loop, timer) }
        timer = nil
    }

    private func markStale() {
        guard !isStale else { return }
        isStale = true
        if let timer { cpw_loop_arm_timer(loop, timer, cpw_monotonic_nanoseconds() &+ Self.longestCycle) }
        changed()
    }

    /// The timing of the graph that a node belongs to; without a node, that of the driver with the most followers.
    func timing(of node: OpaquePointer?) -> GraphTiming {
        node.flatMap { nodes[$0] }.flatMap { ($0.driver ?? $0).timing } ?? busiest?.timing ?? settings.timing
    }

    /// Returns whether any timing has changed since the last call. Must not be called while the daemon is in the middle of
    /// its work.
    func takeChange() -> Bool {
        guard isStale else { return false }
        isStale = false
        busiest = nil
        for node in nodes.values where node.followers > 0 {
            if node.clock == nil { node.clock = cpw_node_clock(context, node.node) }
            if node.followers > busiest?.followers ?? 0 { busiest = node }
            let timing = node.timing
            if timing != node.known { hasChanged = true }
            node.known = timing
        }
        defer { hasChanged = false }
        return hasChanged
    }
}
