import Foundation

/// The memory of a process, from `/proc/PID/smaps_rollup`.
public struct ProcessMemory: Sendable, Equatable {
    /// Resident memory including shared pages, in KiB.
    public let resident: Int
    /// Private modified memory, in KiB: the cost of this process alone.
    public let privateDirty: Int
    /// Private memory unchanged from its file, in KiB.
    public let privateClean: Int

    /// Reads the counters now.
    public init(of process: pid_t) throws {
        let path = "/proc/\(process)/smaps_rollup"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        func value(_ key: String) throws -> Int {
            for line in text.split(separator: "\n") where line.hasPrefix(key + ":") {
                if let number = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) { return number }
            }
            throw SystemError(code: EINVAL, context: "\(key) in \(path)")
        }
        resident = try value("Rss")
        privateDirty = try value("Private_Dirty")
        privateClean = try value("Private_Clean")
    }

    /// The private modified memory in mappings below a size, all in KiB; this excludes a server's large buffers for
    /// sound.
    public static func privateDirty(of process: pid_t, inMappingsBelow limit: Int) throws -> Int {
        // The file's size is given as zero, so read it to its end; `String(contentsOfFile:)` would read only the first
        // page.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(process)/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        var sum = 0
        var isSmall: Bool?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 1, let value = Int(words[1]) else { continue }
            // Each mapping begins with its size.
            if words[0] == "Size:" { isSmall = value < limit }
            if words[0] == "Private_Dirty:", isSmall == true { sum += value }
        }
        guard isSmall != nil else { throw SystemError(code: EINVAL, context: "Size in /proc/\(process)/smaps") }
        return sum
    }
}
