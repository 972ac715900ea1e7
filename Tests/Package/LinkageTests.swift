import Foundation
import TestKit
import Testing

@Suite("What install/build has made")
struct LinkageTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func readelf(_ option: String, _ binary: Binary) async throws -> String {
        try await sandbox.output(of: ["readelf", option, "-W", binary.path])
    }

    /// The names that a binary exports to others, or takes from them.
    private func symbols(_ which: String, of binary: Binary) async throws -> Set<String> {
        let symbols = try await sandbox.output(of: ["nm", "-D", "--\(which)-only", binary.path])
        return Set(symbols.matches(of: /\ [A-Za-z]\ (\w+)/).map { String($0.1) })
    }

    @Test("No Swift library is needed, and none is missing", arguments: Binary.allCases)
    func libraries(binary: Binary) async throws {
        let needed = try await sandbox.output(of: ["ldd", binary.path]).lowercased()
        for word in ["swift", "foundation", "not found"] { #expect(!needed.contains(word)) }
    }

    @Test("Libraries are looked for where the system has them", arguments: Binary.allCases)
    func runPath(binary: Binary) async throws {
        #expect(!(try await readelf("-d", binary)).contains(/R(UN)?PATH/))
    }

    @Test("What is called is found at load, and read-only then", arguments: Binary.allCases)
    func binding(binary: Binary) async throws {
        #expect(try await readelf("-d", binary).contains(/FLAGS_1.* NOW/))
        #expect(try await readelf("-l", binary).contains("GNU_RELRO"))
        #expect(try await readelf("-h", binary).contains(/Type: +DYN/))
    }

    @Test("The stack is not for code", arguments: Binary.allCases)
    func stack(binary: Binary) async throws {
        #expect(try await readelf("-l", binary).contains(/GNU_STACK .* RW +0/))
    }

    @Test("A daemon never unmaps the code that it has loaded", arguments: Binary.loaded)
    func mapping(binary: Binary) async throws {
        #expect(try await readelf("-d", binary).contains("NODELETE"))
    }

    @Test("C looks where it writes", arguments: Binary.modules)
    func fortification(module: Binary) async throws {
        let symbols = try await symbols("undefined", of: module)
        #expect(symbols.contains("__stack_chk_fail"))
        // With clang, the headers of glibc 2.41 make of the first function the other one.
        #expect(!symbols.isDisjoint(with: ["__snprintf_chk", "__vsnprintf_chk"]))
    }

    @Test("Constants are read-only", arguments: Binary.modules)
    func constants(module: Binary) async throws {
        #expect(try await readelf("-l", module).contains(/\.init_array .*\.data\.rel\.ro\b/))
        #expect(!(try await readelf("-S", module)).contains(/\ \.rodata .* WA/))
    }

    /// 9.7 MB with Swift 6.3.
    @Test("The file has at most 11 MB", arguments: Binary.modules)
    func size(module: Binary) throws {
        let size = try FileManager.default.attributesOfItem(atPath: module.path)[.size] as? Int
        #expect(try #require(size) <= 11_000_000)
    }

    @Test(
        "Only entry points are exported",
        arguments: zip(Binary.modules, [["pipewire__module_init"], ["pa__init", "pa__done", "pa__get_version"]]))
    func exports(module: Binary, names: Set<String>) async throws {
        #expect(try await symbols("defined", of: module) == names)
    }

    @Test("The PipeWire daemon's functions are looked for before they are called")
    func daemonFunctions() async throws {
        // A weak symbol may be missing.
        let symbols = lines(try await sandbox.output(of: ["nm", "-D", "--undefined-only", Binary.pipeWire.path]))
        #expect(symbols.filter { $0.contains(" U pw_") } == [])
    }

    #if arch(x86_64)
        @Test("It lives with a shadow stack", arguments: Binary.allCases)
        func shadowStack(binary: Binary) async throws {
            #expect(try await readelf("-n", binary).contains(/x86 feature:.*\bSHSTK/))
        }

        @Test("C marks where may be jumped to", arguments: ["CRamp", "CPipeWire", "CPulseCore", "CRuntimeTrim"])
        func jumps(target: String) async throws {
            let objects = try Project.files(in: ".build/release/\(target).build", ending: ".o")
            #expect(!objects.isEmpty)
            for object in objects {
                #expect(
                    try await sandbox.output(of: ["readelf", "-nW", object]).contains(/x86 feature:.*\bIBT/),
                    "\(object)")
            }
        }
    #endif

    @Test("The command says the version of the sources")
    func version() async throws {
        let said = try await sandbox.output(of: [Binary.command.path, "--version"])
        #expect(try said == "\(Project.version)\n")
    }

    /// The release that lacks a function is the machine's own: in a copy of the module the name of one is changed. It is
    /// called late: when a client is to be told that a request was refused.
    @Test("A PipeWire that lacks a function goes on without the module, and says which function it lacks")
    func refusal() async throws {
        let present = Data("pw_resource_errorf".utf8)
        // Of the same length, so that nothing else moves.
        let absent = Data("pw_resource_absent".utf8)
        var module = try Data(contentsOf: URL(fileURLWithPath: Binary.pipeWire.path))
        #expect(module.range(of: present) != nil, "the module does not call it any more: choose another function")
        while let place = module.range(of: present) { module.replaceSubrange(place, with: absent) }
        try module.write(to: URL(fileURLWithPath: sandbox.path(Binary.pipeWire.name)))

        var options = DesktopOptions()
        options.runsWirePlumber = false
        options.runsPulseServer = false
        options.pipeWireFragments["50-audio-session.conf"] = try Project.text("install/pipewire.conf")
        let own = try await sandbox.variable("moduledir", of: "libpipewire-0.3")
        options.environment["PIPEWIRE_MODULE_DIR"] = "\(sandbox.directory):\(own)"
        let desktop = try await PrivateDesktop.start(options)
        let log = try #require(desktop.daemon?.log)
        try await log.wait(forLineContaining: "has no pw_resource_absent, which the audio-session module calls")
        let core = try await desktop.sandbox.output(of: ["pw-cli", "info", "0"])
        #expect(!core.contains("audio-session.loaded"))
        await desktop.stop()
    }
}
