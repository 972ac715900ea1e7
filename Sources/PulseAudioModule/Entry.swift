import CPulseCore
import PulseAudioHost

/// The daemon calls this function after it has loaded the shared object.
///
/// - Parameter module: The module that the daemon has made.
/// - Returns: 0, or -1 when the module cannot work in this daemon; the log says why.
@_cdecl("pa__init")
public func moduleInit(_ module: OpaquePointer?) -> Int32 {
    guard let module else { return -1 }
    return Module.load(into: module)
}

/// The daemon calls this function before it unloads the shared object.
@_cdecl("pa__done")
public func moduleDone(_ module: OpaquePointer?) {
    if let module { Module.unload(from: module) }
}

/// The PulseAudio release that the module is built for, which the daemon requires to be its own. Returns the running
/// release; ``moduleInit(_:)`` refuses an unknown one.
@_cdecl("pa__get_version")
public func moduleVersion() -> UnsafePointer<CChar>? { cpc_running_release() }
