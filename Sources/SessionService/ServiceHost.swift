public import SessionCore
public import SessionRuntime

/// What the service needs of the sound server's host beyond its sound.
public protocol ServiceHost: AnyObject {
    /// Which server it is, and what it cannot do.
    var server: ServerDescription { get }
    /// Where the policy in force comes from, for people.
    var policyOrigin: String { get }
    /// What a stream of the given properties would be, and the claim that would be refused (N11).
    func classify(_ property: (String) -> String?) -> (description: SessionDescription?, refusedClaim: String?)
    /// What decided what a stream is, for people; one sentence each.
    func steps(of stream: StreamID) -> [String]
    /// A session that was opened has a stream now, or none has it any more (``SessionService/isClaimed(_:)``).
    ///
    /// - Returns: Whether the stream has come to the engine with that, or has left it, as one that the policy leaves alone
    ///   otherwise.
    func claimChanged(of stream: StreamID) -> Bool
    /// The user has chosen one of the ports that there are: the server is to use it from now on, as if it had been chosen in
    /// the desktop's settings (R66).
    ///
    /// - Returns: Whether there is anything that can be done for that: no card has a profile with the port that can be used
    ///   otherwise, or there is no session manager to be told.
    func choose(_ port: RoutePort, direction: PortDirection) -> Bool
    /// Writes a line.
    func log(_ level: LogLevel, _ text: @autoclosure () -> String)
}

/// Who a stream belongs to, as the sound server knows it.
public struct StreamIdentity: Sendable, Equatable {
    /// Its number in the sound server.
    public var node: UInt32
    /// The application.
    public var application: ApplicationID
    /// The process that plays or records it; `nil` when that is not known.
    public var process: UInt32?
    /// The application id of the sandbox, as the portal has it.
    public var portal: String?
    /// The value of its property `audio-session.id` (R80).
    public var session: String?

    /// Describes a stream.
    public init(node: UInt32, application: ApplicationID, process: UInt32?, portal: String?, session: String?) {
        self.node = node
        self.application = application
        self.process = process
        self.portal = portal
        self.session = session
    }
}
