public import SessionCore
public import SessionRuntime
import SessionWire

/// What the service needs of the sound server's host beyond its sound.
public protocol ServiceHost: AnyObject {
    /// Which server it is, and what it cannot do.
    var server: ServerDescription { get }
    /// Where the policy in force comes from, for people.
    var policyOrigin: String { get }
    /// What a stream of a client with the given properties would be, and the claim that would be refused (N11).
    func classify(
        _ client: ClientIdentity, _ property: (String) -> String?
    ) -> (description: SessionDescription?, refusedClaim: String?)
    /// Whether a client may do what concerns the whole desktop (N20).
    func mayControlDesktop(_ client: ClientIdentity) -> Bool
    /// Applications in sandboxes may do something else than before: what streams are is looked at again.
    func accessChanged()
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
    /// Who plays or records it.
    public var client: ClientIdentity
    /// The value of its property ``sessionProperty`` (R80).
    public var session: String?

    /// The property that names the session to which a stream belongs.
    public static let sessionProperty = AudioSessionBus.streamProperty

    /// Describes a stream.
    public init(node: UInt32, client: ClientIdentity, session: String?) {
        self.node = node
        self.client = client
        self.session = session
    }

    /// The application.
    public var application: ApplicationID { client.application }
    /// The process that plays or records it; `nil` when that is not known.
    public var process: UInt32? { client.program?.process.number }
}
