import PolicyEngine

/// The words that a key accepts, with their meanings.
struct Vocabulary<Value: Sendable>: Sendable {
    /// The kind of word, as part of a message: `a category`.
    let noun: String
    let words: [(word: String, value: Value)]

    /// The accepted words, as part of a message.
    var expected: String { "\(noun): \(list(words.map(\.word)))" }

    subscript(word: String) -> Value? { words.first { $0.word == word }?.value }
}

extension Vocabulary where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    init(noun: String) {
        self.init(noun: noun, words: Value.allCases.map { ($0.rawValue, $0) })
    }
}

extension Vocabulary where Value == CategoryOptions {
    static var options: Self {
        Vocabulary(noun: "an option", words: CategoryOption.allCases.map { ($0.rawValue, CategoryOptions($0)) })
    }
}

/// Lists words as part of a sentence.
package func list(_ words: [String], lastAfter conjunction: String = "or") -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
}

/// The known word that a misspelt one was most likely meant to be; `nil` if none is similar.
///
/// Differences in case, and in joining parts by `-`, `_` or a capital letter, count least.
package func nearest(to word: String, among known: some Sequence<String>) -> String? {
    guard word.utf8.count <= 40 else { return nil }
    let letters = plain(word)
    let farthest = max(1, min(3, letters.count / 3))
    var best: (word: String, distance: Int)?
    for candidate in known {
        let other = plain(candidate)
        // The difference in length is a lower bound of the edit distance.
        guard abs(letters.count - other.count) <= farthest else { continue }
        let distance = editDistance(letters, other)
        if distance <= farthest, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.word
}

/// The letters of a word in lower case, without the characters that join its parts.
private func plain(_ word: String) -> [UInt8] {
    word.utf8.lazy.filter { $0 != 0x2D && $0 != 0x5F }.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
}

/// The number of letters to insert, delete, replace or exchange with a neighbour.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    // The rows of the usual table; each row uses the last two.
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    var previousLetter: UInt8?
    for (row, letter) in left.enumerated() {
        var current = [row &+ 1]
        var before = beforeLast.makeIterator()
        var beforeCost: Int?
        var leftCost = row &+ 1
        var previousOther: UInt8?
        for ((diagonal, above), other) in zip(zip(last, last.dropFirst()), right) {
            var cost = min(above &+ 1, leftCost &+ 1, diagonal &+ (letter == other ? 0 : 1))
            if let beforeCost, previousLetter == other, previousOther == letter { cost = min(cost, beforeCost &+ 1) }
            // The cost two letters back in both words, for the next column.
            beforeCost = before.next()
            current.append(cost)
            leftCost = cost
            previousOther = other
        }
        beforeLast = last
        last = current
        previousLetter = letter
    }
    return last.last ?? 0
}
