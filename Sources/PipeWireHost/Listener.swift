import CPipeWire

/// Owns a hook and its table of callbacks, to both of which the server points, and removes the hook in `deinit`.
///
/// - Note: The observed object must outlive the listener, or its `destroy` event must release the listener: the server
///   does not reset the hooks of a destroyed object.
struct Listener<Table>: ~Copyable {
    private let hook: UnsafeMutablePointer<spa_hook>
    private let table: UnsafeMutablePointer<Table>

    /// - Parameters:
    ///   - table: The callbacks.
    ///   - attach: Hands hook and table to the server.
    init(_ table: Table, attach: (UnsafeMutablePointer<spa_hook>, UnsafePointer<Table>) -> Void) {
        hook = .allocate(capacity: 1)
        hook.initialize(to: spa_hook())
        self.table = .allocate(capacity: 1)
        self.table.initialize(to: table)
        attach(hook, UnsafePointer(self.table))
    }

    deinit {
        cpw_hook_remove(hook)
        hook.deallocate()
        table.deallocate()
    }
}
