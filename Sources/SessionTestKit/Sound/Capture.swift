import Foundation

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

    /// Starts to record the monitor of the server's sink, and returns when sound (or silence) flows.
    public static func start(on server: any PrivateServer) async throws -> Capture {
        let capture = try Capture(on: server)
        try await server.connectCapture()
        try await capture.waitForFrames(1)
        return capture
    }

    private init(on server: any PrivateServer) throws {
        path = server.sandbox.path("tmp/\(UUID().uuidString.prefix(8)).f32")
        hasOwnProcess = true
        process = try server.sandbox.start("capture", server.captureInvocation(), output: path)
    }

    /// Starts to record another source than the null sink, in addition to other recordings, and returns when sound (or
    /// silence) flows. If the source disappears, silence is recorded until it is linked again.
    public static func start(on desktop: PrivateDesktop, of point: CapturePoint) async throws -> Capture {
        let name = "test-capture-\(UUID().uuidString.prefix(8))"
        let capture = try Capture(name, on: desktop)
        try await desktop.connect(point, to: name)
        try await capture.waitForFrames(1)
        return capture
    }

    private init(_ name: String, on desktop: PrivateDesktop) throws {
        path = desktop.sandbox.path("tmp/\(name).f32")
        hasOwnProcess = true
        process = try desktop.sandbox.start(
            name, desktop.captureInvocation(named: name, isLinkedByItself: false), output: path)
    }

    /// Records a file that another process writes: interleaved stereo, 32-bit float, 48 kHz. Returns when sound (or
    /// silence) flows.
    public static func start(following path: String, writtenBy process: ChildProcess) async throws -> Capture {
        let capture = Capture(following: path, writtenBy: process)
        try await capture.waitForFrames(1)
        return capture
    }

    private init(following path: String, writtenBy process: ChildProcess) {
        self.path = path
        self.process = process
        hasOwnProcess = false
    }

    /// The number of complete frames so far: the present moment in the capture.
    public var frameCount: Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) / Capture.bytesPerFrame : 0
    }

    /// Waits until the given number of frames has been recorded.
    public func waitForFrames(_ count: Int, within limit: Duration = .seconds(10)) async throws {
        _ = try await waitUntil("\(count) frames of capture", within: limit, evidence: { process.log.tail() }) {
            try checkRunning()
            return frameCount >= count ? true : nil
        }
    }

    /// Waits until the given duration has been recorded; this is time as the sound server sees it.
    public func record(_ duration: Duration) async throws {
        try await waitForFrames(frameCount + duration.frames, within: duration + .seconds(10))
    }

    /// Waits until a tone has been at a level for some time, no louder and no softer, and returns the frame at which that
    /// time began.
    ///
    /// Throws a ``SoundFailure`` if the tone reached the level and did not stay there, and a ``WaitFailure`` if it never
    /// did.
    ///
    /// - Parameters:
    ///   - tone: The frequency in hertz, and the channel.
    ///   - level: In dBFS.
    ///   - tolerance: By how many decibels the level may differ.
    ///   - start: The frame at which to begin; by default the present one.
    @discardableResult
    public func wait(
        for tone: Tone, at level: Double, tolerance: Double = 1, lasting duration: Duration = .milliseconds(50),
        from start: Int? = nil, within limit: Duration = .seconds(10)
    ) async throws -> Int {
        var hasBegun = false
        do {
            return try await wait("\(tone) at \(level) dBFS for \(duration)", tone, duration, start, limit) {
                let isThere = abs($0 - level) <= tolerance
                if isThere { hasBegun = true }
                return isThere
            }
        } catch let failure as WaitFailure where hasBegun {
            throw SoundFailure(failure.description)
        }
    }

    /// Waits until a tone has been below a level for some time, and returns the frame at which that time began.
    @discardableResult
    public func wait(
        for tone: Tone, below level: Double, lasting duration: Duration = .milliseconds(50), from start: Int? = nil,
        within limit: Duration = .seconds(10)
    ) async throws -> Int {
        try await wait("\(tone) below \(level) dBFS for \(duration)", tone, duration, start, limit) { $0 < level }
    }

    private func wait(
        _ awaited: String, _ tone: Tone, _ duration: Duration, _ start: Int?, _ limit: Duration,
        _ condition: (Double) -> Bool
    ) async throws -> Int {
        var next = start ?? frameCount
        var since: Int?
        var lastLevel = -Double.infinity
        return try await waitUntil(
            awaited, within: limit, every: .milliseconds(5),
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

    /// The sound recorded since a frame.
    public func read(from frame: Int = 0) throws -> Sound {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(frame * Capture.bytesPerFrame))
        let data = try file.readToEnd() ?? Data()
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
