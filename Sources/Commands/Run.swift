import ArgumentParser
import Glibc
import PolicyEngine
import PolicyFile

/// `audio-session run`: starts an application and tags its streams with role and names.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Starts an application and states what its streams are for.",
        discussion: """
            The properties go into PIPEWIRE_PROPS and PULSE_PROP, beside what is there already, so they are those of \
            every stream of the application and of what it starts. The command takes this one's place: the process and \
            its status are the application's own. The status is 125 when the properties cannot be set, 126 when the \
            command cannot be run, and 127 when there is none of that name.
            """)

    @Option(
        help: ArgumentHelp("What the sound is for: \(list(Run.categories)).", valueName: "CATEGORY"),
        completion: .list(Run.categories), transform: { try Run.word($0, of: Run.categories, "a category") })
    var category: String?

    @Option(
        help: ArgumentHelp(
            "An option of the category: \(list(Run.options)); several are given one by one.", valueName: "OPTION"),
        completion: .list(Run.options), transform: { try Run.word($0, of: Run.options, "an option") })
    var option: [String] = []

    @Option(
        help: ArgumentHelp("The kind of use: \(list(Run.modes)).", valueName: "MODE"),
        completion: .list(Run.modes), transform: { try Run.word($0, of: Run.modes, "a mode") })
    var mode: String?

    @Option(
        help: ArgumentHelp("A role, as media.role has it, such as music or navigation.", valueName: "ROLE"),
        transform: Run.role)
    var role: String?

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The command to run, with its arguments, after --.", valueName: "COMMAND"))
    var command: [String]

    private static let categories = SessionTags.categories.map(\.rawValue)
    private static let options = CategoryOption.allCases.map(\.rawValue)
    private static let modes = Mode.allCases.map(\.rawValue)

    private static func word(_ word: String, of known: [String], _ noun: String) throws -> String {
        if known.contains(word) { return word }
        let hint = nearest(to: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
        throw ValidationError("found '\(printable(word))', expected \(noun): \(list(known))\(hint)")
    }

    private static func role(_ text: String) throws -> String {
        if Role(text) != nil { return text }
        throw ValidationError("found '\(printable(text))', expected a role of 1 to \(Role.maximumLength) bytes")
    }

    /// The command without a leading `--`.
    private var invocation: ArraySlice<String> { command.first == "--" ? command.dropFirst() : command[...] }

    func validate() throws {
        guard let program = invocation.first else { throw ValidationError("there is no command to run") }
        if command.first != "--", program.hasPrefix("-") {
            // The command line's rest passes through, so the parser leaves these to us.
            if ["--help", "-h"].contains(program) { throw CleanExit.helpRequest(self) }
            throw ValidationError("unknown option '\(printable(program))'; put the command to run after --")
        }
        if category == nil && option.isEmpty && mode == nil && role == nil {
            throw ValidationError(
                "found none of --category, --option, --mode and --role, expected at least one of them")
        }
    }

    /// The properties for the application's streams.
    private var properties: [Property] {
        var properties: [Property] = []
        if let role { properties.append(Property(key: "media.role", value: role)) }
        if let category { properties.append(Property(key: SessionTags.categoryKey, value: category)) }
        if !option.isEmpty {
            properties.append(Property(key: SessionTags.optionsKey, value: option.joined(separator: " ")))
        }
        if let mode { properties.append(Property(key: SessionTags.modeKey, value: mode)) }
        return properties
    }

    func run() throws {
        let (pipeWire, mistakes) = PipeWireProperties.adding(properties, to: environment(PipeWireProperties.variable))
        Terminal.report(mistakes)
        guard let pipeWire else { throw ExitCode(125) }
        guard let pulse = PulseProperties.adding(properties, to: environment(PulseProperties.variable)) else {
            throw Terminal.failure(
                "found a \(PulseProperties.variable) in the environment that PulseAudio cannot read, "
                    + "expected key=value, with quotes around values that have blanks", ExitCode(125))
        }
        guard setenv(PipeWireProperties.variable, pipeWire, 1) == 0, setenv(PulseProperties.variable, pulse, 1) == 0
        else {
            throw Terminal.failure(
                "the environment cannot be changed: \(String(cString: strerror(errno)))", ExitCode(125))
        }
        throw Self.become(Array(invocation))
    }

    /// Replaces this process by another program. Returns only on failure, with the exit status for it.
    private static func become(_ command: [String]) -> ExitCode {
        var arguments = command.map { strdup($0) }
        arguments.append(nil)
        let name = command.first ?? ""
        execvp(name, arguments)
        return Terminal.failure(running: name, errno)
    }
}
