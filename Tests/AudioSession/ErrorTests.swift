import BusInterface
import Foundation
import Testing

@testable import AudioSession

/// Each error of the service has a code in the library for Swift, and the same one in the library for C.
@Suite struct ErrorTests {
    /// What applications are not to tell apart: the code is 'what', and the message says it.
    private static let others: Set = [
        // Of methods that the libraries do not call, or call as they have to.
        "org.AudioSession1.Error.NotClaimable", "org.AudioSession1.Error.NotFound",
        "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownObject",
        "org.freedesktop.DBus.Error.UnknownInterface", "org.freedesktop.DBus.Error.UnknownProperty",
        "org.freedesktop.DBus.Error.PropertyReadOnly",
        // The phone has no code for these.
        "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.LimitsExceeded",
        "org.freedesktop.DBus.Error.Failed",
    ]

    private func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("Sources/\(path)"), encoding: .utf8)
    }

    @Test("each error of the service has one code in both libraries") func codes() throws {
        let names = try text("BusInterface/AudioSessionNames.swift")
            .matches(of: /static let \w+ = "(org\.[\w.]+\.Error\.\w+)"/).map { String($0.1) }
        let rows = try text("CAudioSession/errors.inc").matches(of: /\{ "(org\.[\w.]+)", 0x([0-9a-f]{8}) \}/)
        let known = Dictionary(uniqueKeysWithValues: rows.map { (String($0.1), Int32($0.2, radix: 16)) })
        #expect(Set(names).count == names.count && names.count > 15)
        for name in names {
            let code = AudioSessionError(WireError(name, "")).code
            let isOther = Self.others.contains(name)
            #expect((code == .unspecified) == isOther, "Sources/AudioSession gives \(name) the code \(code)")
            let number = known[name] ?? AudioSessionError.Code.unspecified.rawValue
            #expect(number == code.rawValue, "the C library has another code for \(name) than \(code)")
        }
        // What neither says is nobody's.
        for name in known.keys { #expect(names.contains(name), "the service has no \(name)") }
        for name in Self.others { #expect(names.contains(name), "the service has no \(name)") }
    }
}
