import Glibc

/// The object that a callback's data pointer stands for.
public func object<Object: AnyObject>(
    _ data: UnsafeMutableRawPointer?, as type: Object.Type = Object.self
) -> Object? {
    data.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
}

/// The data pointer that stands for an object in a callback. The object must outlive the listener.
public func pointer(to object: AnyObject) -> UnsafeMutableRawPointer { Unmanaged.passUnretained(object).toOpaque() }

/// Text from the server. What is not UTF-8 is repaired rather than refused; what is over-long is cut.
public func text(_ characters: UnsafePointer<CChar>?, limit: Int = 256) -> String? {
    guard let characters else { return nil }
    let length = strnlen(characters, limit)
    return characters.withMemoryRebound(to: UInt8.self, capacity: length) {
        String(decoding: UnsafeBufferPointer(start: $0, count: length), as: UTF8.self)
    }
}

/// A name from the server, fit to stand in a line of the log: no control characters, so that no application can write
/// lines of its own.
public func name(_ characters: UnsafePointer<CChar>?) -> String? {
    text(characters).map { printable($0) }
}

/// The same text without control characters.
public func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? "?" : $0 }))
}
