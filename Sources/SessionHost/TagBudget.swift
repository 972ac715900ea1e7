import SessionCore

/// How many different things streams make of themselves by what they say of themselves, so that the engine's catalogue of
/// descriptions keeps room for what the policy makes of streams.
struct TagBudget {
    /// The most different descriptions of one application, and of all, that streams have by their own word.
    static let mostOfOne = 8
    static let most = 128

    private struct Use {
        var application: ApplicationID
        var description: SessionDescription
    }

    private var uses: [StreamID: Use] = [:]
    /// How many streams have each description, by application and altogether.
    private var ofOne: [ApplicationID: [SessionDescription: Int]] = [:]
    private var ofAll: [SessionDescription: Int] = [:]

    /// Whether a stream can be what it makes of itself.
    func admits(_ stream: StreamID, of application: ApplicationID, as description: SessionDescription) -> Bool {
        // What only this stream is now makes room.
        let former = uses[stream]
        func isFree(_ counts: [SessionDescription: Int], _ limit: Int, isOwn: Bool) -> Bool {
            if counts[description] != nil { return true }
            let gone = isOwn ? former.map { counts[$0.description] == 1 ? 1 : 0 } ?? 0 : 0
            return counts.count - gone < limit
        }
        return isFree(ofOne[application] ?? [:], Self.mostOfOne, isOwn: former?.application == application)
            && isFree(ofAll, Self.most, isOwn: true)
    }

    /// Notes what a stream makes of itself; `nil` for nothing.
    mutating func set(_ stream: StreamID, of application: ApplicationID, as description: SessionDescription?) {
        if let former = uses.removeValue(forKey: stream) {
            Self.drop(former.description, from: &ofAll)
            Self.drop(former.description, from: &ofOne[former.application, default: [:]])
            if ofOne[former.application]?.isEmpty == true { ofOne[former.application] = nil }
        }
        guard let description else { return }
        uses[stream] = Use(application: application, description: description)
        ofAll[description, default: 0] += 1
        ofOne[application, default: [:]][description, default: 0] += 1
    }

    /// A stream is gone.
    mutating func forget(_ stream: StreamID) {
        if let use = uses[stream] { set(stream, of: use.application, as: nil) }
    }

    private static func drop(_ description: SessionDescription, from counts: inout [SessionDescription: Int]) {
        guard let count = counts[description] else { return }
        counts[description] = count > 1 ? count - 1 : nil
    }
}
