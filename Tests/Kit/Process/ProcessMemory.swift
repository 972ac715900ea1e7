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
}
