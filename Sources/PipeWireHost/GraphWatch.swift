import CPipeWire
import SessionHost

/// What every part of the graph runs at (R74).
///
/// The daemon tells nothing inside it of that: the clock lies in memory which it shares with its data thread and with
/// clients, behind structures that are private and differ from release to release. So this keeps what the daemon decides
/// by, of every node, and decides as `pw_context_recalc_graph` does. What asks for a place in a graph is linked there and
/// active; who drives it is told.
final class GraphWatch {
    /// One node.
    private final class Node {
        let node: OpaquePointer
        let global: UInt32
        unowned let watch: GraphWatch
        var listener: Listener<pw_impl_node_events>?
        /// Who drives it; itself when nobody does.
        var driver: OpaquePointer
        /// It has come to its driver since that one was looked at.
        var isNew = false
        var requests = GraphRequests()
        /// It can drive others.
        var isDriver = false
        /// What those run at that it drives.
        var figures: GraphFigures?
        /// How many others it drives.
        var followers = 0

        init(_ node: OpaquePointer, global: UInt32, watch: GraphWatch) {
            self.node = node
            self.global = global
            self.watch = watch
            driver = node
        }

        var isRunning: Bool { pw_impl_node_get_info(node)?.pointee.state == PW_NODE_STATE_RUNNING }
    }

    private unowned let host: PipeWireHost
    private var nodes: [OpaquePointer: Node] = [:]
    private var metadata: Listener<pw_impl_metadata_events>?
    /// The daemon's settings.
    private(set) var settings: GraphSettings
    /// Something has changed since the graphs were looked at.
    private var isStale = false
    /// Something runs at something else than when that was last told.
    private var hasNews = false
    /// What that runs at which drives most others.
    private var busiest: GraphFigures?
    /// Counts demands.
    private var stamp: UInt64 = 0

    init(host: PipeWireHost, properties: UnsafePointer<pw_properties>?) {
        self.host = host
        settings = GraphSettings(properties)
    }

    // MARK: - What is asked for

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
            node.watch.touch()
        }
        events.info_changed = { data, info in
            guard let info, let node = object(data, as: Node.self),
                info.pointee.change_mask & UInt64(PW_NODE_CHANGE_MASK_PROPS) != 0
            else { return }
            node.watch.read(node)
            node.watch.touch()
        }
        events.state_changed = { data, old, new, _ in
            guard let node = object(data, as: Node.self), node.isDriver else { return }
            // While it runs its rate stays what it was when it began.
            if new == PW_NODE_STATE_RUNNING, old != new { node.watch.began(node) }
            node.watch.touch()
        }
        events.driver_changed = { data, _, driver in
            guard let node = object(data, as: Node.self), let driver else { return }
            node.driver = driver
            node.isNew = true
            node.watch.hasNews = true
            node.watch.touch()
        }
        known.listener = Listener(events) { pw_impl_node_add_listener(node, $0, $1, pointer(to: known)) }
        touch()
    }

    /// Metadata of the daemon's own: its settings, if that is its name.
    func added(metadata global: OpaquePointer) {
        guard metadata == nil, text(pw_properties_get(pw_global_get_properties(global), "metadata.name")) == "settings",
            let settings = OpaquePointer(pw_global_get_object(global))
        else { return }
        var events = pw_impl_metadata_events()
        events.version = UInt32(PW_VERSION_IMPL_METADATA_EVENTS)
        events.destroy = { data in object(data, as: GraphWatch.self)?.metadata = nil }
        events.property = { data, subject, key, _, value in
            guard subject == 0, let watch = object(data, as: GraphWatch.self) else { return 0 }
            if watch.settings.set(text(key), to: text(value)) { watch.touch() }
            return 0
        }
        metadata = Listener(events) { pw_impl_metadata_add_listener(settings, $0, $1, pointer(to: self)) }
    }

    /// Listens no more.
    func leave() {
        nodes.removeAll()
        metadata = nil
    }

    /// Reads what a node asks for. What the daemon has once read stays, also when the property goes.
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

    private func touch() {
        guard !isStale else { return }
        isStale = true
        host.graphChanged()
    }

    // MARK: - What comes of it

    /// What the graph runs at that a node is part of, or the one that most others are part of.
    func figures(of node: OpaquePointer?) -> GraphFigures {
        settle()
        if let driver = node.flatMap({ nodes[$0] }).flatMap({ nodes[$0.driver] }), let figures = driver.figures {
            return figures
        }
        return busiest ?? GraphFigures(rate: settings.rate, quantum: settings.quantum)
    }

    /// Whether something runs at something else than when this was last asked.
    func takeNews() -> Bool {
        settle()
        defer { hasNews = false }
        return hasNews
    }

    /// Looks at all graphs again, if something has changed.
    private func settle() {
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
            if driver.figures != old { hasNews = true }
        }
        busiest =
            nodes.values.filter { $0.figures != nil }.min { ($1.followers, $0.global) < ($0.followers, $1.global) }?
            .figures
    }

    /// What a node asks for. One that has just come does not hold on to what it finds.
    private func requests(of node: Node) -> GraphRequests {
        var requests = node.requests
        if node.isNew {
            requests.isRateLocked = false
            requests.isQuantumLocked = false
        }
        return requests
    }

    /// A driver begins to run, at the rate that is right for those that it drives.
    private func began(_ driver: Node) {
        var all = GraphRequests()
        for node in nodes.values where node.driver == driver.node {
            // The server has decided by what it tells of only afterwards.
            read(node)
            all.add(requests(of: node), prefersHighestRate: settings.prefersHighestRate)
        }
        let old = driver.figures
        decide(driver, all, isRunning: false)
        if driver.figures != old { hasNews = true }
    }

    private func decide(_ driver: Node, _ requests: GraphRequests, isRunning: Bool) {
        let isForced = settings.forcedRate > 0 || requests.forcedRate != nil
        var figures = driver.figures ?? GraphFigures(rate: settings.rate, quantum: settings.quantum)
        if isForced || !isRunning && !requests.isRateLocked { figures.rate = settings.rate(for: requests) }
        // Without any that it drives it stays as it is.
        let isLocked =
            requests.isQuantumLocked && settings.forcedQuantum == 0 && requests.forcedQuantum == nil
        if requests.followers > 1, !isLocked {
            figures.quantum = settings.quantum(for: requests, at: figures.rate)
        }
        driver.figures = figures
    }
}
