public import SessionCore
public import SessionRuntime
import SessionWire

/// What the service needs of the sound server's host.
public protocol ServiceHost: AnyObject {
    /// The running server and its limits.
    var server: ServerDescription { get }
    /// Where the policy in force comes from, for people.
    var policyOrigin: String { get }
    /// The description that the policy gives to a client's stream of this direction with these properties, and the claim
    /// that it would refuse (N11).
    func classify(
        _ client: ClientIdentity, _ direction: StreamDirection, _ property: (String) -> String?
    ) -> (description: SessionDescription?, refusedClaim: String?)
    /// Whether a client may call methods that concern the whole desktop (N20).
    func mayControlDesktop(_ client: ClientIdentity) -> Bool
    /// Called when permissions of sandboxed applications have changed: all streams are classified again.
    func accessChanged()
    /// The steps that led to a stream's description, for people; one sentence each.
    func classificationSteps(of stream: StreamID) -> [String]
    /// Moves a stream to another opened session, or to none.
    func move(_ stream: StreamID, to session: SessionID?)
    /// Makes the server use a port that the user has chosen, as if chosen in the desktop's settings (R66).
    ///
    /// - Returns: Whether that is possible. It is not if no usable profile of a card contains the port, or if there is
    ///   no session manager.
    func choose(_ port: RoutePort, direction: PortDirection) -> Bool
    /// Writes a line to the server's log.
    func log(_ level: LogLevel, _ text: @autoclosure () -> String)
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
    public static let sessionProperty = AudioSessionBus.streamProperty

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
