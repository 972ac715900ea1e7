import SessionCore
import Testing

/// Nobody fills the catalogue of descriptions for others.
@Suite struct CatalogueRoomTests {
    /// As many kinds as there are numbers, none of which is in a policy.
    private func kind(_ number: Int, name: String = "music", priority: Priority = .normal) -> SessionDescription {
        SessionDescription(
            name: name, category: .playback, priority: priority, fade: .milliseconds(1_000 + number))
    }

    private func application(_ number: Int) -> ApplicationID {
        ApplicationID(portal: nil, binary: nil, displayName: nil, fallback: "app \(number)")
    }

    @Test("what the policy itself says has always room, and so is every stream managed")
    func ownRolesHaveRoom() throws {
        var engine = Engine(policy: .desktop)
        let now = Instant(nanoseconds: 0)
        for number in 0..<260 {
            _ = engine.handle(
                .streamAppeared(
                    StreamID(UInt32(number)), application: application(number), description: kind(number),
                    direction: .playback), at: now)
            #expect(engine.treatment(of: StreamID(UInt32(number))) != nil, "stream \(number)")
        }
        for (number, role) in Policy.desktop.roles.values.sorted(by: { $0.name < $1.name }).enumerated() {
            let id = StreamID(UInt32(1_000 + number))
            _ = engine.handle(
                .streamAppeared(
                    id, application: application(1_000 + number), description: role,
                    direction: role.category.playsSound ? .playback : .capture), at: now)
            #expect(engine.treatment(of: id) != nil, "\(role.name)")
            #expect(engine.snapshot.sessions.contains { $0.streams == [id] && $0.description == role }, "\(role.name)")
        }
        #expect(engine.inconsistency == nil)
        // What nobody uses any more makes room.
        for number in 0..<260 { _ = engine.handle(.streamVanished(StreamID(UInt32(number))), at: now) }
        _ = engine.handle(.clockReached, at: now.advanced(by: .seconds(60)))
        let late = kind(500)
        _ = engine.handle(
            .streamAppeared(StreamID(5_000), application: application(0), description: late, direction: .playback),
            at: now.advanced(by: .seconds(60)))
        #expect(engine.snapshot.sessions.contains { $0.description == late })
    }

    @Test("N11 who has no room gets no more than it had without")
    func noRoomIsNoPromotion() {
        var engine = Engine(policy: .desktop)
        let now = Instant(nanoseconds: 0)
        for number in 0..<260 {
            _ = engine.handle(
                .streamAppeared(
                    StreamID(UInt32(number)), application: application(number),
                    description: kind(number, name: "phone"), direction: .playback), at: now)
        }
        #expect(engine.snapshot.sessions.allSatisfy { $0.description.priority == .normal })
        #expect(engine.snapshot.streams.count == 260)
    }

    @Test("another policy has room for its own roles, whatever was there before")
    func anotherPolicy() {
        var engine = Engine(policy: .desktop)
        let now = Instant(nanoseconds: 0)
        var all: [StreamID: SessionDescription] = [:]
        for number in 0..<260 {
            let id = StreamID(UInt32(number))
            all[id] = kind(number)
            _ = engine.handle(
                .streamAppeared(id, application: application(number), description: kind(number), direction: .playback),
                at: now)
        }
        _ = engine.handle(.policyChanged(.phone, all), at: now)
        #expect(engine.snapshot.streams.count == 260 && engine.inconsistency == nil)
        for role in Policy.phone.roles.values {
            _ = engine.handle(
                .streamAppeared(
                    StreamID(9_000), application: application(9_000), description: role,
                    direction: role.category.playsSound ? .playback : .capture), at: now)
            #expect(engine.snapshot.sessions.contains { $0.description == role }, "\(role.name)")
            _ = engine.handle(.streamVanished(StreamID(9_000)), at: now)
        }
    }
}
