import SessionWire

/// Who a peer is, as the bus knows it from the peer's socket.
public struct PeerCredentials: Sendable, Hashable {
    /// The process that connected; it may have ended since, and may have handed its connection on.
    public var processID: UInt32?
    /// Its user.
    public var userID: UInt32?
}

/// The owner of a name, and who wants to know.
final class NameWatch {
    let name: String
    var owner: String?
    var isKnown = false
    /// How many need it: followers, and subscriptions to what its owner sends.
    var users = 0
    var followers: [(number: Int, told: String??, body: (String?) -> Void)] = []

    init(_ name: String) { self.name = name }

    func update(_ owner: String?) {
        self.owner = owner
        isKnown = true
        tell()
    }

    /// Tells those who have not heard of the owner that there is now.
    func tell() {
        guard isKnown else { return }
        for number in followers.map(\.number) {
            guard let index = followers.firstIndex(where: { $0.number == number }),
                followers[index].told != .some(owner)
            else { continue }
            followers[index].told = .some(owner)
            followers[index].body(owner)
        }
    }
}

/// A name that we want to have.
final class NameRequest {
    let name: String
    private var isOwned: Bool?
    private let body: (Bool) -> Void

    init(_ name: String, _ body: @escaping (Bool) -> Void) {
        self.name = name
        self.body = body
    }

    func update(_ isOwned: Bool) {
        guard isOwned != self.isOwned else { return }
        self.isOwned = isOwned
        body(isOwned)
    }
}

extension BusConnection {
    /// Asks for a name, and again after every reconnection. Where somebody else has it, we get it when they leave.
    ///
    /// - Parameter body: Told whether we have it: at first, and whenever that changes.
    public func requestName(_ name: String, then body: @escaping (Bool) -> Void) {
        let request = NameRequest(name, body)
        nameRequests.append(request)
        if isConnected { ask(request) }
    }

    /// Gives a name back, or no longer wants it; nobody is told.
    public func releaseName(_ name: String) {
        nameRequests.removeAll { $0.name == name }
        if isConnected { askBus("ReleaseName", [.string(name)]) { _ in } }
    }

    /// Follows the owner of a name.
    ///
    /// - Parameter body: Told the owner's unique name, nil for none: once at first, and on every change, over all
    ///   reconnections. While there is no connection, nobody has the name.
    public func follow(_ name: String, _ body: @escaping (String?) -> Void) -> Subscription {
        lastNumber &+= 1
        let watch = watchName(name)
        watch.users += 1
        watch.followers.append((lastNumber, nil, body))
        soon { watch.tell() }
        return Subscription(lastNumber, self)
    }

    /// Asks the bus who a peer is.
    public func credentials(
        of uniqueName: String, then body: @escaping (Result<PeerCredentials, WireError>) -> Void
    ) {
        askBus("GetConnectionCredentials", [.string(uniqueName)]) { result in
            body(
                result.map { values in
                    PeerCredentials(
                        processID: values.first?["ProcessID"]?.integer.flatMap(UInt32.init(exactly:)),
                        userID: values.first?["UnixUserID"]?.integer.flatMap(UInt32.init(exactly:)))
                })
        }
    }

    // MARK: - What the bus says

    func ask(_ request: NameRequest) {
        // Without flags: queued when somebody else has it.
        askBus("RequestName", [.string(request.name), .uint32(0)]) { result in
            // 1 is the owner, 4 was so before.
            guard case .success(let values) = result else { return request.update(false) }
            request.update(values.first?.integer == 1 || values.first?.integer == 4)
        }
    }

    func ask(_ watch: NameWatch) {
        askBus("GetNameOwner", [.string(watch.name)]) { result in
            switch result {
            case .success(let values): watch.update(values.first?.text)
            case .failure: watch.update(nil)
            }
        }
    }

    /// The watch on a name; a new one has no users yet.
    func watchName(_ name: String) -> NameWatch {
        if let watch = nameWatches.first(where: { $0.name == name }) { return watch }
        let watch = NameWatch(name)
        nameWatches.append(watch)
        addMatch(Self.ownerRule(name))
        if isConnected {
            ask(watch)
        } else if lastError != nil {
            watch.isKnown = true
        }
        return watch
    }

    func release(_ watch: NameWatch) {
        watch.users -= 1
        guard watch.users <= 0 else { return }
        nameWatches.removeAll { $0 === watch }
        removeMatch(Self.ownerRule(watch.name))
    }

    /// A signal of the bus itself.
    func takeNews(_ member: String, _ arguments: [WireValue]) {
        guard let name = arguments.first?.text else { return }
        switch member {
        case "NameAcquired", "NameLost":
            for request in nameRequests where request.name == name { request.update(member == "NameAcquired") }
        case "NameOwnerChanged":
            guard arguments.count == 3, let owner = arguments[2].text else { return }
            for watch in nameWatches where watch.name == name { watch.update(owner.isEmpty ? nil : owner) }
        default: break
        }
    }

    private static func ownerRule(_ name: String) -> String {
        MatchRule(sender: busName, path: busPath, interface: busName, member: "NameOwnerChanged", argument0: name).text
    }
}
