import CPipeWire
import PipeWireHost

/// What the daemon looks up in the shared object and calls to load the module.
///
/// - Parameters:
///   - module: The module that the daemon has made.
///   - arguments: The text behind `args` in the daemon's configuration, or null.
/// - Returns: 0, always: a policy that cannot be read does not keep the daemon from starting.
@_cdecl("pipewire__module_init")
public func moduleInit(_ module: OpaquePointer?, _ arguments: UnsafePointer<CChar>?) -> Int32 {
    guard let module else { return -EINVAL }
    return Module.load(into: module, arguments: arguments)
}
