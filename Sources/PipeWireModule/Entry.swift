import CPipeWire
import PipeWireHost

@_cdecl("pipewire__module_init")
public func moduleInit(_ module: OpaquePointer?, _ arguments: UnsafePointer<CChar>?) -> Int32 {
    hostHello(module, arguments.map { String(cString: $0) })
}
