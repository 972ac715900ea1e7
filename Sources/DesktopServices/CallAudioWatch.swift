import BusInterface
import DBus

/// Follows whether a telephone's audio is set up for a call, as callaudiod says it on the session bus. While callaudiod does
/// not run, there is no call.
///
/// Phosh, Plasma Mobile and their diallers have callaudiod change the card for a call; the call's sound need not be a stream
/// of the sound server. Source: callaudiod's interface `org.mobian_project.CallAudio`, in its XML description.
public final class CallAudioWatch {
    private static let name = "org.mobian_project.CallAudio"
    private static let path = "/org/mobian_project/CallAudio"
    /// The value of `AudioMode` during a call; 0 is the usual one, and 255 is unknown.
    private static let callMode: Int64 = 1

    private let service: NamedService
    private var mode: Subscription?
    private let changed: (Bool) -> Void
    /// Whether there is a call.
    public private(set) var isInCall = false

    /// Starts to follow, and reports each change.
    public init(session bus: BusConnection, changed: @escaping (_ isInCall: Bool) -> Void) {
        self.changed = changed
        service = NamedService(CallAudioWatch.name, on: bus)
        let read: (WireValue?) -> Void = { [weak self] in self?.report($0?.integer == CallAudioWatch.callMode) }
        mode = service.watch("AudioMode", of: CallAudioWatch.name, at: CallAudioWatch.path, read)
        service.follow(isOutside: true) { [weak self] in
            guard let self else { return }
            if service.owner == nil { return report(false) }
            service.get("AudioMode", of: CallAudioWatch.name, at: CallAudioWatch.path, then: read)
        }
    }

    /// Stops following without another report.
    public func stop() {
        mode = nil
        service.stop()
    }

    private func report(_ isInCall: Bool) {
        guard isInCall != self.isInCall else { return }
        self.isInCall = isInCall
        changed(isInCall)
    }
}
