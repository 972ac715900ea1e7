import BusInterface
import DBus
import PolicyEngine
import PolicyRuntime

/// What a method of an object does.
typealias MethodBody<Object> = @Sendable (Object) -> (BusCall, Owner) throws(WireError) -> Void

/// Who may do what (N18, N20).
extension SessionService {
    /// Whether an owner may call methods that concern the whole desktop.
    func mayControlDesktop(_ owner: Owner) -> Bool { runtime.mayControlDesktop(owner.identity) }

    /// Runs the body of a call, or fails the call if its access is not for the caller.
    ///
    /// - Parameter session: The session that is called; `nil` for the manager.
    func admit(
        _ call: BusCall, _ access: WireInterface.Access, to session: SessionObject? = nil,
        then body: @escaping (Owner) throws(WireError) -> Void
    ) {
        owner(of: call) { [unowned self] owner in
            do throws(WireError) {
                switch access {
                case .anyone: break
                case .owner:
                    let owners = session?.owners ?? []
                    if !owners.contains(where: { $0 === owner }) { throw Self.notOwner(owners, call) }
                case .desktop: if !mayControlDesktop(owner) { throw Self.notOfDesktop(owner, call) }
                }
                try body(owner)
            } catch { call.fail(error) }
        }
    }

    private static func notOwner(_ owners: [Owner], _ call: BusCall) -> WireError {
        let names = owners.map(\.name).joined(separator: ", ")
        return WireError(
            WireErrorName.accessDenied, "the session belongs to \(names): only it can call \(call.member)")
    }

    private static func notOfDesktop(_ owner: Owner, _ call: BusCall) -> WireError {
        let who = owner.sandbox.map { "\($0.application) runs in a sandbox" } ?? "nothing is known of \(owner.name)"
        return WireError(
            WireErrorName.accessDenied,
            "\(call.member) concerns the whole desktop, and \(Words.short(who)): a policy file can allow it, "
                + "claims = { desktop = { allow = [ { pipewire.access.portal.app_id = … } ] } }")
    }

    /// Whose sessions and streams an owner sees: all, or the owner's own.
    func viewer(_ owner: Owner) -> Viewer {
        mayControlDesktop(owner) ? .all : Viewer(own: owner.identity.application)
    }

    /// Whether a session's owners, which are one process, may know who others are.
    func seesAll(_ object: SessionObject) -> Bool { object.owners.first.map { viewer($0).seesAll } ?? false }

    /// Whether a program may use the microphone: it is in no sandbox, or in one that may.
    func mayRecord(_ identity: ClientIdentity) -> Bool {
        identity.isUnconfined || identity.sandbox.map { runtime.mayRecord($0) } ?? false
    }
}

/// Determines whose sessions and streams a caller may see (N20).
struct Viewer {
    /// A viewer who may see everything.
    static let all = Viewer(own: nil)
    /// The name of an application that the viewer may not see.
    static let somebody = "another application"

    /// The application whose own objects are visible; `nil` for a viewer who sees everything.
    var own: ApplicationID?

    var seesAll: Bool { own == nil }

    func maySee(_ application: ApplicationID?) -> Bool { own == nil || application == own }
}
