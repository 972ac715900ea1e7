import ArgumentParser
import BusInterface
import Glibc

/// `audio-session interrupt`: begins and ends system interruptions, for scripts and trials.
struct Interrupt: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Begins and ends interruptions, as for a call or an alarm whose sound is made elsewhere.",
        subcommands: [Begin.self, End.self])

    /// The kind of an interruption: a role of the policy, or `duck` or `speech`. The service knows which there are.
    struct Kind: ExpressibleByArgument {
        let rawValue: String

        init?(argument: String) {
            // The kind becomes part of a file's name.
            let isPlain = argument.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            guard !argument.isEmpty, argument.utf8.count <= 64, isPlain else { return nil }
            rawValue = argument
        }

        /// Some kinds, for completion in shells.
        static let allValueStrings = [
            "phone", "ringtone", "alarm", "navigation", "prompt", "dictation", "duck", "speech",
        ]
        static let defaultCompletionKind = CompletionKind.list(allValueStrings)
    }

    /// `audio-session interrupt begin`
    struct Begin: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Interrupts others for as long as this command, or COMMAND, runs.",
            discussion: """
                An interruption ends when the program that began it leaves the bus, so this one runs until SIGINT, SIGTERM \
                or SIGHUP, until LENGTH is over, until audio-session interrupt end, or until COMMAND has ended. SIGTERM and \
                SIGHUP are passed on to COMMAND, whose status is then the status: 128 and the signal's number if a signal \
                has ended it. When the service comes back after it has gone, the interruption begins again.
                """)

        @Argument(
            help: """
                What interrupts: a role of the policy, such as phone, ringtone, alarm, navigation or dictation; or duck, to \
                lower others; or speech, which is spoken over others.
                """)
        var kind: Kind

        @Option(
            name: .customLong("for"), help: ArgumentHelp("For how long, such as 30s.", valueName: "LENGTH"),
            transform: Length.init)
        var length: Length?

        @Option(help: ArgumentHelp("What people see as the cause.", valueName: "NAME"))
        var name: String?

        @Flag(help: "Print JSON.")
        var json = false

        @Argument(
            parsing: .postTerminator,
            help: ArgumentHelp("A command to run meanwhile, with its arguments, after --.", valueName: "COMMAND"))
        var command: [String] = []

        func validate() throws {
            if json && !command.isEmpty { throw ValidationError("--json and COMMAND exclude each other") }
        }

        func run() throws { try HeldInterruption(self).run() }
    }

    /// `audio-session interrupt end`
    struct End: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends the interruptions that you hold with audio-session interrupt begin.",
            discussion: """
                Interruptions of other programs stay. A COMMAND that an interruption runs gets SIGTERM. The status is 1 \
                when there is none to end, or when one has not ended within 5 seconds.
                """)

        @Argument(help: "The kind to end; without it, all kinds.")
        var kind: Kind?

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let ended = try InterruptionLock.endAll(of: kind)
            if json {
                let records = ended.map { lock in
                    WireValue.record([("kind", .string(lock.kind)), ("process", .int32(lock.process))])
                }
                try Terminal.write(SchemaJSON.text([("ended", .records(records))]))
            } else {
                for lock in ended { try Terminal.write("\(lock.kind) interruption ended (process \(lock.process))\n") }
            }
            if ended.isEmpty {
                throw Terminal.failure(
                    "you hold no \(kind.map { "\($0.rawValue) " } ?? "")interruption that "
                        + "audio-session interrupt begin has begun")
            }
        }
    }
}
