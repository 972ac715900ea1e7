import Glibc

/// The name of the program that a process runs, from `/proc/PID/exe`; `nil` when that cannot be read.
func programName(of process: UInt32) -> String? {
    let path = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
        count = buffer.withMemoryRebound(to: CChar.self) { characters in
            guard let start = characters.baseAddress else { return 0 }
            return max(0, readlink("/proc/\(process)/exe", start, characters.count))
        }
    }
    let name = path.suffix(while: { $0 != UInt8(ascii: "/") })
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
}

extension Array {
    /// The last elements that are of a kind.
    fileprivate func suffix(while isIn: (Element) -> Bool) -> ArraySlice<Element> {
        let start = lastIndex { !isIn($0) }.map { $0 + 1 } ?? startIndex
        return self[start...]
    }
}
