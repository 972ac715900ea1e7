import BusInterface
import PolicyEngine

/// Collects the events of a turn for subscribers.
final class EventFeed {
    /// An event. Records of streams and sessions are made only when the event is sent.
    enum Item {
        case ready(String, WireValue)
        case stream(String, StreamID)
        case session(String, SessionReference, [(String, WireValue)])
        case opened(SessionID)
    }

    /// Whether anybody has subscribed.
    var isWanted = false
    private var items: [Item] = []
    /// The maximum number of events kept for one turn.
    static let limit = 4096

    var hasAny: Bool { !items.isEmpty }

    func clear() { items.removeAll(keepingCapacity: items.count < 256) }

    func add(_ kind: String, _ details: [(String, WireValue)]) { append(.ready(kind, .record(details))) }

    func add(_ kind: String, _ record: WireValue) { append(.ready(kind, record)) }

    private func append(_ item: Item) {
        if isWanted, items.count < EventFeed.limit { items.append(item) }
    }

    func add(_ event: Event) {
        guard isWanted else { return }
        switch event {
        case .streamAppeared(let id, _, _, _): append(.stream("stream-appeared", id))
        case .streamVanished(let id), .streamLeftAlone(let id):
            add("stream-removed", [("id", .uint32(id.rawValue))])
        case .streamWanted(let id, _), .streamRunning(let id, _), .streamMoved(let id, _):
            append(.stream("stream-changed", id))
        case .sessionOpened(let id, _, _): append(.opened(id))
        default: break
        }
    }

    func add(_ effect: Effect) {
        guard isWanted else { return }
        switch effect {
        case .treat(let id, _, _, _): append(.stream("stream-changed", id))
        case .sessionActivated(let session), .sessionDeactivated(let session):
            append(.session("session-changed", session, []))
        case .interruptionBegan(let session, let actor):
            append(
                .session(
                    "interruption-began", session,
                    [("reason", .string(actor.reason.rawValue)), ("by", .string(actor.label))]))
        case .interruptionEnded(let session, let shouldResume):
            append(.session("interruption-ended", session, [("should-resume", .boolean(shouldResume))]))
        default: break
        }
    }

    /// Removes and returns all events. Several changes of one stream are one event.
    func removeAll() -> [Item] {
        var seen: Set<StreamID> = []
        let result = items.filter { item in
            if case .stream(_, let id) = item { return seen.insert(id).inserted }
            return true
        }
        clear()
        return result
    }

    /// An event's kind and details, with the present record of its stream or session; `nil` if the stream has gone.
    func message(for item: Item, _ service: SessionService) -> (String, WireValue)? {
        switch item {
        case .ready(let kind, let details): return (kind, details)
        case .opened(let id):
            return service.runtime.snapshot(of: id).map { ("session-opened", service.record($0)) }
        case .stream(let kind, let id):
            return service.runtime.snapshot(of: id).map { (kind, service.record($0)) }
        case .session(let kind, let reference, let details):
            let session = service.snapshot(of: reference).map { service.record($0) }
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
