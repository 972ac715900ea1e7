import BusInterface
import Glibc
import TestKit
import Testing

@testable import DBus

/// What is too long for sd-bus is cut off before it reads it.
@Suite struct GateTests {
    /// A bus on paper, a gate, and what sd-bus reads.
    private final class Stage {
        let bus: Int32
        let client: Int32
        let gate: MessageGate

        init() throws {
            var pair: [Int32] = [-1, -1]
            try #require(
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
            (bus, client) = (pair[0], pair[1])
            gate = try #require(MessageGate(inPlaceOf: client))
        }

        deinit {
            close(bus)
            close(client)
        }

        /// What has come out at one end, as far as it is there.
        func read(_ socket: Int32) -> [UInt8] {
            var found: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = recv(socket, &part, part.count, 0), count > 0 { found += part[..<count] }
            return found
        }

        /// Passes bytes on in pieces, and returns what sd-bus gets.
        func pass(_ bytes: [UInt8], in size: Int) -> [UInt8] {
            var found: [UInt8] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = rest.prefix(size).withUnsafeBytes { send(bus, $0.baseAddress, $0.count, 0) }
                rest = rest.dropFirst(max(sent, 0))
                while gate.pump() { found += read(client) }
                found += read(client)
            }
            return found
        }
    }

    /// A message as on the wire.
    private static func message(
        serial: UInt8, body: Int, isLittle: Bool = true, sender: String = ":1.7", isBare: Bool = false
    )
        -> [UInt8]
    {
        func number(_ value: Int) -> [UInt8] {
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            return isLittle ? bytes : bytes.reversed()
        }
        var fields: [UInt8] = []
        func pad(_ bytes: inout [UInt8], _ size: Int = 8) { while bytes.count % size != 0 { bytes.append(0) } }
        for (code, kind, text) in [(1, "o", "/a"), (3, "s", "Member"), (8, "g", "ay"), (7, "s", sender), (9, "u", "")] {
            if isBare, code > 7 { continue }
            pad(&fields)
            fields += [UInt8(code), 1] + Array(kind.utf8) + [0]
            switch kind {
            case "u": fields += number(16)
            case "g": fields += [UInt8(text.utf8.count)] + Array(text.utf8) + [0]
            default: fields += number(text.utf8.count) + Array(text.utf8) + [0]
            }
        }
        var bytes: [UInt8] =
            [UInt8(ascii: isLittle ? "l" : "B"), 1, 0, 1] + number(body) + number(Int(serial)) + number(fields.count)
        bytes += fields
        pad(&bytes)
        return bytes + [UInt8](repeating: serial, count: body)
    }

    @Test(
        "all but what is too long passes as it is, in whatever pieces it comes", arguments: [1, 3, 17, 4096, 1 << 16],
        [true, false])
    func cutsOff(size: Int, isLittle: Bool) throws {
        let stage = try Stage()
        let greeting = Array("DATA\r\nOK 1234\r\n".utf8)
        let first = Self.message(serial: 1, body: 100, isLittle: isLittle)
        let longest = MessageGate.longest - first.count + 100
        // Byte by byte, two million of them would take long.
        let whole =
            size < 4096
            ? Self.message(serial: 2, body: 5000, isLittle: isLittle)
            : Self.message(serial: 2, body: longest, isLittle: isLittle)
        let last = Self.message(serial: 4, body: 0, isLittle: isLittle)
        #expect(stage.pass(greeting + first + whole, in: size) == greeting + first + whole)
        let long = Self.message(serial: 3, body: longest + 1, isLittle: isLittle)
        let short = Self.message(serial: 3, body: 0, isLittle: isLittle, isBare: true)
        #expect(
            stage.pass(Array(long.prefix(200)), in: size) + stage.pass(Array(long.dropFirst(200)) + last, in: 1 << 16)
                == short + last)
        #expect(!stage.gate.hasCut(.init(sender: ":1.8", serial: 3)))
        #expect(stage.gate.hasCut(.init(sender: ":1.7", serial: 3)))
        #expect(!stage.gate.hasCut(.init(sender: ":1.7", serial: 3)))
    }

    @Test("a header that is no header, or is too long itself, is left out with its body") func headers() throws {
        let stage = try Stage()
        #expect(stage.pass(Array("OK 1\r\n".utf8), in: 100).count == 6)
        let last = Self.message(serial: 4, body: 0)
        var strange = Self.message(serial: 3, body: MessageGate.longest)
        strange[18] = UInt8(ascii: "v")
        #expect(stage.pass(strange + last, in: 1 << 16) == last)
        let long = Self.message(serial: 3, body: MessageGate.longest, sender: String(repeating: "x", count: 1 << 17))
        #expect(stage.pass(long + last, in: 1 << 16) == last)
    }

    @Test("what is sent passes as it is, and the end of the bus is the end") func outwards() throws {
        let stage = try Stage()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        var rest = bytes[...]
        var found: [UInt8] = []
        while found.count < bytes.count {
            let count = rest.withUnsafeBytes { send(stage.client, $0.baseAddress, $0.count, 0) }
            rest = rest.dropFirst(max(count, 0))
            stage.gate.pump()
            found += stage.read(stage.bus)
        }
        #expect(found == bytes)
        shutdown(stage.bus, Int32(SHUT_WR))
        stage.gate.pump()
        var byte: UInt8 = 0
        #expect(recv(stage.client, &byte, 1, 0) == 0)
    }

    @Test("a call and a signal that are too long end nobody's connection", arguments: [3 << 20, 40 << 20])
    func tooLong(size: Int) async throws {
        try await withBus { bus in
            let text = WireValue.string(String(repeating: "x", count: size))
            let error = try #require(thrown(WireError.self) { try bus.call("Take", [.strings([String]()), text]) })
            #expect(error.name == WireErrorName.limitsExceeded && error.message.contains("2097152 bytes"), "\(error)")
            try #expect(bus.call("Add", [.int32(1), .int32(1)]) == [.int64(2)])
            #expect(bus.states.count == 1)
        }
    }
}
