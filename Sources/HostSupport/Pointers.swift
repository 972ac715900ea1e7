import Glibc
import PolicyEngine

/// The object behind a callback's data pointer.
public func object<Object: AnyObject>(
    _ data: UnsafeMutableRawPointer?, as type: Object.Type = Object.self
) -> Object? {
    data.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
}

/// The data pointer for an object in a callback. The object must outlive the listener.
public func pointer(to object: AnyObject) -> UnsafeMutableRawPointer { Unmanaged.passUnretained(object).toOpaque() }

/// Text from the server; `nil` for a null pointer. Invalid UTF-8 is repaired, and text beyond the limit is cut.
public func text(_ characters: UnsafePointer<CChar>?, limit: Int = 256) -> String? {
    guard let characters else { return nil }
    let length = strnlen(characters, limit)
    return characters.withMemoryRebound(to: UInt8.self, capacity: length) {
        String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
    }
}

/// A name from the server, without control characters, so that no application can forge lines of the log.
public func name(_ characters: UnsafePointer<CChar>?) -> String? {
    text(characters).map { printable($0, limit: .max) }
}
