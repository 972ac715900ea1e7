import SessionCore
import SessionWire

/// What subscribers are to be told, collected while effects are carried out.
final class EventFeed {
    enum Item {
        case ready(String, [(String, WireValue)])
        case stream(String, StreamID)
        case session(String, SessionReference, [(String, WireValue)])
    }

    /// Somebody has subscribed.
    var isWanted = false
    private var items: [Item] = []
    /// More than that are not kept for one turn.
    static let limit = 4096

    var hasAny: Bool { !items.isEmpty }

    func clear() { items.removeAll(keepingCapacity: items.count < 256) }

    func add(_ kind: String, _ details: [(String, WireValue)]) { append(.ready(kind, details)) }

    private func append(_ item: Item) {
        if isWanted, items.count < EventFeed.limit { items.append(item) }
    }

    func note(_ event: Event) {
        guard isWanted else { return }
        switch event {
        case .streamAppeared(let id, _, _, _): append(.stream("stream-appeared", id))
        case .streamVanished(let id), .streamLeftAlone(let id):
            append(.ready("stream-removed", [("id", .uint32(id.rawValue))]))
        case .streamWanted(let id, _), .streamRunning(let id, _), .streamMoved(let id, _):
            append(.stream("stream-changed", id))
        default: break
        }
    }

    func note(_ effect: Effect, reason: (Interrupter) -> InterruptionReason) {
        guard isWanted else { return }
        switch effect {
        case .treat(let id, _, _, _): append(.stream("stream-changed", id))
        case .sessionActivated(let session), .sessionDeactivated(let session):
            append(.session("session-changed", session, []))
        case .interruptionBegan(let session, let actor):
            append(
                .session(
                    "interruption-began", session,
                    [("reason", .string(reason(actor).rawValue)), ("by", .string(actor.label))]))
        case .interruptionEnded(let session, let shouldResume):
            append(.session("interruption-ended", session, [("should-resume", .boolean(shouldResume))]))
        default: break
        }
    }

    /// All of it; of a stream that changed several times, once.
    func takeAll() -> [Item] {
        var told: Set<StreamID> = []
        let result = items.filter { item in
            if case .stream(_, let id) = item { return told.insert(id).inserted }
            return true
        }
        clear()
        return result
    }

    /// The kind and the details of an item, with what its stream or session is now; `nil` of a stream that has gone.
    func put(_ item: Item, _ service: SessionService) -> (String, WireValue)? {
        switch item {
        case .ready(let kind, let details): return (kind, .record(details))
        case .stream(let kind, let id):
            return service.runtime.report(of: id).map { (kind, service.record($0)) }
        case .session(let kind, let reference, let details):
            let session = service.report(of: reference).map { service.record($0) }
            let own: [(String, WireValue)] =
                (session?.entries ?? [
                    .init(.string("application"), .variant(.string(reference.application.name))),
                    .init(.string("description"), .variant(.string(reference.description))),
                ]).map { ($0.key.text ?? "", $0.value.bare) }
            let isAdded = Set(details.map(\.0))
            return (kind, .record(own.filter { !isAdded.contains($0.0) } + details))
        }
    }
}
