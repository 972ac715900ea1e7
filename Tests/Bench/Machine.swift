import BenchReport
import Foundation

extension RunPlace {
    /// This machine, and the servers that are found in the path.
    static func here() -> RunPlace {
        let date = Date().formatted(.iso8601.year().month().day())
        return RunPlace(
            date: date, processor: processor, processors: ProcessInfo.processInfo.processorCount, kernel: kernel,
            pipeWire: release(of: "pipewire", after: "Linked with libpipewire "),
            wirePlumber: release(of: "wireplumber", after: "Linked with libwireplumber "),
            pulseAudio: release(of: "pulseaudio", after: "pulseaudio "), load: [presentLoad])
    }

    /// Whether the servers here can be what a row needs. WirePlumber has its present role policy since 0.5.
    func has(_ place: TransitionRow.Place) -> Bool {
        if place != .wirePlumber { return true }
        if !wirePlumber.hasPrefix("0.4") { return true }
        note("WirePlumber \(wirePlumber) has no role policy as in 0.5: it is left out")
        return false
    }

    /// The load of the last minute.
    static var presentLoad: Double {
        var values = [0.0, 0, 0]
        return getloadavg(&values, 3) > 0 ? values[0] : 0
    }

    private static var processor: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let model = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return model.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
    }

    /// Only the numbers: what follows them names a distribution or a machine.
    private static var kernel: String {
        let release = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        return String(release?.prefix { $0.isNumber || $0 == "." } ?? "unknown")
    }

    private static func release(of program: String, after words: String) -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program, "--version"]
        process.standardOutput = output
        guard (try? process.run()) != nil else { return "none" }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let line = text.split(separator: "\n").first { $0.contains(words) }
        return line?.components(separatedBy: words).last.map { String($0) } ?? "none"
    }
}
