import BusInterface
import Testing

/// Values of D-Bus as JSON.
@Suite struct JSONTests {
    private static let table: [(WireValue, String)] = [
        (.boolean(true), "true"), (.boolean(false), "false"), (.byte(255), "255"), (.int16(.min), "-32768"),
        (.uint16(.max), "65535"), (.int32(.min), "-2147483648"), (.uint32(.max), "4294967295"),
        (.int64(.min), "-9223372036854775808"), (.int64(.max), "9223372036854775807"),
        (.uint64(.max), "18446744073709551615"), (.unixDescriptor(3), "null"),
        (.double(0), "0"), (.double(-0.0), "0"), (.double(1), "1"), (.double(-20), "-20"), (.double(0.1), "0.1"),
        (.double(-12.5), "-12.5"), (.double(1e15), "1000000000000000.0"),
        (.double(999_999_999_999_999), "999999999999999"),
        (.double(1e300), "1e+300"), (.double(.leastNonzeroMagnitude), "5e-324"), (.double(.infinity), "null"),
        (.double(-.infinity), "null"), (.double(.nan), "null"),
        (.string(""), #""""#), (.string("ä🎵"), #""ä🎵""#), (.string("a\"b\\c/d"), #""a\"b\\c/d""#),
        (.string("\n\r\t"), #""\n\r\t""#), (.string("\u{0}\u{1F}\u{7F}"), #""\u0000\u001f\u007f""#),
        (.string("e\u{301}\u{2028}"), "\"e\u{301}\u{2028}\""),
        (.objectPath("/a"), #""/a""#), (.signature("a{sv}"), #""a{sv}""#),
        (.variant(.variant(.string("x"))), #""x""#),
        (.strings([String]()), "[]"), (.strings(["a", "b"]), #"["a","b"]"#),
        (.structure([.int32(1), .string("a"), .array(of: "v", [.variant(.byte(1))])]), #"[1,"a",[1]]"#),
        (.record([]), "{}"),
        (.record([("a", .int32(1)), ("b\"", .record([("c", .boolean(true))]))]), #"{"a":1,"b\"":{"c":true}}"#),
        (.dictionary(key: "u", value: "s", [.init(.uint32(7), .string("x"))]), #"{"7":"x"}"#),
        (.dictionary(key: "b", value: "s", [.init(.boolean(true), .string("x"))]), #"{"true":"x"}"#),
        (.records([.record([("a", .double(-3.5))])]), #"[{"a":-3.5}]"#),
    ]

    @Test(arguments: table.indices) func isWritten(_ index: Int) {
        #expect(Self.table[index].0.json == Self.table[index].1)
    }
}
