public import SessionCore

/// An interruption by the system, whose sound, if any, is made elsewhere: a call on a modem, or the machine's sleep.
///
/// The module and the simulation use the same definitions.
public enum SystemInterruption {
    /// R12: silences everything but calls before the machine sleeps; everything resumes after it wakes.
    public static let sleep = {
        var sleep = SessionDescription(
            name: "sleep", category: .playback, priority: Priority(rawValue: Priority.phone.rawValue - 1),
            fade: .milliseconds(200), resumption: .always, releaseDelay: .zero)
        sleep.isOutsidePolicy = true
        return sleep
    }()

    /// The name given as the cause of that interruption.
    public static let sleeper = "the machine"

    /// The kinds that programs can begin over D-Bus. Each has the description of a stream with that role.
    public static let kinds = ["phone", "ringtone", "alarm"]

    /// A property that the policy reads to classify an interruption begun by a program (N11), as it would for a stream.
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

    /// The events that begin an interruption; closing its session ends it.
    ///
    /// - Parameter application: The program that began the interruption and is not affected by it; `nil` for the
    ///   machine.
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
