import BusInterface
import PolicyEngine

/// What `audio-session top` shows and what keys do, without a terminal or a bus.
struct TopModel {
    /// A row of the list.
    enum RowID: Hashable {
        case session(Int64)
        case stream(Int64)
    }

    /// What is shown beside the list.
    enum Pane: Equatable {
        case help
        /// Why the selected row is treated as it is.
        case explanation(of: RowID, [String])
        /// The outputs, the one with this index selected.
        case outputs(Int)
    }

    /// A request to the service.
    enum Request: Equatable {
        /// Let streams be heard beside those that silence or lower them.
        case free([Int64])
        /// Say why streams are treated as they are.
        case explain(RowID, [Int64])
        case pause
        case resume
        /// Choose the output with this id.
        case setRoute(String)
        case set(Switch, Bool)
        case quit
    }

    /// Something to say in the last line.
    struct Notice: Equatable {
        var text: String
        var isError = false
    }

    /// What the service has said; `nil` before the first answer.
    private(set) var view: StateFollower.View?
    /// When it was read, in microseconds since 1970.
    private(set) var readAt: Int64 = 0
    private(set) var selection: RowID?
    private(set) var pane: Pane?
    /// Said until the next key.
    var notice: Notice?
    /// The first row of the list that is shown.
    var firstRow = 0
    /// How many rows are shown at a time, for the keys that turn pages.
    var page = 1

    /// The state; `nil` without a service.
    var state: ServiceState? {
        if case .present(let state) = view { state } else { nil }
    }

    /// The rows in their order: the sessions, the strongest first, each with its streams; then streams without a session, and
    /// those that are left alone.
    private(set) var rows: [RowID] = []

    private static func rows(of state: ServiceState) -> [RowID] {
        state.sessionsByStrength.flatMap { session in
            [.session(session.id)] + state.streams(of: session).map { .stream($0.id) }
        } + (state.strays + state.leftAlone).map { .stream($0.id) }
    }

    /// Takes what the service says now.
    mutating func update(_ view: StateFollower.View, at now: Int64) {
        let place = selection.flatMap { rows.firstIndex(of: $0) } ?? 0
        self.view = view
        readAt = now
        rows = state.map(Self.rows) ?? []
        let present = rows
        // If what was selected has gone, its neighbour takes its place.
        if selection.map(present.contains) != true {
            selection = present.isEmpty ? nil : present[min(place, present.count - 1)]
        }
        if case .outputs(let index) = pane {
            let count = outputs.count
            pane = count == 0 ? nil : .outputs(min(index, count - 1))
        }
    }

    /// Takes the explanation of a row, unless another row is selected by now.
    mutating func explain(_ row: RowID, _ texts: [String]) {
        if row == selection, pane != .help { pane = .explanation(of: row, texts) }
    }

    /// The outputs that can be chosen.
    var outputs: [PortRecord] { state?.route.availableOutputs ?? [] }

    /// Whether an output is in use.
    func isInUse(_ port: PortRecord) -> Bool { state?.route.outputs.contains { $0.id == port.id } ?? false }

    /// The numbers of the selected streams: of one, or of all that a session has.
    private var selectedStreams: [Int64] {
        switch selection {
        case .stream(let id): [id]
        case .session(let id): (state?.streams ?? []).filter { $0.session == id }.map(\.id)
        case nil: []
        }
    }

    // MARK: - Keys

    /// Handles a key. Returns the request to the service that follows.
    mutating func press(_ key: TopKey) -> Request? {
        notice = nil
        if case .outputs(let index) = pane, let answer = choose(key, index) { return answer }
        switch key {
        case .up, .character("k"): return move(by: -1)
        case .down, .character("j"): return move(by: 1)
        case .pageUp: return move(by: -max(1, page - 1))
        case .pageDown, .character(" "): return move(by: max(1, page - 1))
        case .home, .character("g"): return move(by: -rows.count)
        case .end, .character("G"): return move(by: rows.count)
        case .escape:
            pane = nil
            return nil
        case .character("?"), .character("h"):
            pane = pane == .help ? nil : .help
            return nil
        case .character("q"): return .quit
        default: break
        }
        guard let state else { return nil }
        switch key {
        case .character("f"): return free()
        case .character("e"), .enter:
            if case .explanation = pane {
                pane = nil
                return nil
            }
            return explanation()
        case .character("p"): return state.switches.pause == .none ? .pause : .resume
        case .character("s"): return .set(.silent, !state.switches.on.contains(.silent))
        case .character("d"): return .set(.doNotDisturb, !state.switches.on.contains(.doNotDisturb))
        case .character("o"):
            if outputs.isEmpty { notice = Notice(text: "there is no output to choose", isError: true) }
            pane = outputs.isEmpty ? nil : .outputs(outputs.firstIndex(where: isInUse) ?? 0)
            return nil
        default: return nil
        }
    }

    private mutating func free() -> Request? {
        let treated = selectedStreams.filter { id in state?.streams.contains { $0.id == id && !$0.isFree } ?? false }
        guard treated.isEmpty else { return .free(treated) }
        notice = Notice(text: "nothing is done to it", isError: true)
        return nil
    }

    private mutating func explanation() -> Request? {
        guard let selection else { return nil }
        let streams = selectedStreams
        guard streams.isEmpty else { return .explain(selection, streams) }
        pane = .explanation(of: selection, ["It has no streams."])
        return nil
    }

    /// The request that brings an open explanation up to date; `nil` if none is open.
    var openExplanation: Request? {
        guard case .explanation(let row, _) = pane, row == selection, !selectedStreams.isEmpty else { return nil }
        return .explain(row, selectedStreams)
    }

    /// Moves the selection; an open explanation follows it.
    private mutating func move(by count: Int) -> Request? {
        guard !rows.isEmpty else { return nil }
        let place = selection.flatMap { rows.firstIndex(of: $0) } ?? 0
        selection = rows[min(max(0, place + count), rows.count - 1)]
        if case .explanation(let row, _) = pane, row != selection { return explanation() }
        return nil
    }

    /// Handles a key while outputs are offered; `nil` for a key that has its usual meaning.
    private mutating func choose(_ key: TopKey, _ index: Int) -> Request?? {
        let outputs = outputs
        switch key {
        case .up, .character("k"): pane = .outputs(max(0, index - 1))
        case .down, .character("j"): pane = .outputs(min(outputs.count - 1, index + 1))
        case .escape, .character("o"): pane = nil
        case .enter:
            pane = nil
            return .some(outputs.indices.contains(index) ? .setRoute(outputs[index].id) : nil)
        default: return nil
        }
        return .some(nil)
    }
}
