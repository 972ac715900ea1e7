import CPipeWire
import PolicyFile

/// Calls back, on the daemon's main loop, a moment after anything has changed in the policy's folders.
final class PolicyWatch {
    /// How long it is quiet before the files are read: an editor writes, renames and removes in one go.
    private static let quiet: Int64 = 100_000_000

    private let loop: UnsafeMutablePointer<pw_loop>
    private let changed: () -> Void
    private var folders: FolderWatch
    private var input: UnsafeMutablePointer<spa_source>?
    private var timer: UnsafeMutablePointer<spa_source>?

    init(_ folders: [String], on loop: UnsafeMutablePointer<pw_loop>, changed: @escaping () -> Void) {
        self.loop = loop
        self.changed = changed
        self.folders = FolderWatch(folders)
        guard self.folders.descriptor >= 0 else { return }
        input = cpw_loop_add_input(
            loop, self.folders.descriptor, { data, _, _ in object(data, as: PolicyWatch.self)?.look() },
            pointer(to: self))
        timer = cpw_loop_add_timer(
            loop, { data, _ in object(data, as: PolicyWatch.self)?.changed() }, pointer(to: self))
    }

    deinit {
        if let input { cpw_loop_destroy_source(loop, input) }
        if let timer { cpw_loop_destroy_source(loop, timer) }
    }

    private func look() {
        guard folders.take(), let timer else { return }
        cpw_loop_arm_timer(loop, timer, cpw_monotonic_nanoseconds() &+ PolicyWatch.quiet)
    }
}
