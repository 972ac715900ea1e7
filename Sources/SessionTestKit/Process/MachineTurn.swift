import Foundation
import Glibc

/// A share of the machine, for tests that several processes run at the same time.
///
/// Most tests wait for sound more than they work, and do not disturb each other. One that keeps all processors busy would,
/// so it waits until it is alone, and keeps the others waiting until it ends. In the folder that `AUDIO_SESSION_TURNS` names
/// are the locks; without it, nobody else is there.
public final class MachineTurn: Sendable {
    private let descriptor: Int32

    /// Waits for a turn, which lasts as long as this object. `nil` when there is nobody to wait for.
    ///
    /// - Parameter isAlone: Whether nobody else may have a turn at the same time.
    /// - Throws: The system's error when a lock cannot be opened.
    public static func take(isAlone: Bool) async throws -> MachineTurn? {
        guard let folder = ProcessInfo.processInfo.environment["AUDIO_SESSION_TURNS"], !folder.isEmpty else {
            return nil
        }
        return try await withCheckedThrowingContinuation { continuation in
            // The wait is the kernel's, and may be long.
            Thread.detachNewThread {
                continuation.resume(with: Result { try MachineTurn(folder: folder, isAlone: isAlone) })
            }
        }
    }

    private init(folder: String, isAlone: Bool) throws {
        // Who waits to be alone keeps later ones from getting a share before.
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
