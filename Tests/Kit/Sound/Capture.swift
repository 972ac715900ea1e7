import Foundation
import Synchronization

/// A growing recording of the null sink or of another source.
///
/// Tests wait for conditions in the captured sound instead of for time to pass. Frames count from the beginning of the
/// capture, so a frame from a query during the capture is the same in the finished `Sound`.
public final class Capture: Sendable {
    private static let bytesPerFrame = 8

    private let process: ChildProcess
    private let path: String
    /// Whether the process exists only for this recording.
    private let hasOwnProcess: Bool
    /// A frame of the beginning, and when it was there, on the clock of ``StallMeter/now``.
    private let beginning = Mutex<(frame: Int, moment: Duration)>((0, .zero))

    /// Starts to record the monitor of the server's sink, and returns when sound (or silence) flows.
    public static func start(on server: any PrivateServer) async throws -> Capture {
        let capture = try Capture(on: server)
        try await server.connectCapture()
        try await capture.begin()
        return capture
    }

    private init(on server: any PrivateServer) throws {
        path = server.sandbox.path("tmp/\(UUID().uuidString.prefix(8)).f32")
        hasOwnProcess = true
        process = try server.sandbox.start("capture", try server.captureInvocation(), output: path)
    }

    /// Starts to record another source than the null sink, in addition to other recordings, and returns when sound (or
    /// silence) flows. If the source disappears, silence is recorded until it is linked again.
    public static func start(on desktop: PrivateDesktop, of point: CapturePoint) async throws -> Capture {
        let name = "test-capture-\(UUID().uuidString.prefix(8))"
        let capture = try Capture(name, on: desktop)
        try await desktop.connect(point, to: name)
        try await capture.begin()
        return capture
    }

    private init(_ name: String, on desktop: PrivateDesktop) throws {
        path = desktop.sandbox.path("tmp/\(name).f32")
        hasOwnProcess = true
        process = try desktop.sandbox.start(
            name, try desktop.captureInvocation(named: name, isLinkedByItself: false), output: path)
    }

    /// Records a file that another process writes: interleaved stereo, 32-bit float, 48 kHz. Returns when sound (or
    /// silence) flows.
    public static func start(following path: String, writtenBy process: ChildProcess) async throws -> Capture {
        let capture = Capture(following: path, writtenBy: process)
        try await capture.begin()
        return capture
    }

    private init(following path: String, writtenBy process: ChildProcess) {
        self.path = path
        self.process = process
        hasOwnProcess = false
    }

    /// Waits for the first sound (or silence).
    private func begin() async throws {
        try await waitForFrames(1)
        beginning.withLock { $0 = (frameCount, StallMeter.now) }
    }

    /// When a frame was recorded, on the clock of ``StallMeter/now``. Blocks of sound make it some 20 ms uncertain.
    public func moment(of frame: Int) -> Duration {
        let (first, start) = beginning.withLock { $0 }
        let (last, now) = (frameCount, StallMeter.now)
        guard last > first else { return start }
        // Frames that were lost make the recording shorter than the time: so at the mean speed.
        return start + (now - start) * (Double(frame - first) / Double(last - first))
    }

    /// The number of complete frames so far: the present moment in the capture.
    public var frameCount: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) / Capture.bytesPerFrame : 0
    }

    /// Waits until the given number of frames has been recorded.
    public func waitForFrames(_ count: Int) async throws {
        _ = try await waitUntil("\(count) frames of capture", evidence: { process.log.tail() }) {
            try checkRunning()
            return frameCount >= count ? true : nil
        }
    }

    /// Waits until the given duration has been recorded; this is time as the sound server sees it.
    public func record(_ duration: Duration) async throws {
        try await waitForFrames(frameCount + duration.frames)
    }

    /// Waits until a tone has been at a level for some time, no louder and no softer, and returns the frame at which that
    /// time began.
    ///
    /// - Parameters:
    ///   - tone: The frequency in hertz, and the channel.
    ///   - level: In dBFS.
    ///   - tolerance: By how many decibels the level may differ.
    ///   - start: The frame at which to begin; by default the present one.
    @discardableResult
    public func wait(
        for tone: Tone, at level: Double, tolerance: Double = 1, lasting duration: Duration = .milliseconds(50),
        from start: Int? = nil
    ) async throws -> Int {
        try await wait("\(tone) at \(level) dBFS for \(duration)", tone, duration, start) {
            abs($0 - level) <= tolerance
        }
    }

    /// Waits until a tone has been below a level for some time, and returns the frame at which that time began.
    @discardableResult
    public func wait(
        for tone: Tone, below level: Double, lasting duration: Duration = .milliseconds(50), from start: Int? = nil
    ) async throws -> Int {
        try await wait("\(tone) below \(level) dBFS for \(duration)", tone, duration, start) { $0 < level }
    }

    private func wait(
        _ awaited: String, _ tone: Tone, _ duration: Duration, _ start: Int?,
        _ condition: (Double) -> Bool
    ) async throws -> Int {
        var next = start ?? frameCount
        var since: Int?
        var lastLevel = -Double.infinity
        return try await waitUntil(
            awaited,
            evidence: { "last level \(lastLevel) dBFS\n\(process.log.tail())" }
        ) {
            let envelope = ToneEnvelope(of: try read(from: next)[tone.channel], frequency: tone.frequency)
            for (index, level) in envelope.levels.enumerated() {
                let frame = next + envelope.frame(of: index)
                lastLevel = level
                since = condition(level) ? since ?? frame : nil
                if let since, frame - since >= duration.frames { return since }
            }
            next += envelope.levels.count * envelope.hop
            try checkRunning()
            return nil
        }
    }

    /// The sound recorded since a frame, up to another one or the present end.
    public func read(from frame: Int = 0, to end: Int? = nil) throws -> Sound {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(frame * Capture.bytesPerFrame))
        let length = end.map { max(0, $0 - frame) * Capture.bytesPerFrame }
        let data = try length.map { try file.read(upToCount: $0) ?? Data() } ?? file.readToEnd() ?? Data()
        return data.withUnsafeBytes { bytes in
            Sound(interleaved: bytes.bindMemory(to: Float.self))
        }
    }

    /// Ends the recording and returns all of it.
    public func stop() async throws -> Sound {
        if hasOwnProcess {
            process.signal(SIGINT)
            try await process.waitForExit()
        }
        return try read()
    }

    private func checkRunning() throws {
        guard let status = process.exitStatus else { return }
        throw CommandFailure(command: ["capture"], status: status, errors: process.log.tail())
    }
}

/// A source of sound that can be recorded.
public enum CapturePoint: Sendable, Hashable {
    /// The sound of a sink, by node name; ends with the sink.
    case sink(String)
    /// A pair of output ports, `PREFIX_FL` and `PREFIX_FR`, of a node.
    case ports(node: String, prefix: String)
    /// Two output ports, each as `NODE:PORT`: one on the left, one on the right.
    case pair(left: String, right: String)

    /// The name of a port.
    func port(_ channel: String) -> String {
        switch self {
        case .sink(let name): "\(name):monitor_\(channel)"
        case .ports(let node, let prefix): "\(node):\(prefix)_\(channel)"
        case .pair(let left, let right): channel == "FL" ? left : right
        }
    }
}

/// A tone to search for.
public struct Tone: Sendable, Hashable, CustomStringConvertible {
    /// In hertz.
    public var frequency: Double
    /// The channel with the tone.
    public var channel: Channel

    /// A tone on a channel.
    public init(_ frequency: Double, on channel: Channel = .left) {
        self.frequency = frequency
        self.channel = channel
    }

    /// For messages.
    public var description: String { "\(frequency) Hz on the \(channel)" }
}
