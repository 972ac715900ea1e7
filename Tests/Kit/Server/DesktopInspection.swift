import Foundation

/// One object of PipeWire's registry as `pw-dump` prints it.
public struct DumpedObject: Sendable, Equatable {
    /// Its global id.
    public let id: UInt32
    /// The last part of its type: `Node`, `Client`, `Link`, `Metadata`, ….
    public let type: String
    /// Its properties.
    public let properties: [String: String]
    /// The complete printed object.
    public let content: JSONValue

    init?(_ content: JSONValue) {
        guard let id = content["id"]?.number, let type = content["type"]?.text else { return nil }
        self.id = UInt32(id)
        self.type = type.split(separator: ":").last.map(String.init) ?? type
        properties = (content["info"]?["props"] ?? content["props"])?.texts ?? [:]
        self.content = content
    }
}

extension PrivateDesktop {
    /// The whole registry with all parameters.
    public func dump() async throws -> [DumpedObject] {
        // `pw-dump` prints broken JSON if an object disappears during the dump; the next dump is complete again. A dump
        // of a thousand streams takes a while.
        try await waitUntil("pw-dump to print JSON") {
            let output = try await sandbox.run(Invocation("pw-dump"))
            return (try? JSONValue(parsing: output))?.elements.compactMap(DumpedObject.init)
        }
    }

    /// The node name of the default sink, as the session manager published it.
    public func defaultSink() async throws -> String? {
        for object in try await dump() where object.type == "Metadata" {
            for entry in object.content["metadata"]?.elements ?? []
            where entry["key"]?.text == "default.audio.sink" { return entry["value"]?["name"]?.text }
        }
        return nil
    }

    /// All nodes of class `Stream/…/Audio`.
    public func streams() async throws -> [ServerStream] {
        let objects = try await dump()
        var clients: [String: [String: String]] = [:]
        for object in objects where object.type == "Client" { clients["\(object.id)"] = object.properties }
        return objects.compactMap { object in
            let mediaClass = object.properties["media.class"] ?? ""
            guard object.type == "Node", mediaClass.hasPrefix("Stream/"), mediaClass.hasSuffix("/Audio") else {
                return nil
            }
            let client = object.properties["client.id"].flatMap { clients[$0] } ?? [:]
            return ServerStream(
                id: object.id,
                state: (object.content["info"]?["state"]?.text).flatMap(ServerStream.State.init) ?? .creating,
                isCapture: mediaClass.hasPrefix("Stream/Input"),
                properties: client.merging(object.properties) { $1 },
                parameters: PrivateDesktop.merged(object.content["info"]?["params"]?["Props"]))
        }
    }

    /// Sets the user's volume, as a mixer does.
    public func setSlider(of stream: ServerStream, to position: Double) async throws {
        try await sandbox.run(Invocation("wpctl", ["set-volume", "\(stream.id)", "\(position)"]))
    }

    /// Sets the user's mute switch, as a mixer does.
    public func setMuted(_ muted: Bool, of stream: ServerStream) async throws {
        try await sandbox.run(Invocation("wpctl", ["set-mute", "\(stream.id)", muted ? "1" : "0"]))
    }

    /// The program that records the null sink's monitor.
    public func captureInvocation() throws -> Invocation {
        try captureInvocation(named: "test-capture", isLinkedByItself: options.linksCapture)
    }

    /// The program that records under a node name, linked to the null sink by the session manager or by somebody else.
    func captureInvocation(named name: String, isLinkedByItself: Bool) throws -> Invocation {
        // The latency is the quantum, so that the capture does not change the measured values. Nothing about the stream is
        // saved, and it does not move when another sink becomes the default.
        Invocation(
            try builtProgram("capture-sound"),
            [
                name, "\(options.quantum.standard)", "target.object=\(sinkName)", "stream.capture.sink=true",
                "application.name=test-capture", "state.restore-props=false", "state.restore-target=false",
                "node.dont-reconnect=true", "node.autoconnect=\(isLinkedByItself)",
            ])
    }

    /// Links the capture to the sink's monitor if WirePlumber does not.
    public func connectCapture() async throws {
        guard !options.linksCapture else { return }
        try await connect(.sink(sinkName), to: "test-capture")
    }

    /// Links a capture to its source as soon as both exist.
    func connect(_ point: CapturePoint, to capture: String) async throws {
        for channel in ["FL", "FR"] {
            let link = Invocation("pw-link", [point.port(channel), "\(capture):input_\(channel)"])
            _ = try await waitUntil("the capture's port \(channel)") {
                try? await sandbox.run(link)
            }
        }
    }

    /// Merges the several `Props` objects that `pw-dump` prints, those of the adapter and of its converter.
    private static func merged(_ parameters: JSONValue?) -> JSONValue {
        var result: [String: JSONValue] = [:]
        for case .object(let members) in parameters?.elements ?? [] { result.merge(members) { first, _ in first } }
        return .object(result)
    }
}
