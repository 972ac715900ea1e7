import DesktopServices
import PolicyEngine
import PolicyRuntime

/// Tells people on the desktop what the policy has done, where the policy says so.
final class DesktopNotes {
    private unowned let service: SessionService
    private let notifications: Notifications
    /// The applications that wait for an output, by the output.
    private var waiting: [PortID: Set<String>] = [:]

    init(service: SessionService) {
        self.service = service
        notifications = Notifications(session: service.connection)
    }

    func stop() { notifications.stop() }

    /// Handles an effect of the engine.
    func handle(_ effect: Effect) {
        switch effect {
        case .interruptionBegan(let session, let actor): began(session, by: actor)
        case .interruptionEnded(let session, _): ended(session)
        default: break
        }
    }

    private func began(_ session: SessionReference, by actor: Interrupter) {
        let told = service.runtime.engine.policy.notified
        let name = session.application.name
        if case .output(let port) = actor.cause {
            guard told.contains(.outputGone) else { return }
            waiting[port, default: []].insert(name)
            let names = waiting[port, default: []].sorted().joined(separator: ", ")
            notifications.show(
                Notifications.Note(
                    subject: "output \(port.name)", icon: "audio-headphones", summary: "\(actor.name) has gone",
                    body: "It goes on where it was when \(actor.name) is back: \(names)."))
        } else if told.contains(.recordingStopped), isRecording(session) {
            notifications.show(
                Notifications.Note(
                    subject: "recording \(name)", icon: "audio-input-microphone", summary: "\(name) does not record",
                    body: reason(of: actor)))
        }
    }

    private func ended(_ session: SessionReference) {
        let name = session.application.name
        notifications.close("recording \(name)")
        for (port, names) in waiting where names.contains(name) {
            waiting[port] = names.count == 1 ? nil : names.subtracting([name])
            if names.count == 1 { notifications.close("output \(port.name)") }
        }
    }

    private func isRecording(_ session: SessionReference) -> Bool {
        let engine = service.runtime.engine
        guard let number = engine.session(session), let snapshot = engine.snapshot(of: number) else {
            return false
        }
        return snapshot.streams.contains { service.runtime.snapshot(of: $0)?.direction == .capture }
    }

    private func reason(of actor: Interrupter) -> String {
        switch actor.cause {
        case .input: "\(actor.name) is muted."
        case .route: "Another input is in use. Start the recording again if that is the one you want."
        case .session, .system, .output, .policy: "\(actor.name) is heard."
        }
    }
}
