import BusInterface

/// A peer's process and user, which the bus read from the peer's socket.
public struct PeerCredentials: Sendable, Hashable {
    /// The process that connected. It may have ended since, or have passed on its connection.
    public var processID: UInt32?
    /// The user of that process.
    public var userID: UInt32?
}

/// A followed name, its owner, and the callbacks to tell.
final class NameWatch {
    let name: String
    var owner: String?
    var isKnown = false
    /// The number of users: followers, and subscriptions to the owner's signals.
    var users = 0
    var followers: [(number: Int, told: String??, body: (String?) -> Void)] = []

    init(_ name: String) { self.name = name }

    func update(_ owner: String?) {
        self.owner = owner
        isKnown = true
        notifyFollowers()
    }

    /// Calls each callback that does not know the present owner yet.
    func notifyFollowers() {
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

/// A name that we request.
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
    /// Requests a name, and again after every reconnection. If the name is taken, we get it when its owner leaves.
    ///
    /// - Parameter body: Called with whether we own the name: once at first, and after each change.
    public func requestName(_ name: String, then body: @escaping (Bool) -> Void) {
        let request = NameRequest(name, body)
        nameRequests.append(request)
        if isConnected { ask(request) }
    }

    /// Follows the owner of a name.
    ///
    /// - Parameter body: Called with the owner's unique name, or nil for none: once at first, and after each change,
    ///   across all reconnections. Without a connection there is no owner.
    public func follow(_ name: String, _ body: @escaping (String?) -> Void) -> Subscription {
        lastNumber &+= 1
        let watch = watchName(name)
        watch.users += 1
        watch.followers.append((lastNumber, nil, body))
        soon { watch.notifyFollowers() }
        return Subscription(lastNumber, self)
    }

    /// Asks the bus for a peer's process and user.
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

    // MARK: - Signals and answers of the bus

    func ask(_ request: NameRequest) {
        // Without flags, the bus queues the request if the name is taken.
        setUp("RequestName", [.string(request.name), .uint32(0)]) { result in
            // 1 means that we became the owner, 4 that we already were.
            guard case .success(let values) = result else { return request.update(false) }
            request.update(values.first?.integer == 1 || values.first?.integer == 4)
        }
    }

    func ask(_ watch: NameWatch) {
        setUp("GetNameOwner", [.string(watch.name)]) { result in
            switch result {
            case .success(let values): watch.update(values.first?.text)
            case .failure: watch.update(nil)
            }
        }
    }

    /// The watch of a name; a new watch has no users yet.
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

    /// Handles a signal of the bus itself.
    func handleBusSignal(_ member: String, _ arguments: [WireValue]) {
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
