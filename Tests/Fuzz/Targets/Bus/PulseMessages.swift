import BusService
import HostSupport
import PolicyRuntime

/// Input of PulseAudio clients: properties of streams, and messages to the module, whose answers must be JSON.
func fuzzPulseMessages(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let loop = ManualLoop()
    let host = FakeHost(loop, input.pick(FakeHost.policies))
    // Without a bus.
    let service = SessionService(runtime: host.runtime, loop: loop, buses: nil)
    var names: [String] = []
    for id in 1...(1 + UInt32(input.below(4))) {
        var said: [String: String] = [:]
        for key in keys {
            if input.oneIn(2) { said[key] = input.ofServer { name($0) } }
        }
        names += said.values
        let client = ClientIdentity(
            program: nil, sandbox: nil, binary: said["application.process.binary"],
            displayName: said["application.name"], fallback: said["media.name"] ?? "stream", connection: "client \(id)")
        let session = input.oneIn(4) ? input.ofServer { text($0) } : nil
        host.play(
            FakeHost.Stream(
                StreamIdentity(node: id, client: client, session: session), input.oneIn(4) ? .capture : .playback, said)
        )
    }
    for _ in 0..<8 {
        if input.isEmpty { break }
        let subject = names.isEmpty || input.oneIn(2) ? input.ofServer { text($0) } ?? "" : input.pick(names)
        let answers = [service.statusJSON, service.explanationJSON(subject)]
        for answer in answers { found("this is not JSON: \(answer)", !isJSON(answer)) }
        found("nothing is known of \(subject)", answers[1] == "[]" && names.contains(subject) && isName(subject, host))
        if !names.isEmpty, let first = host.streams.first { host.forget(first.identity.node) }
    }
    service.leave()
    host.runtime.shutDown()
}

private let keys = [
    "application.name", "media.name", "media.role", "audio-session.category", "application.process.binary",
]

/// Whether a subject names an application with managed streams. A number means a stream or a process.
private func isName(_ subject: String, _ host: FakeHost) -> Bool {
    UInt32(subject) == nil && !subject.hasPrefix("pid:")
        && host.runtime.streamsByAge.contains { $0.isManaged && $0.application.name == subject }
}

extension Input {
    /// The result of a function that reads a C string.
    fileprivate mutating func ofServer(_ read: (UnsafePointer<CChar>?) -> String?) -> String? {
        let long = oneIn(16) ? Array(repeating: byte(), count: 300) : []
        let text = (bytes(below(48)) + long).map { CChar(bitPattern: $0) } + [0]
        return text.withUnsafeBufferPointer { read($0.baseAddress) }
    }
}
