import ArgumentParser
import BusInterface

/// `audio-session pause`: suspends the policy.
struct Pause: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Suspends the policy: nobody is lowered, stopped or muted.",
        discussion: "What was done is undone. The policy is in force again after LENGTH, or after audio-session resume."
    )

    @Argument(
        help: ArgumentHelp(
            "For how long, such as 90s, 30m or 1h30m; without it, until audio-session resume.", valueName: "LENGTH"),
        transform: Length.init)
    var length: Length?

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let service = ServiceConnection()
        try service.callOrExit("Pause", [.uint64(length?.milliseconds ?? 0)])
        try report(service, json: json)
    }
}

/// `audio-session resume`: puts the policy in force again.
struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Puts the policy in force again.")

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let service = ServiceConnection()
        try service.callOrExit("Resume")
        try report(service, json: json)
    }
}

/// Prints until when the policy is suspended.
private func report(_ service: ServiceConnection, json: Bool) throws {
    let pause = ServiceState.Pause(try service.property("PausedUntil"))
    if json {
        try Terminal.write(
            SchemaJSON.text([("paused", .boolean(pause != .none)), ("paused-until", pause.value)]))
    } else if let words = pause.words(at: WallTime.now.microseconds) {
        try Terminal.write(words + "; to end that before: audio-session resume\n")
    } else {
        try Terminal.write("the policy is in force; to suspend it: audio-session pause\n")
    }
}
