import SessionCore
import SessionWire

/// What subscribers are to be told, collected while effects are carried out.
final class News {
    private enum Item {
        case ready(String, [(String, WireValue)])
        case stream(String, StreamID)
        case session(String, SessionReference, [(String, WireValue)])
    }

    /// Somebody has subscribed.
    var isWanted = false
    private var items: [Item] = []
    /// More than that are not kept for one turn.
    private static let limit = 4096

    var hasAny: Bool { !items.isEmpty }

    func clear() { items.removeAll(keepingCapacity: items.count < 256) }

    func add(_ kind: String, _ details: [(String, WireValue)]) { append(.ready(kind, details)) }

    private func append(_ item: Item) {
        if isWanted, items.count < News.limit { items.append(item) }
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

    func note(_ effect: Effect, reason: (Interrupter) -> String) {
        guard isWanted else { return }
        switch effect {
        case .treat(let id, _, _, _): append(.stream("stream-changed", id))
        case .sessionActivated(let session), .sessionDeactivated(let session):
            append(.session("session-changed", session, []))
        case .interruptionBegan(let session, let actor):
            append(
                .session(
                    "interruption-began", session,
                    [("reason", .string(reason(actor))), ("by", .string(actor.label))]))
        case .interruptionEnded(let session, let shouldResume):
            append(.session("interruption-ended", session, [("should-resume", .boolean(shouldResume))]))
        default: break
        }
    }

    /// All of it, with what the streams and sessions are now; of a stream that changed several times, once.
    func take(_ report: Report, _ service: SessionService) -> [(String, WireValue)] {
        var result: [(String, WireValue)] = []
        var told: Set<StreamID> = []
        for item in items {
            switch item {
            case .ready(let kind, let details): result.append((kind, .record(details)))
            case .stream(let kind, let id):
                guard let stream = report.streams.first(where: { $0.id == id }), told.insert(id).inserted else {
                    continue
                }
                result.append((kind, service.record(stream)))
            case .session(let kind, let reference, let details):
                let session = report.sessions.first { $0.reference == reference }.map { service.record($0) }
                let own: [(String, WireValue)] =
                    (session?.entries ?? [
                        .init(.string("application"), .variant(.string(reference.application.name))),
                        .init(.string("description"), .variant(.string(reference.description))),
                    ]).map { ($0.key.text ?? "", $0.value.bare) }
                let isAdded = Set(details.map(\.0))
                result.append((kind, .record(own.filter { !isAdded.contains($0.0) } + details)))
            }
        }
        clear()
        return result
    }
}
