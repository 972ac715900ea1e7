import CPipeWire
import SessionHost

/// Computes the rate and quantum of each part of the graph (R74).
///
/// The daemon offers no such value to code inside it: the clock lies in memory shared with the data thread and the
/// clients, behind private structures that differ between releases. So this type tracks each node's properties that the
/// daemon decides by, and repeats the decision of `pw_context_recalc_graph`. The daemon reports which node drives
/// which. Only linked and active nodes make requests.
final class GraphWatch {
    /// One node.
    private final class Node {
        let node: OpaquePointer
        let global: UInt32
        unowned let watch: GraphWatch
        var listener: Listener<pw_impl_node_events>?
        /// The node that drives this one; the node itself if none does.
        var driver: OpaquePointer
        /// Whether the node joined its driver after the driver's graph was last evaluated.
        var isNew = false
        var requests = GraphRequests()
        /// Whether the node can drive others.
        var isDriver = false
        /// The rate and quantum of the graph that this node drives.
        var figures: GraphFigures?
        /// The number of nodes that this node drives.
        var followers = 0

        init(_ node: OpaquePointer, global: UInt32, watch: GraphWatch) {
            self.node = node
            self.global = global
            self.watch = watch
            driver = node
        }

        var isRunning: Bool { pw_impl_node_get_info(node)?.pointee.state == PW_NODE_STATE_RUNNING }
    }

    private let changed: () -> Void
    private var nodes: [OpaquePointer: Node] = [:]
    private var metadata: Listener<pw_impl_metadata_events>?
    /// The daemon's settings.
    private(set) var settings: GraphSettings
    /// Whether a change has made the computed figures out of date.
    private var isStale = false
    /// Whether some figures have changed since ``takeChange()`` was last called.
    private var figuresChanged = false
    /// The figures of the driver with the most followers.
    private var busiest: GraphFigures?
    /// The number of the newest request.
    private var stamp: UInt64 = 0

    init(properties: UnsafePointer<pw_properties>?, changed: @escaping () -> Void) {
        self.changed = changed
        settings = GraphSettings(properties)
    }

    // MARK: - Requests

    func added(node: OpaquePointer, global: UInt32) {
        let known = Node(node, global: global, watch: self)
        nodes[node] = known
        read(known)
        var events = pw_impl_node_events()
        events.version = UInt32(PW_VERSION_IMPL_NODE_EVENTS)
        events.destroy = { data in
            guard let node = object(data, as: Node.self) else { return }
            node.listener = nil
            node.watch.nodes[node.node] = nil
            node.watch.markStale()
        }
        events.info_changed = { data, info in
            guard let info, let node = object(data, as: Node.self),
                info.pointee.change_mask & UInt64(PW_NODE_CHANGE_MASK_PROPS) != 0
            else { return }
            node.watch.read(node)
            node.watch.markStale()
        }
        events.state_changed = { data, old, new, _ in
            guard let node = object(data, as: Node.self), node.isDriver else { return }
            // A running driver keeps the rate that it started with.
            if new == PW_NODE_STATE_RUNNING, old != new { node.watch.started(node) }
            node.watch.markStale()
        }
        events.driver_changed = { data, _, driver in
            guard let node = object(data, as: Node.self), let driver else { return }
            node.driver = driver
            node.isNew = true
            node.watch.figuresChanged = true
            node.watch.markStale()
        }
        known.listener = Listener(events) { pw_impl_node_add_listener(node, $0, $1, pointer(to: known)) }
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
            if watch.settings.set(text(key), to: text(value)) { watch.markStale() }
            return 0
        }
        metadata = Listener(events) { pw_impl_metadata_add_listener(settings, $0, $1, pointer(to: self)) }
    }

    /// Removes all listeners.
    func leave() {
        nodes.removeAll()
        metadata = nil
    }

    /// Reads a node's requests. As in the daemon, a value stays in force after its property is removed.
    private func read(_ node: Node) {
        let properties = pw_impl_node_get_properties(node.node)
        func value(_ key: String) -> String? { text(pw_properties_get(properties, key)) }
        func demand(_ key: String, _ old: GraphRequests.Demand?) -> GraphRequests.Demand? {
            guard let number = value(key).flatMap({ UInt32($0) }), number != old?.value ?? 0 else { return old }
            stamp &+= 1
            return number > 0 ? GraphRequests.Demand(value: number, stamp: stamp) : nil
        }
        func fraction(_ key: String, _ old: Fraction?) -> Fraction? { value(key).flatMap { Fraction($0) } ?? old }
        node.requests.latency = fraction("node.latency", node.requests.latency)
        node.requests.maximum = fraction("node.max-latency", node.requests.maximum)
        node.requests.rate = fraction("node.rate", node.requests.rate)
        node.requests.forcedRate = demand("node.force-rate", node.requests.forcedRate)
        node.requests.forcedQuantum = demand("node.force-quantum", node.requests.forcedQuantum)
        node.requests.isRateLocked = isTrue(value("node.lock-rate"))
        node.requests.isQuantumLocked = isTrue(value("node.lock-quantum"))
        node.isDriver = isTrue(value("node.driver"))
    }

    private func markStale() {
        guard !isStale else { return }
        isStale = true
        changed()
    }

    // MARK: - Results

    /// The figures of the graph that a node belongs to; without a node, those of the driver with the most followers.
    func figures(of node: OpaquePointer?) -> GraphFigures {
        evaluate()
        if let driver = node.flatMap({ nodes[$0] }).flatMap({ nodes[$0.driver] }), let figures = driver.figures {
            return figures
        }
        return busiest ?? GraphFigures(rate: settings.rate, quantum: settings.quantum)
    }

    /// Returns whether any figures have changed since the last call.
    func takeChange() -> Bool {
        evaluate()
        defer { figuresChanged = false }
        return figuresChanged
    }

    /// Evaluates all graphs again if something has changed.
    private func evaluate() {
        guard isStale else { return }
        isStale = false
        var graphs: [OpaquePointer: GraphRequests] = [:]
        for node in nodes.values {
            graphs[node.driver, default: GraphRequests()].add(
                requests(of: node), prefersHighestRate: settings.prefersHighestRate)
            node.isNew = false
        }
        for (driver, requests) in graphs {
            guard let driver = nodes[driver], driver.isDriver else { continue }
            driver.followers = requests.followers - 1
            let old = driver.figures
            decide(driver, requests, isRunning: driver.isRunning)
            if driver.figures != old { figuresChanged = true }
        }
        busiest =
            nodes.values.filter { $0.figures != nil }.min { ($1.followers, $0.global) < ($0.followers, $1.global) }?
            .figures
    }

    /// A node's requests. The locks of a node that has just joined are ignored, so it does not freeze the present
    /// values.
    private func requests(of node: Node) -> GraphRequests {
        var requests = node.requests
        if node.isNew {
            requests.isRateLocked = false
            requests.isQuantumLocked = false
        }
        return requests
    }

    /// Recomputes a driver that starts to run, with the requests of all nodes that it drives.
    private func started(_ driver: Node) {
        var all = GraphRequests()
        for node in nodes.values where node.driver == driver.node {
            // Read the properties again: the daemon has decided by their new values, and announces the change later.
            read(node)
            all.add(requests(of: node), prefersHighestRate: settings.prefersHighestRate)
        }
        let old = driver.figures
        decide(driver, all, isRunning: false)
        if driver.figures != old { figuresChanged = true }
    }

    private func decide(_ driver: Node, _ requests: GraphRequests, isRunning: Bool) {
        let isForced = settings.forcedRate > 0 || requests.forcedRate != nil
        var figures = driver.figures ?? GraphFigures(rate: settings.rate, quantum: settings.quantum)
        if isForced || !isRunning && !requests.isRateLocked { figures.rate = settings.rate(for: requests) }
        // A driver without followers keeps its quantum.
        let isLocked =
            requests.isQuantumLocked && settings.forcedQuantum == 0 && requests.forcedQuantum == nil
        if requests.followers > 1, !isLocked {
            figures.quantum = settings.quantum(for: requests, at: figures.rate)
        }
        driver.figures = figures
    }
}
