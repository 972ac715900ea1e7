import BusInterface
import DBus

/// Follows whether a telephone's audio is set up for a call, as callaudiod says it on the session bus. While callaudiod does
/// not run, there is no call.
///
/// Phosh, Plasma Mobile and their diallers have callaudiod change the card for a call; the call's sound need not be a stream
/// of the sound server. Source: callaudiod's interface `org.mobian_project.CallAudio`, in its XML description.
public final class CallAudioWatch {
    private static let service = "org.mobian_project.CallAudio"
    private static let path = "/org/mobian_project/CallAudio"
    /// The value of `AudioMode` during a call; 0 is the usual one, and 255 is unknown.
    private static let callMode: Int64 = 1

    private let bus: BusConnection
    private let changed: (Bool) -> Void
    private var subscriptions: [Subscription] = []
    private var owner: String?
    /// Whether there is a call.
    public private(set) var isInCall = false

    /// Starts to follow, and reports each change.
    public init(session bus: BusConnection, changed: @escaping (_ isInCall: Bool) -> Void) {
        self.bus = bus
        self.changed = changed
        subscriptions = [
            bus.subscribe(
                MatchRule(
                    sender: CallAudioWatch.service, pathNamespace: CallAudioWatch.path,
                    interface: WireInterface.properties.name)
            ) { [weak self] signal in
                guard let self, signal.sender == owner, signal.member == "PropertiesChanged",
                    signal.arguments.first?.text == CallAudioWatch.service, signal.arguments.count == 3
                else { return }
                if let mode = signal.arguments[1]["AudioMode"] {
                    report(mode.integer == CallAudioWatch.callMode)
                } else if signal.arguments[2].elements?.contains(where: { $0.text == "AudioMode" }) == true {
                    ask()
                }
            },
            bus.followOutside(CallAudioWatch.service) { [weak self] in self?.follow($0) },
        ]
    }

    deinit { stop() }

    /// Stops following without another report.
    public func stop() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        owner = nil
    }

    private func follow(_ newOwner: String?) {
        guard owner != newOwner else { return }
        owner = newOwner
        if newOwner == nil { report(false) } else { ask() }
    }

    private func ask() {
        guard let asked = owner else { return }
        bus.call(
            asked, path: CallAudioWatch.path, interface: WireInterface.properties.name, "Get",
            [.string(CallAudioWatch.service), .string("AudioMode")]
        ) { [weak self] result in
            guard let self, owner == asked else { return }
            report((try? result.get())?.first?.bare.integer == CallAudioWatch.callMode)
        }
    }

    private func report(_ isInCall: Bool) {
        guard isInCall != self.isInCall else { return }
        self.isInCall = isInCall
        changed(isInCall)
    }
}
