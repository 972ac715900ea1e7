import PolicyEngine

@testable import PolicyFile

/// Reads a policy file, classifies streams by it, and writes it out again.
func fuzzPolicy(_ bytes: [UInt8]) {
    let file = PolicyFile(bytes: bytes, named: "t")
    found("a policy in spite of errors", (file.policy == nil) != file.diagnostics.contains { $0.severity == .error })
    found("too many messages", file.diagnostics.count > Diagnosis.limit + 1)
    let lines = 1 + bytes.count { $0 == 0x0A || $0 == 0x0D }
    for diagnostic in file.diagnostics {
        let place = diagnostic.place ?? Place(line: 1, column: 1)
        let isInside = 1...lines ~= place.line && 1...(bytes.count + 1) ~= place.column
        found("a message outside the text: \(diagnostic)", !isInside)
        found("a message of two lines", diagnostic.description.unicodeScalars.contains { $0.value < 0x20 })
    }
    guard let policy = file.policy, let classifier = file.classifier else { return }
    for direction in [StreamDirection.playback, .capture] {
        _ = classifier.classify(direction: direction) { $0 == "media.role" ? "phone" : "Firefox" }
    }
    // The effective policy, written out and read again, must be the same policy.
    let written = EffectivePolicy(Assembly([Document(bytes, named: "t")], presetsFrom: Layers(folders: [])))
    let again = PolicyFile(bytes: Array(written.text.utf8), named: "written")
    found("what was written out cannot be read: \(again.diagnostics)", again.policy == nil)
    found("another policy when it is written out", again.policy != policy || again.classifier != classifier)
}
