// An application that holds audio sessions with the library for Swift, as a test tells it: the counterpart of
// Tests/Fixtures/session-application.py, with the same commands and the same traces. Of its commands it knows "open",
// "session", "start" and "stop"; of the methods of a session those that the library has.
//
//   session-application SOCKET [traced]

import AudioSession
import Foundation

/// An error as it comes over the bus.
struct Failure: Error {
    var name: String
    var message: String
}

/// Writes lines to the standard output, one at a time.
final class Output: @unchecked Sendable {
    private let lock = NSLock()
    private let isTraced: Bool

    init(isTraced: Bool) { self.isTraced = isTraced }

    func write(_ line: String) {
        lock.lock()
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
        lock.unlock()
    }

    /// What a session was told, in order.
    func trace(_ path: String, _ kind: String, _ name: String, _ value: Any) {
        guard isTraced else { return }
        let data = try? JSONSerialization.data(withJSONObject: [kind, name, value], options: .fragmentsAllowed)
        write("event \(path) \(String(decoding: data ?? Data(), as: UTF8.self))")
    }
}

/// A session, and what it is told in the words of the bus.
final class Held: @unchecked Sendable {
    let session: AudioSession
    let path: String
    private let output: Output
    private let lock = NSLock()
    private var isActive = false
    /// A delayed activation that was granted, and the session is not yet told active.
    private var isGranted = false
    private var waiting: Task<Void, Never>?

    init(_ session: AudioSession, _ path: String, _ output: Output) {
        self.session = session
        self.path = path
        self.output = output
        let events = session.events
        Task {
            for await event in events {
                // Who is interrupted has been active, so that a delayed activation has succeeded.
                if case .interruption(.began) = event {
                    await delayed()?.value
                    showGranted()
                }
                tell(event)
            }
        }
    }

    private func signal(_ name: String, _ arguments: [Any]) { output.trace(path, "signal", name, arguments) }

    private func showActive(_ new: Bool) {
        lock.lock()
        defer { lock.unlock() }
        if new != isActive { output.trace(path, "changed", "Active", new) }
        isActive = new
        if new { grant() }
    }

    /// Says that a delayed activation was granted, if that is due. The lock is held.
    private func grant() {
        if isGranted { signal("ActivationGranted", []) }
        isGranted = false
    }

    private func showGranted() {
        lock.lock()
        defer { lock.unlock() }
        grant()
    }

    /// The delayed activation whose success is to be told.
    private func delayed() -> Task<Void, Never>? {
        lock.lock()
        defer { lock.unlock() }
        return delay == .told ? waiting : nil
    }

    private func tell(_ event: AudioSession.Event) {
        switch event {
        case .interruption(.began(let reason, let cause)):
            showActive(false)
            signal("InterruptionBegan", [reason.rawValue, cause])
        case .interruption(.ended(let options)): signal("InterruptionEnded", [options.contains(.shouldResume)])
        case .activation(.becameActive): showActive(true)
        case .activation(.becameInactive): showActive(false)
        case .activation(.resumptionRecommended): break
        case .silenceSecondaryAudioHint(let hint): signal("SecondaryAudioHint", [hint == .begin])
        case .routeChange(let change): signal("RouteChanged", [Int(change.reason.rawValue)])
        case .availableInputs, .availableOutputs, .inputGain, .inputGainSettable, .outputVolume, .sampleRate,
            .ioBufferDuration, .inputNumberOfChannels, .outputNumberOfChannels, .mediaServices:
            break
        }
    }

    /// Calls a method as on the bus; returns its answer.
    func call(_ method: String, _ arguments: [Any]) throws -> Any {
        do {
            return try perform(method, arguments)
        } catch let error as AudioSessionError {
            let name =
                switch error.code {
                case .notActive: "InsufficientPriority"
                case .incompatibleCategory: "IncompatibleCategory"
                case .noHardware: "NoHardware"
                case .unsupportedProperty where method == "SetCategory" || method == "SetMode": "ModeNotChangeable"
                default: "UnknownValue"
                }
            throw Failure(name: "org.AudioSession1.Error.\(name)", message: error.message)
        }
    }

    private func perform(_ method: String, _ arguments: [Any]) throws -> Any {
        func word(_ index: Int) -> String { arguments[index] as? String ?? "" }
        let flags = arguments.first as? [String] ?? []
        switch method {
        case "SetCategory":
            guard let category = AudioSession.Category(rawValue: word(0)) else { throw unknown(word(0)) }
            let mode = word(2).isEmpty ? nil : AudioSession.Mode(rawValue: word(2))
            try session.setCategory(category, mode: mode, options: try Held.options(arguments[1] as? [String] ?? []))
        case "SetMode":
            guard let mode = AudioSession.Mode(rawValue: word(0)) else { throw unknown(word(0)) }
            try session.setMode(mode)
        case "OverrideOutput": try session.overrideOutputAudioPort(word(0) == "speaker" ? .speaker : .none)
        case "SetPreference":
            let truth = arguments[1] as? Bool ?? false
            if word(0) == "no-interruptions-from-system-alerts" {
                try session.setPrefersNoInterruptionsFromSystemAlerts(truth)
            } else {
                try session.setPrefersInterruptionOnRouteDisconnect(truth)
            }
        case "Activate":
            guard flags.contains("delayed") else {
                try session.setActive(true)
                return "active"
            }
            return wait()
        case "Deactivate":
            try session.setActive(false, options: flags.contains("notify-others") ? .notifyOthersOnDeactivation : [])
        case "CancelActivation":
            lock.lock()
            let task = waiting
            waiting = nil
            lock.unlock()
            guard let task else {
                throw Failure(name: "org.AudioSession1.Error.NotFound", message: "no activation waits")
            }
            task.cancel()
        case "Close": session.close()
        default: throw unknown(method)
        }
        return NSNull()
    }

    /// Activates the session as soon as that is possible. Says at once whether it is possible now: if so, the library's
    /// call returns at once.
    private func wait() -> Any {
        let isAtOnce = DispatchSemaphore(value: 0)
        let session = session
        lock.lock()
        delay = .unknown
        lock.unlock()
        waiting = Task { [weak self] in
            let isActive = (try? await session.activate(options: .delayed)) ?? false
            self?.ended(isActive)
            isAtOnce.signal()
        }
        _ = isAtOnce.wait(timeout: .now() + .milliseconds(250))
        lock.lock()
        defer { lock.unlock() }
        if delay == .over { return "active" }
        delay = .told
        return "delayed"
    }

    /// The delayed activation has ended. The event that the session is active may come before or after that.
    private func ended(_ isSuccess: Bool) {
        lock.lock()
        defer { lock.unlock() }
        isGranted = delay == .told && isSuccess
        delay = .over
        if isActive { grant() }
    }

    private enum Delay { case unknown, told, over }
    private var delay = Delay.over

    private func unknown(_ word: String) -> Failure {
        Failure(name: "org.AudioSession1.Error.UnknownValue", message: "the library has no \(word)")
    }

    private static func options(_ words: [String]) throws -> AudioSession.CategoryOptions {
        var options: AudioSession.CategoryOptions = []
        for word in words {
            switch word {
            case "mix-with-others": options.insert(.mixWithOthers)
            case "duck-others": options.insert(.duckOthers)
            case "interrupt-spoken-audio": options.formUnion(.interruptSpokenAudioAndMixWithOthers)
            case "default-to-speaker": options.insert(.defaultToSpeaker)
            case "allow-bluetooth-input": options.insert(.allowBluetooth)
            case "allow-bluetooth-a2dp": options.insert(.allowBluetoothA2DP)
            case "allow-airplay": options.insert(.allowAirPlay)
            default: throw Failure(name: "org.AudioSession1.Error.UnknownValue", message: "no option \(word)")
            }
        }
        return options
    }
}

/// The sessions and children of the program.
final class Application {
    private let output: Output
    private var sessions: [String: Held] = [:]
    private var children: [Int32: Process] = [:]

    init(_ output: Output) { self.output = output }

    func perform(_ request: [Any]) throws -> Any {
        let arguments = Array(request.dropFirst())
        switch request.first as? String {
        case "open":
            let properties = arguments.first as? [String: String] ?? [:]
            let session = AudioSession(displayName: properties["display-name"], streams: .process)
            let path = "/org/AudioSession1/session/\(try session.streamProperty.value)"
            sessions[path] = Held(session, path, output)
            return path
        case "session":
            let (path, method) = (arguments[0] as? String ?? "", arguments[1] as? String ?? "")
            guard let held = sessions[path] else {
                throw Failure(name: "org.freedesktop.DBus.Error.UnknownObject", message: "no session \(path)")
            }
            do {
                let answer = try held.call(method, Array(arguments.dropFirst(2)))
                output.trace(path, "answer", method, answer)
                return answer
            } catch let failure as Failure {
                output.trace(path, "error", method, [failure.name, failure.message])
                throw failure
            }
        case "start":
            let words = arguments[0] as? [String] ?? []
            let child = Process()
            child.executableURL = URL(fileURLWithPath: words[0])
            child.arguments = Array(words.dropFirst())
            let variables = arguments.count > 1 ? arguments[1] as? [String: String] ?? [:] : [:]
            child.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
            try child.run()
            children[child.processIdentifier] = child
            return Int(child.processIdentifier)
        case "stop":
            let child = children.removeValue(forKey: Int32(arguments[0] as? Int ?? 0))
            child?.terminate()
            child?.waitUntilExit()
            return NSNull()
        default:
            throw Failure(name: "unknown", message: "unknown request \(request.first ?? "")")
        }
    }

    func terminateChildren() { for child in children.values { child.terminate() } }
}

/// Reads a line of a connection; nil at its end.
func line(of descriptor: Int32) -> Data? {
    var data = Data()
    var byte: UInt8 = 0
    while true {
        let count = read(descriptor, &byte, 1)
        if count < 0, errno == EINTR { continue }
        guard count == 1 else { return nil }
        if byte == 0x0a { return data }
        data.append(byte)
    }
}

let arguments = CommandLine.arguments
guard arguments.count >= 2 else {
    FileHandle.standardError.write(Data("usage: session-application SOCKET [traced]\n".utf8))
    exit(2)
}
let output = Output(isTraced: arguments.contains("traced"))
let application = Application(output)
signal(SIGPIPE, SIG_IGN)
signal(SIGTERM, SIG_IGN)
let ending = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
ending.setEventHandler {
    application.terminateChildren()
    exit(0)
}
ending.resume()

let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
var address = sockaddr_un()
address.sun_family = sa_family_t(AF_UNIX)
withUnsafeMutableBytes(of: &address.sun_path) { buffer in
    for (index, byte) in arguments[1].utf8.prefix(buffer.count - 1).enumerated() { buffer[index] = byte }
}
let isBound = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
    }
}
guard isBound, listen(listener, 16) == 0 else {
    perror("session-application: \(arguments[1])")
    exit(1)
}
output.write("ready")
while true {
    let connection = accept(listener, nil, nil)
    guard connection >= 0 else { continue }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    while let request = line(of: connection) {
        var answer: [String: Any]
        do {
            let list = try JSONSerialization.jsonObject(with: request) as? [Any] ?? []
            answer = ["ok": try application.perform(list)]
        } catch let failure as Failure {
            answer = ["error": failure.name, "message": failure.message]
        } catch {
            answer = ["error": "failed", "message": "\(error)"]
        }
        var data = (try? JSONSerialization.data(withJSONObject: answer)) ?? Data("{}".utf8)
        data.append(0x0a)
        _ = data.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
    }
    close(connection)
}
