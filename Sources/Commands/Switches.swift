import ArgumentParser
import BusInterface
import PolicyEngine

/// `audio-session silent`: the silent switch (R15, R16).
struct Silent: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows or sets the silent switch.",
        discussion: """
            While it is on, sounds of the categories ambient and solo-ambient are not heard, or of those that the policy \
            names in their place. Without an argument, prints on or off.
            """)

    @OptionGroup var arguments: SwitchArguments

    func run() throws { try arguments.run(.silent) }
}

/// `audio-session do-not-disturb`: the do-not-disturb switch (N16).
struct DoNotDisturb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Switch.doNotDisturb.rawValue,
        abstract: "Shows or sets do-not-disturb.",
        discussion: """
            While it is on, the sounds that the policy names are not heard. Without an argument, prints on or off.
            """)

    @OptionGroup var arguments: SwitchArguments

    func run() throws { try arguments.run(.doNotDisturb) }
}

/// The arguments that all switches share.
struct SwitchArguments: ParsableArguments {
    /// What to do with the switch.
    enum Action: String, CaseIterable, ExpressibleByArgument {
        case on, off, toggle
    }

    @Argument(help: "What to do with the switch; without it, print its state.")
    var action: Action?

    @Flag(help: "Print JSON.")
    var json = false

    /// Shows or sets a switch. Prints the value, or what was done, if the user has given it.
    func run(_ one: Switch) throws {
        let service = ServiceConnection()
        var isOn = action == .on
        if action == nil || action == .toggle { isOn = try service.property(one.property)?.truth ?? false }
        if action == .toggle { isOn.toggle() }
        if action != nil { try service.setProperty(one.property, to: .boolean(isOn)) }
        if json {
            try Terminal.write(SchemaJSON.text([(one.rawValue, .boolean(isOn))]))
        } else if action == nil || action == .toggle {
            try Terminal.write(isOn ? "on\n" : "off\n")
        } else {
            let (now, back) = isOn ? ("on", "off") : ("off", "on")
            try Terminal.write(
                "\(one.rawValue) is \(now); to turn it \(back) again: audio-session \(one.rawValue) \(back)\n")
        }
    }
}
