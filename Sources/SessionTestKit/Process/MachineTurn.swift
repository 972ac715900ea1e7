import Foundation
import Glibc

/// A share of the machine, for test processes that run at the same time.
///
/// Most tests mainly wait for sound and do not disturb each other. A test that keeps all processors busy waits until it
/// is alone, and the others wait until it ends. The locks are in the folder named by `AUDIO_SESSION_TURNS`; if the
/// variable is not set, no other process takes part.
public final class MachineTurn: Sendable {
    private let descriptor: Int32

    /// Waits for a turn, which lasts as long as this object. `nil` if no other process takes part.
    ///
    /// - Parameter isAlone: Whether no other test may have a turn at the same time.
    /// - Throws: The system's error when a lock cannot be opened.
    public static func acquire(isAlone: Bool) async throws -> MachineTurn? {
        guard let folder = ProcessInfo.processInfo.environment["AUDIO_SESSION_TURNS"], !folder.isEmpty else {
            return nil
        }
        return try await withCheckedThrowingContinuation { continuation in
            // The kernel blocks the thread in the wait, possibly for long.
            Thread.detachNewThread {
                continuation.resume(with: Result { try MachineTurn(folder: folder, isAlone: isAlone) })
            }
        }
    }

    private init(folder: String, isAlone: Bool) throws {
        // A test that waits to be alone holds this lock, so later tests get no share before it.
        let queue = try Self.lock("\(folder)/queue", LOCK_EX)
        defer { close(queue) }
        descriptor = try Self.lock("\(folder)/machine", isAlone ? LOCK_EX : LOCK_SH)
    }

    deinit { close(descriptor) }

    private static func lock(_ path: String, _ kind: Int32) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        while flock(descriptor, kind) != 0 {
            guard errno == EINTR else {
                let mistake = POSIXErrorCode(rawValue: errno) ?? .EIO
                close(descriptor)
                throw POSIXError(mistake)
            }
        }
        return descriptor
    }
}
