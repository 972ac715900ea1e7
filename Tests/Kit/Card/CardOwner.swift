import Foundation

/// Which process has the simulated cards of a private desktop with PipeWire.
public enum CardOwner: String, Sendable, CaseIterable {
    /// A program of its own, which exports the device and its nodes.
    case program
    /// The session manager: it finds the card by its own rules for ALSA, loads the driver as a plugin, and creates the nodes
    /// in the daemon, as on a desktop with real cards.
    case manager

    /// The owner in this run: `AUDIO_SESSION_CARD`, a program by default.
    public static let underTest: CardOwner = {
        let name = ProcessInfo.processInfo.environment["AUDIO_SESSION_CARD"] ?? ""
        guard let owner = CardOwner(rawValue: name.isEmpty ? CardOwner.program.rawValue : name) else {
            // Another owner than the requested one would prove nothing.
            fatalError("AUDIO_SESSION_CARD is \(name); known are \(allCases.map(\.rawValue))")
        }
        return owner
    }()

    /// The folder that has our plugin for ALSA, which `Tests/ManagerCard/build` makes.
    static func pluginFolder() throws -> String {
        for folder in try builtModuleFolders().map({ "\($0)/tests/spa" })
        where FileManager.default.fileExists(atPath: "\(folder)/alsa/libspa-alsa.so") {
            return folder
        }
        throw SystemError(code: ENOENT, context: "find the plugin that Tests/ManagerCard/build makes")
    }
}

/// The folders in which built modules may be, the best one first.
func builtModuleFolders() throws -> [String] {
    let variable = ProcessInfo.processInfo.environment["AUDIO_SESSION_MODULES"]
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    // The test program is some folders below `.build`.
    let above = sequence(first: URL(fileURLWithPath: program).deletingLastPathComponent()) {
        $0.path == "/" ? nil : $0.deletingLastPathComponent()
    }
    return [variable].compactMap(\.self) + above.map { $0.appendingPathComponent("modules").path }
}
