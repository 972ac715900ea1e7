import DBus
import PolicyRuntime

extension BusConnection {
    /// Follows the owner of a name as long as that is a program outside of all sandboxes. Anybody who reaches the bus may take
    /// a name that nobody has, and what the owners of some names say moves the whole desktop.
    ///
    /// - Parameter body: Called with the owner's unique name, or nil for none that counts; at first, and after each change.
    func followOutside(
        _ name: String, in tree: any ProcessTree = LinuxProcessTree(), _ body: @escaping (String?) -> Void
    ) -> Subscription {
        var current: String?
        return follow(name) { [weak self] owner in
            current = owner
            guard let self, let owner else { return body(nil) }
            credentials(of: owner) { result in
                guard current == owner else { return }
                let process = (try? result.get())?.processID
                body(process.flatMap { tree.program(of: $0) }?.confinement == .unconfined ? owner : nil)
            }
        }
    }
}
