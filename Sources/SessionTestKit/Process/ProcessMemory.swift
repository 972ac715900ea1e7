import Foundation

/// What a process occupies, from `/proc/PID/smaps_rollup`.
public struct ProcessMemory: Sendable, Equatable {
    /// Resident, shared pages included, in KiB.
    public let resident: Int
    /// Private and written to, in KiB: what the process alone costs.
    public let privateDirty: Int
    /// Private and unchanged from its file, in KiB.
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
