public import SessionCore

/// An interruption by the system, whose sound is made elsewhere, if there is any: a call on a modem, the machine's sleep.
///
/// What is said of it here is true on a desktop as in a simulation of one.
public enum SystemInterruption {
    /// R12: what silences everything but a call before the machine sleeps; all goes on after waking.
    public static let sleep = {
        var sleep = SessionDescription(
            name: "sleep", category: .playback, priority: Priority(rawValue: Priority.phone.rawValue - 1),
            fade: .milliseconds(200), resumption: .always, releaseDelay: .zero)
        sleep.isOutsidePolicy = true
        return sleep
    }()

    /// Who is named then.
    public static let sleeper = "the machine"

    /// The kinds that can be begun over D-Bus; each is what a stream of that role would be.
    public static let kinds = ["phone", "ringtone", "alarm"]

    /// What the policy looks at to tell what an interruption is that a program begins (N11): as of a stream of its own.
    public static func property(_ name: String, kind: String, program: String?, sandbox: String?, label: String)
        -> String?
    {
        switch name {
        case "media.role": kind
        case "application.process.binary": program
        case "pipewire.access.portal.app_id": sandbox
        case "application.name": label
        default: nil
        }
    }

    /// What the engine hears when one begins; it ends when its session is closed.
    ///
    /// - Parameter application: Of the program that has begun it, which it does not touch; `nil` for the machine itself.
    public static func beginning(
        _ id: SessionID, _ description: SessionDescription, by name: String, of application: ApplicationID? = nil
    ) -> [Event] {
        let shown = ApplicationID(portal: nil, binary: nil, displayName: name, fallback: "the system")
        return [
            .sessionOpened(id, application: shown, .system(description, by: application)),
            .sessionRequested(id, .activate(mayWait: true)),
        ]
    }
}
