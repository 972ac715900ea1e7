import SessionBus
import SessionCore
import SessionDesktop
import SessionRuntime

/// Finds the media players behind streams, and pauses and resumes them (N15).
final class PlayerBridge: PlayerPausing {
    private unowned let service: SessionService
    private let players: Players

    init(service: SessionService, loop: any EventLoop) {
        self.service = service
        players = Players(session: service.connection, loop: loop, tree: service.processes)
    }

    private func player(of stream: StreamIdentity) -> Player? {
        guard stream.process != nil || stream.client.sandbox != nil else { return nil }
        return players.player(for: stream.process ?? 0, sandbox: stream.client.sandbox?.application)
    }

    func hasPaused(_ stream: StreamIdentity, since: Instant) -> Bool? {
        player(of: stream).map { $0.pausedAt.map { $0 >= since.nanoseconds } ?? false }
    }

    func pause(_ stream: StreamIdentity) -> String? {
        guard let player = player(of: stream), player.status == .playing else { return nil }
        players.pause(player) { [weak self] answer in
            guard case .refused(let error) = answer else { return }
            self?.service.runtime.host.log(
                .info, "the player of \(stream.application.name) does not pause: \(Words.short(error.message))")
        }
        return player.owner
    }

    func resume(_ player: String) -> Bool {
        guard let player = players.all.first(where: { $0.owner == player }) else { return false }
        let isTouched = !players.isPausedByUs(player) && player.status != .playing
        players.resume(player)
        return !isTouched
    }

    /// Resumes all paused players.
    func letGo() { players.stop() }
}
