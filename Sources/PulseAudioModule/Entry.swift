import CPulseCore
import PulseAudioHost

/// What the daemon calls when it has loaded the shared object.
///
/// - Parameter module: The module that the daemon has made.
/// - Returns: 0, or -1 when it cannot do its work; the log says why.
@_cdecl("pa__init")
public func moduleInit(_ module: OpaquePointer?) -> Int32 {
    guard let module else { return -1 }
    return Module.load(into: module)
}

/// What the daemon calls before it unloads it.
@_cdecl("pa__done")
public func moduleDone(_ module: OpaquePointer?) {
    if let module { Module.unload(from: module) }
}

/// The release of the daemon that it is for: whichever it is in. What is not known of it is said by ``moduleInit(_:)``.
@_cdecl("pa__get_version")
public func moduleVersion() -> UnsafePointer<CChar>? { cpc_running_release() }
