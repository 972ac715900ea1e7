import CPipeWire
import PipeWireHost

/// The entry point: the daemon finds this function by its name and calls it to load the module.
///
/// - Parameters:
///   - module: The module that the daemon has made.
///   - arguments: The value of `args` in the daemon's configuration, or null.
/// - Returns: 0, or a negative errno when the daemon has no context. A policy that cannot be read is no failure: the
///   daemon would not start.
@_cdecl("pipewire__module_init")
public func moduleInit(_ module: OpaquePointer?, _ arguments: UnsafePointer<CChar>?) -> Int32 {
    guard let module else { return -EINVAL }
    return Module.load(into: module, arguments: arguments)
}
