import Foundation
import PaperServer
import PolicyEngine
import RandomEvents
import Testing

@testable import PolicyFile
@testable import PolicyRuntime

/// Whatever a client says of itself, against what the kernel and the server know of it (N11, N18, N20, R80).
@Suite struct IdentityFuzzTests {
    /// Twelve processes, each the child of one with a lower number.
    private struct Tree: ProcessTree {
        var parents: [UInt32: UInt32] = [:]
        var places: [UInt32: Confinement] = [:]
        var names: [UInt32: String] = [:]

        func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)? {
            parents[process].map { ($0, UInt64(process)) }
        }
        func confinement(of process: UInt32) -> Confinement { places[process] ?? .unknown }
        func executable(of process: UInt32) -> String? { names[process] }
        func name(of process: UInt32) -> String? { names[process] }
    }

    /// What a client may say, with values that mean something to somebody.
    private static let words: [String: [String]] = [
        "media.role": [
            "phone", "Communication", "ringtone", "alarm", "emergency", "accessibility", "Music", "", "\u{1b}[31m",
        ],
        "media.class": ["Stream/Input/Audio", "Stream/Output/Audio"],
        "application.name": ["ZOOM VoiceEngine", "telegram-desktop", "ringrtc", "pipewire", "dbus-daemon", "\n"],
        "application.process.binary": ["telegram-desktop", "zoom", "pipewire", "wireplumber", "baresip"],
        "application.process.id": (0...12).map { "\($0)" } + ["-1", "4294967296"],
        "application.id": ["org.gnome.Calls", "us.zoom.Zoom"],
        "pipewire.access.portal.app_id": ["", "us.zoom.Zoom", "org.telegram.desktop", "org.evil.Game"],
        "pipewire.access.portal.instance_id": ["1", "2"],
        "pipewire.snap.id": ["zoom-client"], "pipewire.snap.audio.record": ["true"],
        "pipewire.sec.pid": ["1"], "pipewire.access": ["unrestricted"], "client.api": ["pipewire-pulse"],
        "policy.role-based.priority": ["300"], "node.name": ["phone"],
        "audio-session.category": ["play-and-record", "record", "playback"],
        "audio-session.mode": ["voice-chat", "voice-prompt"],
        "audio-session.options": ["duck-others"], "audio-session.priority": ["200"],
        "audio-session.id": (1...12).map { "\($0)" },
    ]

    /// Outside of all sandboxes, in one of two, or nobody knows where.
    private static func place(_ random: inout SplitMix64) -> Confinement {
        switch random.below(4) {
        case 0: .unconfined
        case 1: .unknown
        default:
            .sandbox(AppSandbox(random.pick(["org.evil.Game", "org.evil.Chat"]), instance: random.pick(["1", "2"])))
        }
    }

    private static func tree(_ random: inout SplitMix64) -> Tree {
        var tree = Tree()
        for process in UInt32(1)...12 {
            tree.parents[process] = UInt32(random.below(Int(process)))
            tree.places[process] = place(&random)
            tree.names[process] = random.pick(["dbus-daemon", "zoom", "game"])
        }
        return tree
    }

    /// What the kernel knows of a client, said in another way than the product says it.
    private struct Truth {
        var isConfined: Bool
        var application: String?
    }

    private static func client(_ number: UInt32, _ tree: Tree, _ said: [String: String], _ random: inout SplitMix64)
        -> (
            ClientIdentity, Truth
        )
    {
        // Some have no process, and for some a proxy outside tells the sandbox.
        let process = random.oneIn(8) ? nil : UInt32(1 + random.below(12))
        let place = process.map { tree.places[$0] ?? .unknown } ?? .unknown
        let told: AppSandbox? =
            place == .unconfined && random.oneIn(3) ? AppSandbox(random.pick(["org.evil.Game", "org.evil.Chat"])) : nil
        let client = ClientIdentity(
            program: process.flatMap { tree.program(of: $0) }, sandbox: told,
            binary: said["application.process.binary"], displayName: said["application.name"], fallback: "stream",
            connection: "client \(number)")
        let application = told?.application ?? place.sandbox?.application
        return (client, Truth(isConfined: place != .unconfined || told != nil, application: application))
    }

    private static func policy(_ text: String) -> LoadedPolicy {
        let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/policy"
        return PolicyLoader.load(arguments: text, layers: Layers(folders: [folder]))
    }

    @Test("N11 N18 R80 10,000 clients say what they like: none that is confined has a rank, or another's session")
    func confinedStaysConfined() throws {
        var random = SplitMix64(seed: 20_261_127)
        var confined = 0
        var ranked = 0
        let said = ["", "preset = phone", "include = applications.conf"].map { Self.policy("{ \($0) }") }
        for round in 0..<1_000 {
            let tree = Self.tree(&random)
            let host = PaperHost(said[round % said.count].inForce)
            let runtime = host.runtime
            var owners: [SessionID: (client: ClientIdentity, truth: Truth)] = [:]
            for number in UInt32(1)...12 {
                let owner = Self.client(100 + number, tree, [:], &random)
                runtime.open(
                    SessionEntry(
                        SessionID(number), of: owner.0, isInterruption: false, takesTaggedOnly: random.oneIn(3)),
                    with: [.sessionOpened(SessionID(number), application: owner.0.application, .application)])
                owners[SessionID(number)] = owner
            }
            for number in UInt32(1)...10 {
                var properties: [String: String] = [:]
                for (key, values) in Self.words.sorted(by: { $0.key < $1.key }) where random.oneIn(3) {
                    properties[key] = random.pick(values)
                }
                let (client, truth) = Self.client(number, tree, properties, &random)
                let identity = StreamIdentity(
                    node: number, client: client, session: properties[StreamIdentity.sessionProperty])
                let stream = PaperStream(identity, random.oneIn(2) ? .capture : .playback, properties)
                runtime.add(stream)
                let entry = runtime.streams[stream.id]
                let session = entry?.session
                let rank = entry?.description?.priority ?? .normal
                if truth.isConfined { confined += 1 } else if rank > .normal { ranked += 1 }
                #expect(!truth.isConfined || rank <= .normal, "round \(round): \(properties) of \(client)")
                guard let session, let owner = owners[session] else { continue }
                #expect(
                    truth.isConfined ? owner.truth.isConfined && owner.truth.application == truth.application : true,
                    "round \(round): \(client) has a session of \(owner.client)")
            }
        }
        // Else nothing would have been tried.
        #expect(confined > 5_000 && ranked > 100, "\(confined) confined, \(ranked) with a rank")
    }
}
