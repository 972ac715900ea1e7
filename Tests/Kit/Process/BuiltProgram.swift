import Foundation

/// The path of a program of this package, which is built beside the running one.
///
/// - Throws: ``SystemError`` if it is not there.
public func builtProgram(_ name: String) throws -> String {
    let running = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(fileURLWithPath: running).deletingLastPathComponent().appendingPathComponent(name).path
    guard FileManager.default.isExecutableFile(atPath: path) else {
        throw SystemError(code: ENOENT, context: "find \(path), which the package's build makes")
    }
    return path
}
