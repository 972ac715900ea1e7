import SessionBus
import SessionCore
import SessionDesktop
import SessionRuntime

/// Finds the media players behind streams, and pauses and resumes them (N15).
final class PlayerBridge: PlayerPausing {
    private unowned let service: SessionService
    private let players: Players
    /// The player that was paused for each stream.
    private var asked: [StreamID: Player] = [:]

    init(service: SessionService, loop: any EventLoop) {
        self.service = service
        players = Players(session: service.connection, loop: loop, tree: service.processes)
    }

    private func player(of stream: StreamID) -> Player? {
        guard let identity = service.memberships.identity(of: stream),
            identity.process != nil || identity.client.sandbox != nil
        else { return nil }
        return players.player(for: identity.process ?? 0, sandbox: identity.client.sandbox?.application)
    }

    func hasPaused(_ stream: StreamID, since: Instant) -> Bool? {
        player(of: stream).map { $0.pausedAt.map { $0 >= since.nanoseconds } ?? false }
    }

    func pause(_ stream: StreamID) -> Bool {
        guard let player = player(of: stream), player.status == .playing else { return false }
        asked[stream] = player
        let name = service.memberships.identity(of: stream)?.application.name ?? "?"
        players.pause(player) { [weak self] answer in
            if case .refused(let error) = answer {
                self?.service.host.log(.info, "the player of \(name) does not pause: \(Words.short(error.message))")
            }
        }
        return true
    }

    func resume(_ stream: StreamID) -> Bool {
        guard let player = asked.removeValue(forKey: stream) else { return true }
        // If several streams paused one player, the last of them to be released resumes it.
        if asked.values.contains(where: { $0.owner == player.owner }) { return true }
        let isTouched =
            !players.isPausedByUs(player) && players.all.first { $0.owner == player.owner }?.status != .playing
        players.resume(player)
        return !isTouched
    }

    func forget(_ stream: StreamID) { asked[stream] = nil }

    /// Resumes all paused players.
    func letGo() {
        asked = [:]
        players.stop()
    }
}
