import CPipeWire
import Glibc
import HostSupport
import PolicyEngine
@testable import PolicyFile

@testable import DesktopServices
@testable import PipeWireHost
@testable import PolicyRuntime

/// Classifies a stream whose properties are lines of `key=value`.
func fuzzProperties(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let choice = input.byte()
    let classifier = classifiers[Int(choice >> 1) % classifiers.count]
    let direction: StreamDirection = choice & 1 == 0 ? .playback : .capture
    var properties: [String: String] = [:]
    for line in input.rest.split(separator: 0x0A) {
        let parts = line.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
        // As in a host: at most 256 bytes are read, and invalid UTF-8 is repaired.
        let text = parts.map { String(decoding: $0.prefix(256), as: UTF8.self) }
        if text.count == 2 { properties[text[0]] = text[1] }
    }
    var asked: Set<String> = []
    let result = classifier.classify(direction: direction) { key in
        found("asked twice for \(key)", !asked.insert(key).inserted)
        return properties[key]
    }
    for description in [result.description, result.descriptionInSession].compactMap({ $0 }) {
        found("not consistent: \(description)", description.consistent != description)
    }
    found(
        "nothing in a session, but something by itself", result.description != nil && result.descriptionInSession == nil
    )
    let texts = result.complaints + result.steps.map(\.text) + [result.refusedClaim ?? ""]
    found("two lines", texts.contains { $0.unicodeScalars.contains { $0.value < 0x20 } })
}

/// The presets, and policies with all kinds of rules and claims.
private let classifiers: [Classifier] = {
    let rules = """
        claims = { phone = { allow = [ { application.name = "GNOME Calls" } { media.name = "~^[a-c]+(x|y){2,3}$" } ]
            otherwise = music } alarm = { allow = [ { application.process.binary = "~.*clock" } ] otherwise = none } }
        rules = [
            { matches = [ { media.name = "~^WEBRTC" application.name = !null } { node.name = "!~a.c" } ]
              actions = { update-session = { role = phone fade = "0.25 s" } } }
            { matches = [ { application.name = null media.role = "~m|é" } ] actions = { update-session = { role = none } } }
            { matches = [ { application.id = "x" } ]
              actions = { update-session = { category = record options = [ ] mode = measurement } } } ]
        """
    return ["preset = desktop", "preset = phone", rules, "preset = phone " + rules].compactMap {
        PolicyFile(bytes: Array($0.utf8), named: "built in").classifier
    }
}()

/// An empty list of properties, because the daemon always has a list.
nonisolated(unsafe) private let noProperties = pw_properties_new_string("")

/// Parses values of the session manager's and the daemon's metadata.
func fuzzMetadata(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let kind = input.byte()
    let value = String(decoding: input.rest.prefix(1024), as: UTF8.self)
    switch kind % 4 {
    case 0:
        if let name = nodeName(in: value) { found("a quote in a name", name.utf8.contains(0x22)) }
        let isPlain = !value.utf8.contains { $0 == 0x22 || $0 == 0x5C }
        found("another name", isPlain && nodeName(in: "{ \"name\": \"\(value)\" }") != value)
    case 1:
        var settings = GraphSettings(noProperties.map { UnsafePointer($0) })
        for line in value.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1).map { String($0) }
            settings.set(parts.first, to: parts.count > 1 ? parts[1] : nil)
            found("a rate of nothing", settings.timing.rate == 0)
            found("a quantum of nothing", settings.timing.quantum == 0)
            found("not a fraction", !isFraction(settings.usualRate) || !isFraction(settings.usualLatency))
        }
    case 2:
        found("a denominator of 0", isFraction(value) && value.hasSuffix("/0"))
    default:
        let text = printable(value, limit: .max)
        found("control characters", text.unicodeScalars.contains { !$0.isPrintable })
        found("no name twice", printable(text, limit: .max) != text)
        var bounded = bytes.prefix(300).map { CChar(bitPattern: $0) } + [0]
        bounded.withUnsafeMutableBufferPointer { found("too long", (name($0.baseAddress) ?? "").utf8.count > 768) }
    }
}

/// Parses the texts of `/proc/PID/stat`, `cgroup` and `cmdline`, of desktop files, and of Flatpak's description.
func fuzzProcesses(_ bytes: [UInt8]) {
    _ = LinuxProcessTree.status(bytes)
    if let unit = LinuxProcessTree.unit(inGroups: bytes) { found("a unit with a folder", unit.contains("/")) }
    if let title = DesktopFile.title(in: bytes, languages: ["de_AT", "de"]) {
        found("an application without a title", title.isEmpty)
    }
    if let sandbox = LinuxProcessTree.sandbox(inFlatpak: bytes) {
        found("a sandbox of nobody", sandbox.application.isEmpty)
    }
    let arguments = LinuxProcessTree.arguments(bytes)
    found("a program without a name", LinuxProcessTree.name(command: "", arguments: arguments)?.isEmpty == true)
    if let sandbox = LinuxProcessTree.sandbox(inGroups: bytes) { found("a sandbox without a name", sandbox.isEmpty) }
}

/// Parses the PulseAudio module's arguments, and the policy text made of them.
func fuzzArguments(_ bytes: [UInt8]) {
    // The arguments are a C string, so they end at the first zero.
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    guard case .success(let arguments) = ModuleArguments.read(text) else { return }
    // Skip arguments that name a file.
    guard let policy = arguments.policyText, arguments.policy == nil else { return }
    let loaded = PolicyLoader.load(arguments: policy, layers: Layers(folders: []))
    // The name of a preset must stay one word in the policy text, whatever it contains.
    let isNameOfPreset = loaded.diagnostics.allSatisfy { $0.description.contains("preset") }
    found("\(policy): \(loaded.diagnostics)", !isNameOfPreset)
}
