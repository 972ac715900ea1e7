import SessionCore

/// Limits the number of different descriptions that streams have because of their own tags, so that the engine's
/// catalogue keeps room for the policy's descriptions.
struct TagBudget {
    /// The maximum numbers of such descriptions, of one application and of all.
    static let maximumOfOneApplication = 8
    static let most = 128

    private struct Use {
        var application: ApplicationID
        var description: SessionDescription
    }

    private var uses: [StreamID: Use] = [:]
    /// The number of streams with each description, by application and in total.
    private var ofOne: [ApplicationID: [SessionDescription: Int]] = [:]
    private var ofAll: [SessionDescription: Int] = [:]

    /// Whether a stream may have the description that its tags ask for.
    func admits(_ stream: StreamID, of application: ApplicationID, as description: SessionDescription) -> Bool {
        // A description that only this stream has now makes room.
        let former = uses[stream]
        func isFree(_ counts: [SessionDescription: Int], _ limit: Int, isOwn: Bool) -> Bool {
            if counts[description] != nil { return true }
            let gone = isOwn ? former.map { counts[$0.description] == 1 ? 1 : 0 } ?? 0 : 0
            return counts.count - gone < limit
        }
        return isFree(
            ofOne[application] ?? [:], Self.maximumOfOneApplication, isOwn: former?.application == application)
            && isFree(ofAll, Self.most, isOwn: true)
    }

    /// Records the description that a stream has because of its tags; `nil` for none.
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

    /// Forgets a stream that was removed.
    mutating func forget(_ stream: StreamID) {
        if let use = uses[stream] { set(stream, of: use.application, as: nil) }
    }

    private static func drop(_ description: SessionDescription, from counts: inout [SessionDescription: Int]) {
        guard let count = counts[description] else { return }
        counts[description] = count > 1 ? count - 1 : nil
    }
}
