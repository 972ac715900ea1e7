public import PolicyEngine

/// The identity behind a stream or connection (N18, N20): verified by kernel and server; a client's claims count only
/// where nothing is verified.
public struct ClientIdentity: Sendable, Equatable {
    /// At the time of the connection; `nil` if the process is unknown, or only a sandbox's proxy.
    public let program: Program?
    /// The sandbox that the program runs in.
    public let sandbox: AppSandbox?
    /// The application that the program belongs to.
    public let application: ApplicationID
    /// Further names by which a user may refer to the client.
    public let names: Set<String>
    /// Whether the client is part of the sound server.
    public let isOfServer: Bool
    /// Whether the client certainly runs outside of any sandbox.
    public let isUnconfined: Bool

    /// Determines an identity. The client claims `binary` and `displayName`.
    ///
    /// - Parameters:
    ///   - program: The process, if verified.
    ///   - sandbox: As the server knows it, for a process that is only a proxy.
    ///   - connection: Stands for the application if nothing else is known.
    public init(
        program: Program?, sandbox: AppSandbox?, binary: String?, displayName: String?, fallback: String,
        connection: String, isOfServer: Bool = false
    ) {
        self.isOfServer = isOfServer
        // The server's finding counts more than a process that may only be stated.
        let isProxy = if let sandbox { program?.sandbox?.isSame(as: sandbox) != true } else { false }
        isUnconfined = sandbox == nil && (program?.confinement == .unconfined || isOfServer)
        self.program = isProxy ? nil : program
        self.sandbox = self.program?.sandbox ?? sandbox
        if let known = self.sandbox {
            application = ApplicationID(
                key: Program.key(of: known), name: printable(self.program?.title ?? known.application, limit: 256))
        } else {
            // ALSA's bridges give their clients a name, too.
            let isBridge = displayName.map { name in
                ["PipeWire ALSA [", "ALSA plug-in ["].contains(where: name.hasPrefix)
            }
            let names = [program?.title, isBridge == true ? nil : displayName, program?.name, binary, displayName]
            application = ApplicationID(
                key: program?.applicationKey ?? "connection \(connection)",
                name: printable(names.lazy.compactMap { $0 }.first { !$0.isEmpty } ?? fallback, limit: 256))
        }
        let others = [
            self.program?.name, self.program?.executable, self.program?.desktopEntry, self.program?.unit,
            self.sandbox?.application, binary, displayName, fallback,
        ]
        names = Set(others.compactMap { $0 }).subtracting([application.name, ""])
    }

    /// For an application of which only this is known, as in a simulation.
    package init(_ application: ApplicationID, sandbox: AppSandbox? = nil) {
        program = nil
        self.sandbox = sandbox
        self.application = application
        names = []
        isOfServer = false
        isUnconfined = sandbox == nil
    }

    /// Whose limits the client uses up. All programs of which nothing is known count as one.
    package var accountableName: String {
        sandbox != nil || isUnconfined ? keyOfAllInstances : ""
    }

    /// Equal for all instances of a sandboxed application: the instance is not always known.
    package var keyOfAllInstances: String { sandbox.map { "sandbox \($0.application)" } ?? application.key }

    /// A verified property; the outer `nil`: it cannot be verified; the inner: there is certainly none.
    public func verified(_ property: String) -> String?? {
        switch property {
        case "pipewire.access.portal.app_id": return .some(sandbox?.application)
        case "pipewire.access.portal.instance_id": return .some(sandbox?.instance)
        case "application.process.binary":
            guard let executable = program?.executable else { return nil }
            return .some(executable)
        default: return nil
        }
    }
}

/// A stream's number, owner and session, as the sound server knows them.
public struct StreamIdentity: Sendable, Equatable {
    /// The stream's number in the sound server.
    public var node: UInt32
    /// The client that plays or records the stream.
    public var client: ClientIdentity
    /// The value of the stream's property ``sessionProperty`` (R80); `nil` if it has none.
    public var session: String?

    /// The property that names the session to which a stream belongs.
    public static let sessionProperty = "audio-session.id"

    /// Describes a stream.
    public init(node: UInt32, client: ClientIdentity, session: String?) {
        self.node = node
        self.client = client
        self.session = session
    }

    /// The application that the stream belongs to.
    public var application: ApplicationID { client.application }
    /// The id of the process that plays or records; `nil` if unknown.
    public var process: UInt32? { client.program?.process.number }
}
