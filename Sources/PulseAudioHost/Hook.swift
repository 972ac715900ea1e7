import CPulseCore
import HostSupport

/// Listens to one of the daemon's hooks until it is deallocated.
final class Hook {
    private var slot: OpaquePointer?
    private let body: (OpaquePointer?) -> Void

    /// - Parameters:
    ///   - priority: `CPC_EARLY` to be called before the daemon's own policies.
    ///   - body: Receives the hook's object; `nil` when a default was removed.
    init(_ core: OpaquePointer, _ hook: cpc_hook, priority: Int, _ body: @escaping (OpaquePointer?) -> Void) {
        self.body = body
        slot = cpc_connect(
            core, hook, Int32(truncatingIfNeeded: priority),
            { _, subject, data in
                object(data, as: Hook.self)?.body(subject.map { OpaquePointer($0) })
                return 0
            }, pointer(to: self))
    }

    deinit { if let slot { cpc_disconnect(slot) } }
}
