import CPipeWire
public func hostHello(_ m: OpaquePointer?, _ args: String?) -> Int32 {
    print("hello", args ?? "-", String(cString: pw_get_library_version()))
    return 0
}
