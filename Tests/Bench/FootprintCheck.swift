import BenchReport
import Foundation
import TestKit

/// `Tests/bin/bench footprint --check`: fails if a module adds more than 10 % above what is written down to the memory of an
/// idle daemon.
func checkFootprint(modules folder: String, runs: Int) async throws {
    let file = "Tests/Bench/footprint.txt"
    let limits = try Limit.read(file)
    try readFromDisk(folder + "/libpipewire-module-audio-session.so")
    try readFromDisk(folder + "/module-audio-session.so")
    var desktops: [Limit.Use] = []
    var daemons: [Limit.Use] = []
    for _ in 1...runs {
        // All four at the same time, for most of it is waiting.
        async let desktop = desktopMemory(nil)
        async let desktopWith = desktopMemory(folder)
        async let daemon = daemonMemory(nil)
        async let daemonWith = daemonMemory(folder)
        desktops.append(Limit.Use(try await desktopWith.total, without: try await desktop.total))
        daemons.append(Limit.Use(try await daemonWith.total, without: try await daemon.total))
    }
    var isTooMuch = false
    for (name, uses) in [("pipewire", desktops), ("pulseaudio", daemons)] {
        guard let limit = limits[name] else { throw UsageError("\(file) says nothing of \(name)") }
        let use = Limit.Use(
            resident: Series(uses.map { Double($0.resident) }).median ?? 0,
            dirty: Series(uses.map { Double($0.dirty) }).median ?? 0)
        print(
            "\(name): \(format(use.resident, decimals: 0)) KiB resident, of \(format(limit.resident, decimals: 0)); "
                + "\(format(use.dirty, decimals: 0)) KiB private and written to, of \(format(limit.dirty, decimals: 0))"
        )
        isTooMuch = isTooMuch || use.resident > limit.resident * 1.1 || use.dirty > limit.dirty * 1.1
    }
    if isTooMuch { throw FootprintFailure() }
}

private enum Limit {
    struct Use {
        let resident: Double
        let dirty: Double

        init(resident: Double, dirty: Double) {
            self.resident = resident
            self.dirty = dirty
        }

        init(_ with: MemoryMap.Use, without: MemoryMap.Use) {
            resident = Double(with.resident - without.resident)
            dirty = Double(with.privateDirty - without.privateDirty)
        }
    }

    static func read(_ file: String) throws -> [String: Use] {
        var limits: [String: Use] = [:]
        for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#")
        {
            let words = line.split(separator: " ")
            guard words.count == 3, let resident = Double(words[1]), let dirty = Double(words[2]) else {
                throw UsageError("\(file): what is \(line)?")
            }
            limits[String(words[0])] = Use(resident: resident, dirty: dirty)
        }
        return limits
    }
}

/// A module adds more than is written down.
private struct FootprintFailure: Error, CustomStringConvertible {
    var description: String { "that is more than 10 % above what is written down" }
}

/// A module gives its pages back ten seconds after it was loaded (`StartWatch`).
func startSettles() async throws { try await Task.sleep(for: .seconds(11)) }

/// Makes a daemon read a module's file as after a start of the machine. The kernel maps what lies around each page too, and
/// more of it for a file that has just been written.
func readFromDisk(_ path: String) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    // What has not reached the disk yet would also count as written by the daemon.
    fsync(file.fileDescriptor)
    posix_fadvise(file.fileDescriptor, 0, 0, POSIX_FADV_DONTNEED)
    try file.close()
}

private func desktopMemory(_ folder: String?) async throws -> MemoryMap {
    var options = DesktopOptions.forFootprint
    if let folder { options.modules = [ServerModule(PrivateDesktop.moduleName, folder: folder)] }
    return try await withServer(PrivateDesktop.start(options)) { desktop in
        guard let daemon = desktop.pipeWire else { throw CancellationError() }
        try await startSettles()
        return try await steadyMemory(of: daemon.processID)
    }
}

extension DesktopOptions {
    /// With a system bus, as everywhere: the module would try again and again to reach one that is not there.
    static var forFootprint: DesktopOptions {
        var options = DesktopOptions()
        options.runsSystemBus = true
        return options
    }
}

private func daemonMemory(_ folder: String?) async throws -> MemoryMap {
    var options = PulseAudioOptions.stock
    options.runsSystemBus = true
    if let folder {
        options.moduleFolders = [folder]
        options.modules.append("module-audio-session")
    }
    return try await withServer(PrivatePulseAudio.start(options)) { server in
        guard let daemon = server.daemon else { throw CancellationError() }
        try await startSettles()
        return try await steadyMemory(of: daemon.processID)
    }
}
