import BusInterface
import DBus

/// Shows notifications on the desktop; where nobody shows any, nothing happens, and nobody is started for it.
///
/// Source: the Desktop Notifications Specification, 1.2.
public final class Notifications {
    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    private let service: NamedService
    /// The numbers that the desktop has given, by what each notification is about.
    private var numbers: [String: UInt32] = [:]

    /// A notification.
    public struct Note: Sendable, Equatable {
        /// What it is about: a later one about the same takes its place.
        public var subject: String
        /// The name of an icon.
        public var icon: String
        /// One line.
        public var summary: String
        /// A sentence. What would be markup is shown as it is.
        public var body: String

        /// Creates a notification.
        public init(subject: String, icon: String, summary: String, body: String) {
            self.subject = subject
            self.icon = icon
            self.summary = summary
            self.body = body
        }
    }

    /// Looks for whoever shows notifications.
    public init(session bus: BusConnection) {
        service = NamedService(Notifications.name, on: bus)
        service.follow { [weak self] in self?.numbers = [:] }
    }

    /// Shows nothing any more.
    public func stop() { service.stop() }

    /// Shows a notification, without a sound and for as long as the desktop shows such.
    public func show(_ note: Note) {
        let body = note.body.reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            default: text.append(character)
            }
        }
        let hints: [(String, WireValue)] = [
            ("urgency", .byte(1)), ("category", .string("device")), ("transient", .boolean(true)),
            ("suppress-sound", .boolean(true)),
        ]
        let arguments: [WireValue] = [
            .string("audio-session"), .uint32(numbers[note.subject] ?? 0), .string(note.icon), .string(note.summary),
            .string(body), .array(of: "s", []), .record(hints), .int32(-1),
        ]
        service.ask("Notify", of: Notifications.name, at: Notifications.path, arguments) { [weak self] values in
            if let number = values.first?.integer { self?.numbers[note.subject] = UInt32(clamping: number) }
        }
    }

    /// Takes a notification back, if it is still there.
    public func close(_ subject: String) {
        guard let number = numbers.removeValue(forKey: subject) else { return }
        let path = Notifications.path
        service.ask("CloseNotification", of: Notifications.name, at: path, [.uint32(number)]) { _ in }
    }
}
