public import SessionCore
public import SessionDesktop

/// Who is behind a stream or a connection (N18, N20): what the kernel and the server have verified, and what it says of itself
/// only where there is nothing else.
public struct ClientIdentity: Sendable, Equatable {
    /// The program, as it was when it came; `nil` when the process is not known, or is only that of a proxy.
    public let program: Program?
    /// The sandbox that it runs in.
    public let sandbox: AppSandbox?
    /// The application that it belongs to.
    public let application: ApplicationID
    /// What people may call it, besides the name of ``application``.
    public let names: Set<String>
    /// It is part of the sound server.
    private let isOfServer: Bool

    /// Finds out who somebody is.
    ///
    /// - Parameters:
    ///   - program: Its process, if that is verified.
    ///   - sandbox: The sandbox that the server knows of, where the process is that of a proxy.
    ///   - binary: What it says is the name of its executable.
    ///   - displayName: What it calls itself.
    ///   - fallback: What it is called if nothing else is known.
    ///   - connection: What tells its connection apart, which is the application if nothing else is known.
    ///   - isOfServer: Whether it is part of the sound server.
    public init(
        program: Program?, sandbox: AppSandbox?, binary: String?, displayName: String?, fallback: String,
        connection: String, isOfServer: Bool = false
    ) {
        self.isOfServer = isOfServer
        let isProxy = program?.sandbox == nil && sandbox != nil
        self.program = isProxy ? nil : program
        self.sandbox = program?.sandbox ?? sandbox
        if let known = self.sandbox {
            application = ApplicationID(key: Program.key(of: known), name: self.program?.title ?? known.application)
        } else {
            let names = [program?.title, program?.name, binary, displayName]
            application = ApplicationID(
                key: program?.applicationKey ?? "connection \(connection)",
                name: names.lazy.compactMap { $0 }.first { !$0.isEmpty } ?? fallback)
        }
        let others = [
            self.program?.name, self.program?.executable, self.program?.desktopEntry, self.program?.unit,
            self.sandbox?.application, binary, displayName, fallback,
        ]
        names = Set(others.compactMap { $0 }).subtracting([application.name, ""])
    }

    /// Whether it is outside of any sandbox, for certain.
    public var isUnconfined: Bool { sandbox == nil && (program != nil || isOfServer) }

    /// The value of a property that is verified, or `nil` for one that is not.
    ///
    /// Where it is verified that there is none, the outer value is there and the inner one is not.
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
