import ArgumentParser
import BusInterface

/// `audio-session free`: lets streams be heard that the policy silences or lowers.
struct Free: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lets something be heard that the policy silences or lowers.",
        discussion: """
            The stream is heard beside the sessions that silence or lower it now, until they have ended; a session that \
            begins later silences or lowers the stream as usual. The silent switch, the lock and do not disturb do not \
            silence the stream until one of them changes. A number is that of a stream, or else of a process; anything \
            else is an application's name. The status is 1 when there is no such stream, when nothing is done to it, when \
            only its application can let it go on, or when the service is not there.
            """)

    @Argument(help: ArgumentHelp("A stream or process by its number, or an application.", valueName: "SUBJECT"))
    var subject: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let count = try ServiceConnection().ofSubject("Free", subject).first?.integer ?? 0
        try Terminal.write(
            json
                ? SchemaJSON.text([("subject", .string(subject)), ("streams", .uint32(UInt32(clamping: count)))])
                : (count == 1 ? "1 stream is" : "\(count) streams are")
                    + " heard beside what silences or lowers it, until that has ended; nothing is left to undo then\n")
    }
}
