import PolicyEngine

/// Walks through the bytes of a source, one Unicode scalar at a time, and knows where it is.
///
/// Bytes that are no UTF-8 appear as U+FFFD with ``isInvalid`` set.
struct Scanner {
    /// The scalar under the cursor; `nil` at the end.
    private(set) var current: Unicode.Scalar?
    /// Whether ``current`` stands for bytes that are no UTF-8.
    private(set) var isInvalid = false
    /// The place of ``current``. Sources are limited in size, so the counts cannot overflow.
    private(set) var place = Place(line: 1, column: 1)

    private var bytes: Array<UInt8>.Iterator
    private var decoder = Unicode.UTF8.ForwardParser()

    init(_ bytes: [UInt8]) {
        self.bytes = bytes.makeIterator()
        decode()
        // A byte order mark is no part of the text, and takes no column.
        if current == "\u{FEFF}" { decode() }
    }

    /// Goes to the next scalar.
    mutating func advance() {
        guard let passed = current else { return }
        decode()
        if passed == "\n" || (passed == "\r" && current != "\n") {
            place.line &+= 1
            place.column = 1
        } else {
            place.column &+= 1
        }
    }

    /// What is under the cursor, as part of a message.
    var summary: String {
        guard let current else { return "the end of the text" }
        return "'\(printable(String(Character(current))))'"
    }

    /// Goes to the end at once.
    mutating func abandon() {
        current = nil
        isInvalid = false
        bytes = [].makeIterator()
        decoder = Unicode.UTF8.ForwardParser()
    }

    private mutating func decode() {
        isInvalid = false
        switch decoder.parseScalar(from: &bytes) {
        case .valid(let encoded): current = Unicode.UTF8.decode(encoded)
        case .error:
            current = "\u{FFFD}"
            isInvalid = true
        case .emptyInput: current = nil
        }
    }
}
