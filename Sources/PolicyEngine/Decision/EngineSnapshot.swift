/// The sessions, streams and switches of the engine at one moment, for people.
public struct EngineSnapshot: Sendable, Equatable {
    /// One session.
    public struct Session: Sendable, Equatable {
        /// A unique number that is never reused; not the id of an opened session.
        public var number: UInt32
        /// Its application and description.
        public var reference: SessionReference
        /// The description that the policy or its application gives it.
        public var description: SessionDescription
        /// The configuration that its application has set; `nil` if there is none.
        public var configuration: SessionConfiguration?
        /// Its state.
        public var state: SessionPhase
        /// Who or what silences it; `nil` if it is not silenced.
        public var silencer: Interrupter?
        /// Its streams.
        public var streams: [StreamID]
        /// When its state ends by itself, such as a wait for headphones; `nil` if only an event ends it.
        public var ends: Instant?
    }

    /// One stream.
    public struct Stream: Sendable, Equatable {
        /// Its id.
        public var id: StreamID
        /// The number of its session.
        public var session: UInt32
        /// The name of the description that the policy gives it.
        public var description: String
        /// Its direction: playback or capture.
        public var direction: StreamDirection
        /// Whether its application wants it to run.
        public var isWanted: Bool
        /// When it makes a call if its application records until then; `nil` if it makes one now, or none (N14).
        public var callsAt: Instant?
        /// Whether its user or application has muted it (N24).
        public var isMuted: Bool
        /// Whether the server processes it.
        public var isRunning: Bool
        /// Its present treatment.
        public var treatment: Treatment
        /// Who or what causes the treatment; `nil` while nothing is done.
        public var interrupter: Interrupter?
        /// The output that the policy has for its role; `nil` for the server's choice (N23).
        public var output: OutputPattern?
        /// Those beside whom it is heard because its user wants that (N19).
        public var besides: [Interrupter]
    }

    /// The user's switches.
    public var switches: Switches
    /// All sessions, the strongest claim first.
    public var sessions: [Session]
    /// All streams, the oldest first.
    public var streams: [Stream]
}
