import Foundation
import TestKit

/// What a process occupies, by what it is mapped from, in KiB.
struct MemoryMap: Sendable {
    /// One counter each of `/proc/PID/smaps`.
    struct Use: Sendable {
        /// Pages in memory, those included that others have too.
        var resident = 0
        /// Pages written to, and of this process alone.
        var privateDirty = 0
    }

    /// By the file's name, parted into what is run, what is written and what is only read; memory without a file has a
    /// name in parentheses.
    private(set) var parts: [String: Use] = [:]

    /// All of it.
    var total: Use {
        parts.values.reduce(into: Use()) {
            $0.resident += $1.resident
            $0.privateDirty += $1.privateDirty
        }
    }

    init(of process: pid_t) throws {
        // Its size is given as zero, so it is read to its end; `String(contentsOfFile:)` takes the first page for all.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(process)/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let sum = try ProcessMemory(of: process)
        var part = ""
        var previous: (end: Substring, file: String)?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if let first = words.first, first.hasSuffix(":") {
                guard words.count > 1, let value = Int(words[1]) else { continue }
                switch first {
                case "Rss:": parts[part, default: Use()].resident += value
                case "Private_Dirty:": parts[part, default: Use()].privateDirty += value
                default: break
                }
            } else if words.count >= 5 {
                let bounds = words[0].split(separator: "-")
                var file = words.count > 5 ? (String(words[5]) as NSString).lastPathComponent : ""
                // Variables that begin as zero have no file, and follow those that do not. Behind other libraries may be
                // anything.
                if file.isEmpty, let previous, previous.end == bounds.first { file = previous.file }
                previous = file.contains("audio-session") ? bounds.last.map { ($0, file) } : nil
                part = MemoryMap.name(file: file, permissions: words[1])
            }
        }
        // The kernel's own sum was taken a moment later.
        guard abs(total.resident - sum.resident) < 64 else {
            throw MemoryMapFailure(read: total.resident, expected: sum.resident)
        }
    }

    private static func name(file: String, permissions: Substring) -> String {
        guard file.hasPrefix("lib") else {
            return file.hasPrefix("[") ? "(\(file.dropFirst().dropLast()))" : file.isEmpty ? "(no file)" : "(other)"
        }
        let library = file.split(separator: ".").first.map(String.init) ?? file
        return library + (permissions.contains("x") ? ": code" : permissions.contains("w") ? ": data" : ": constants")
    }
}

/// The parts of a memory map are not the whole.
struct MemoryMapFailure: Error, CustomStringConvertible {
    let read: Int
    let expected: Int

    var description: String { "the mappings amount to \(read) KiB, the process has \(expected) KiB" }
}
