import BusInterface
import DBus
import DesktopServices
import PolicyEngine
import PolicyRuntime

@testable import BusService

/// The service under random input: calls of several senders that come and go, streams, signals and answers of the
/// desktop's services, and time that passes.
func fuzzCalls(_ bytes: [UInt8]) {
    let play = CallPlay(bytes)
    play.run()
}

nonisolated(unsafe) private let sessionBus = BusEnd("session", uniqueName: ":1.5")
nonisolated(unsafe) private let systemBus = BusEnd("system", uniqueName: ":1.6")

/// The processes: 100 to 103 outside of sandboxes, 104 and 105 in a sandbox each. Each even process has started the
/// odd one after it.
private struct Tree: ProcessTree {
    func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)? {
        guard (100..<106).contains(process) else { return nil }
        return (process.isMultiple(of: 2) ? 1 : process - 1, UInt64(process))
    }
    func confinement(of process: UInt32) -> Confinement {
        switch process {
        case 104: .sandbox(AppSandbox("org.test.Boxed", instance: "1"))
        case 105: .sandbox(AppSandbox("org.test.Boxed", instance: "2", mayRecord: true))
        default: .unconfined
        }
    }
    func executable(of process: UInt32) -> String? { process < 104 ? "/usr/bin/\(CallPlay.secret)" : "/app/bin/boxed" }
    func name(of process: UInt32) -> String? { process < 104 ? CallPlay.secret : nil }
    func unit(of process: UInt32) -> String? { process == 102 ? "app-\(CallPlay.secret).scope" : nil }
}

/// A connection on the session bus.
private struct Peer {
    var name: String
    var process: UInt32
    var isBoxed: Bool { process >= 104 }
}

private final class CallPlay {
    /// A word in all names of processes outside of sandboxes: no peer in a sandbox may read it (N20).
    static let secret = "talk-zq"

    private var input: Input
    private let loop = ManualLoop()
    private let host: FakeHost
    private let service: SessionService
    private var peers: [Peer] = []
    private var lastPeer = 10
    private var lastStream: UInt32 = 0
    private var paths = ["/org/AudioSession1"]
    private var cookies: [UInt32] = []
    /// The calls of peers without an answer yet, with the expected types of the answer.
    private var unanswered: [UInt32: (peer: String, member: String, output: String)] = [:]
    /// The service's own calls that have not been answered yet.
    private var asked: [(letter: BusMessage, end: BusEnd)] = []
    /// Whether other services answer at once.
    private var isPrompt = true
    /// Whether the connection was lost, so that answers may be missing.
    private var isCut = false

    init(_ bytes: [UInt8]) {
        input = Input(bytes)
        sessionBus.hangUp()
        systemBus.hangUp()
        let host = FakeHost(loop, input.pick(FakeHost.policies))
        self.host = host
        service = SessionService(
            runtime: host.runtime, loop: loop,
            buses: (.custom(sessionBus.address), .custom(systemBus.address)), processes: Tree())
        settle()
        for index in 0..<4 { join(UInt32(index) + 101) }
        join(100)
    }

    func run() {
        let count = 96
        for _ in 0..<count {
            if input.isEmpty { break }
            doRandomEvent()
        }
        finish()
    }

    private func doRandomEvent() {
        switch input.below(20) {
        case 0...3: callManager()
        case 4...8: callSession()
        case 9: askProperties()
        case 10: if peers.count < 8 { join(100 + UInt32(input.below(6))) } else { leave(input.below(peers.count)) }
        case 11: leave(input.below(peers.count))
        case 12, 13: play()
        case 14:
            let number = UInt32(input.below(8))
            if input.oneIn(3) { host.forget(number) } else { host.want(number, input.oneIn(2)) }
        case 15: pass(Int64(input.pick([0, 1, 300, 2_000, 12_000, 30_000])) * 1_000_000)
        case 16: sendDesktopSignal()
        case 17: sendPlayerSignal()
        case 18:
            switch input.below(4) {
            case 0: host.plug(input.oneIn(2))
            case 1:
                printStep("another policy")
                host.runtime.apply(input.pick(FakeHost.policies))
            case 2: isPrompt.toggle()
            default: answerOne()
            }
        default:
            guard input.oneIn(8) else { break }
            printStep("the bus goes away")
            (input.oneIn(2) ? sessionBus : systemBus).hangUp()
            isCut = true
            unanswered = [:]
            asked = []
            settle()
            pass(6_000_000_000)
        }
        // Handle each event before the next one, or several together.
        if isPrompt || input.oneIn(2) { settle() }
    }

    /// Ends everything and checks that nothing is left: answers, sessions, the service.
    private func finish() {
        printStep("the end")
        isPrompt = true
        for (letter, end) in asked { answer(letter, end) }
        asked = []
        settle()
        // After this time the service waits for no answer any more.
        pass(30_000_000_000)
        settle()
        found("calls without an answer: \(unanswered)", !isCut && !unanswered.isEmpty)
        while !peers.isEmpty { leave(peers.count - 1) }
        settle()
        found("sessions outlive their owners", !service.objects.isEmpty)
        // Sleep and a call on a modem have no owner on the bus.
        let reports = host.runtime.engine.sessionNumbers.compactMap { host.runtime.engine.snapshot(of: $0) }
        let left = reports.filter { $0.reference.id != nil }
        found("interruptions outlive those who have begun them: \(left)", left.count > 2)
        for stream in host.streams { host.forget(stream.identity.node) }
        service.leave()
        host.runtime.shutDown()
        settle()
        found("something is left on the loop: \(loop.next ?? -1)", loop.isDue)
    }

    private func pass(_ nanoseconds: Int64) {
        printStep("\(nanoseconds / 1_000_000) ms")
        let end = loop.now &+ nanoseconds
        for _ in 0..<200 {
            guard let next = loop.next, next <= end else { break }
            loop.pass(next &- loop.now)
            settle()
        }
        loop.pass(end &- loop.now)
        settle()
    }

    // MARK: - What the service sends

    /// Turns the loop until nothing more happens.
    private func settle() {
        for _ in 0..<256 {
            loop.turn()
            let traffic = sessionBus.traffic + systemBus.traffic
            for end in [sessionBus, systemBus] { for letter in end.receive() { handle(letter, end) } }
            if sessionBus.traffic + systemBus.traffic == traffic, !loop.isDue { return }
        }
    }

    private func handle(_ letter: BusMessage, _ end: BusEnd) {
        switch letter.kind {
        case .call:
            if isPrompt || letter.member == "Hello" { answer(letter, end) } else { asked.append((letter, end)) }
        case .answer, .error: handleAnswer(letter)
        case .signal: checkSecrets(letter)
        }
    }

    private func handleAnswer(_ letter: BusMessage) {
        guard let call = unanswered.removeValue(forKey: letter.answers) else {
            // Answers to peers that have gone do not count.
            let isWrong = !isCut && peers.contains { $0.name == letter.destination }
            return found("an answer to nothing: \(letter)", isWrong)
        }
        printStep("    \(call.member): \(letter.kind == .error ? letter.errorName : "") \(letter.texts)")
        found("an answer to somebody else: \(letter)", letter.destination != call.peer)
        let isWrong = letter.kind == .answer && call.output != "?" && letter.signature != call.output
        found("\(call.member) answers \(letter.signature), not \(call.output)", isWrong)
        checkSecrets(letter)
        guard letter.kind == .answer else { return }
        if call.member == "OpenSession", let path = letter.firstText, paths.count < 16 { paths.append(path) }
        if call.member == "BeginInterruption", cookies.count < 16 {
            cookies.append(letter.body.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
        if call.member == "DumpState", let text = letter.firstText {
            found("this is not JSON: \(text)", !isJSON(text))
        }
    }

    /// N20: no message to a sandboxed peer, and no broadcast, names a process outside of sandboxes.
    private func checkSecrets(_ letter: BusMessage) {
        let peer = peers.first { $0.name == letter.destination }
        if let peer, !peer.isBoxed { return }
        // A message to another service.
        if peer == nil, !letter.destination.isEmpty { return }
        let secret = Array(CallPlay.secret.utf8)
        for start in letter.body.indices where letter.body[start] == secret[0] {
            found("a secret in \(letter)", letter.body[start...].starts(with: secret))
        }
    }

    // MARK: - Answers of other services

    private func answerOne() {
        guard !asked.isEmpty else { return }
        let (letter, end) = asked.remove(at: input.below(asked.count))
        guard input.oneIn(4) else { return answer(letter, end) }
        // A random answer.
        var odd = BusMessage(
            kind: input.oneIn(3) ? .error : .answer, answers: letter.serial, sender: letter.destination)
        if odd.kind == .error { odd.errorName = "org.test.Error" }
        odd.carry(input.values(input.type(), CallPlay.words))
        end.send(odd)
    }

    /// Answers a call as the bus and the desktop's services do.
    private func answer(_ letter: BusMessage, _ end: BusEnd) {
        guard letter.wantsAnswer else { return }
        var answer = BusMessage(kind: .answer, answers: letter.serial, sender: letter.destination)
        let text = letter.firstText ?? ""
        func refuse() {
            answer.kind = .error
            answer.errorName = "org.freedesktop.DBus.Error.NameHasNoOwner"
        }
        switch letter.member {
        case "Hello": answer.carry([.string(end.uniqueName)])
        case "RequestName": answer.carry([.uint32(1)])
        case "GetNameOwner":
            let peer = peers.first { $0.name == text }?.name
            if let owner = CallPlay.owners[text] ?? peer { answer.carry([.string(owner)]) } else { refuse() }
        case "ListNames": answer.carry([.strings(Array(CallPlay.owners.keys))])
        case "GetConnectionCredentials":
            guard let process = peers.first(where: { $0.name == text })?.process ?? CallPlay.services[text] else {
                refuse()
                break
            }
            answer.carry([.record([("ProcessID", .uint32(process)), ("UnixUserID", .uint32(1000))])])
        case "GetSession": answer.carry([.objectPath("/org/freedesktop/login1/session/1")])
        case "GetManagedObjects":
            answer.carry([.dictionary(key: "o", value: "a{sa{sv}}", [])])
        case "GetAll":
            answer.carry([.record([("State", .int32(3)), ("Number", .string("112"))])])
        case "GetActive": answer.carry([.boolean(false)])
        case "Lookup":
            answer.carry([
                .dictionary(key: "s", value: "as", [.init(.string("org.test.Boxed"), .strings(["yes"]))]),
                .variant(.byte(0)),
            ])
        case "Get":
            switch letter.texts.last {
            case "PlaybackStatus": answer.carry([.variant(.string("Playing"))])
            case "CanPause": answer.carry([.variant(.boolean(true))])
            case "InhibitDelayMaxUSec": answer.carry([.variant(.uint64(5_000_000))])
            default: answer.carry([.variant(.boolean(false))])
            }
        case "Inhibit": refuse()
        default: break
        }
        end.send(answer)
    }

    private static let owners = [
        "org.freedesktop.DBus": "org.freedesktop.DBus", "org.freedesktop.login1": ":1.2",
        "org.freedesktop.ModemManager1": ":1.3", "org.gnome.ScreenSaver": ":1.4",
        "org.freedesktop.impl.portal.PermissionStore": ":1.7", "org.mpris.MediaPlayer2.one": ":1.8",
    ]
    private static let services: [String: UInt32] = [":1.8": 101]

    // MARK: - Peers

    private func join(_ process: UInt32) {
        lastPeer += 1
        peers.append(Peer(name: ":1.\(lastPeer)", process: process))
    }

    private func leave(_ index: Int) {
        guard index < peers.count else { return }
        let peer = peers.remove(at: index)
        printStep("\(peer.name) goes")
        unanswered = unanswered.filter { $0.value.peer != peer.name }
        changeOwner(of: peer.name, from: peer.name, to: "", sessionBus)
        settle()
    }

    private func changeOwner(of name: String, from old: String, to new: String, _ end: BusEnd) {
        var letter = BusMessage(
            kind: .signal, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "NameOwnerChanged", sender: "org.freedesktop.DBus")
        letter.carry([.string(name), .string(old), .string(new)])
        end.send(letter)
    }

    private func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [WireValue], output: String
    ) {
        guard let peer = peers.isEmpty ? nil : peers[input.below(peers.count)] else { return }
        var letter = BusMessage(kind: .call, path: path, interface: interface, member: member, sender: peer.name)
        letter.flags = input.oneIn(16) ? 1 : 0
        letter.carry(arguments)
        printStep("\(peer.name) of \(peer.process): \(path) \(member) \(arguments)")
        let before = controls
        let serial = sessionBus.send(letter)
        if letter.wantsAnswer { unanswered[serial] = (peer.name, member, output) }
        guard isPrompt else { return }
        let isAlone = unanswered.count <= 1 && peer.isBoxed
        settle()
        found("\(peer.name) is in a sandbox, and has changed \(before) to \(controls)", isAlone && before != controls)
    }

    /// The state of the switches, which only peers outside of sandboxes may change (N20).
    private var controls: [String] {
        let switches = service.switches
        return ["\(switches[.silent])", "\(switches[.doNotDisturb])", "\(switches.pausedUntil != nil)"]
    }

    private func callManager() {
        let methods = WireInterface.manager.methods
        let method = input.pick(methods)
        let end: WireValue? = method.name == "EndInterruption" && !cookies.isEmpty ? .uint32(input.pick(cookies)) : nil
        call(
            input.oneIn(16) ? input.pick(paths) : paths[0], WireInterface.manager.name, method.name,
            end.map { [$0] } ?? arguments(of: method), output: method.outputSignature)
    }

    private func callSession() {
        let methods = WireInterface.session.methods
        let method = input.pick(methods)
        call(
            input.pick(paths), input.oneIn(8) ? "" : WireInterface.session.name, method.name, arguments(of: method),
            output: method.outputSignature)
    }

    private func askProperties() {
        let interface = input.pick([WireInterface.manager, WireInterface.session])
        let property = input.pick(interface.properties)
        let names: [WireValue] = [.string(interface.name), .string(property.name)]
        let properties = WireInterface.properties.name
        switch input.below(8) {
        case 0: call(input.pick(paths), properties, "GetAll", [.string(interface.name)], output: "a{sv}")
        case 1: call(input.pick(paths), WireInterface.introspectable.name, "Introspect", [], output: "s")
        case 2:
            call(
                paths[0], WireInterface.objectManager.name, "GetManagedObjects", [], output: "a{oa{sa{sv}}}")
        case 3...5:
            var type = property.signature[...].utf8
            let value = input.value(&type, CallPlay.words)
            call(input.pick(paths), properties, "Set", names + [.variant(value)], output: "")
        default: call(input.pick(paths), properties, "Get", names, output: "v")
        }
    }

    /// Arguments for a method, mostly of the right types.
    private func arguments(of method: WireInterface.Method) -> [WireValue] {
        if input.oneIn(24) { return input.values(input.type(), CallPlay.words) }
        switch method.name {
        case "SetCategory":
            guard !input.oneIn(8) else { break }
            let options = (0..<input.below(3)).map { _ in input.pick(CategoryOption.allCases).rawValue }
            return [
                .string(input.pick(PolicyEngine.Category.allCases).rawValue), .strings(options),
                .string(input.oneIn(2) ? "" : input.pick(Mode.allCases).rawValue),
            ]
        case "OpenSession":
            guard !input.oneIn(8) else { break }
            var record: [(String, WireValue)] = [("display-name", .string("\(CallPlay.secret) \(input.below(3))"))]
            if input.oneIn(3) { record.append(("streams", .string(input.pick(["process", "tagged"])))) }
            if input.oneIn(3) { record.append(("application-id", .string(CallPlay.secret))) }
            return [.record(record)]
        case "SetPreference":
            guard !input.oneIn(8) else { break }
            let name = input.pick([
                "no-interruptions-from-system-alerts", "interruption-on-route-disconnect", "sample-rate",
                "buffer-duration", "input-gain", "input", "output",
            ])
            var type = input.pick(["b", "d", "s", "u"])[...].utf8
            return [.string(name), .variant(input.value(&type, CallPlay.words))]
        default: break
        }
        return input.values(method.inputSignature, CallPlay.words)
    }

    private static let words =
        [
            "", "phone", "ringtone", "alarm", "delayed", "notify-others", "none", "speaker", "display-name", "streams",
            "tagged", "1", "2", "pid:101", "card/speaker", "card/headphones", "card/microphone", "Headphones",
            "playback", "record", "default", "org.test.Boxed", "yes", "no", "LockedHint", "PlaybackStatus", "Playing",
            "Paused", "org.AudioSession1.Session", "DisplayName", "State", "Number", "ProcessID",
        ]

    // MARK: - Streams, desktop, players

    private func play() {
        let id = UInt32(input.below(8))
        let process = 100 + UInt32(input.below(6))
        let role = input.pick(["", "music", "phone", "alarm", "notification", "ringtone", "game"])
        let tag = input.oneIn(4) ? "\(input.below(4))" : nil
        let name = process < 104 ? "\(CallPlay.secret) player" : "boxed player"
        let client = ClientIdentity(
            program: Tree().program(of: process), sandbox: nil, binary: nil, displayName: name, fallback: "",
            connection: "\(process)")
        printStep("stream \(id) of \(process), \(role)")
        host.play(
            FakeHost.Stream(
                StreamIdentity(node: id, client: client, session: tag), input.oneIn(4) ? .capture : .playback,
                ["media.role": role, "media.name": name].filter { !$0.value.isEmpty }))
    }

    private func sendDesktopSignal() {
        func signal(
            _ sender: String, _ path: String, _ interface: String, _ member: String, _ values: [WireValue],
            _ end: BusEnd = systemBus
        ) {
            var letter = BusMessage(kind: .signal, path: path, interface: interface, member: member, sender: sender)
            letter.carry(input.oneIn(16) ? input.values(input.type(), CallPlay.words) : values)
            printStep("\(interface).\(member) \(values)")
            end.send(letter)
        }
        let truth = WireValue.boolean(input.oneIn(2))
        let modem = "/org/freedesktop/ModemManager1/Modem/0"
        let call = "/org/freedesktop/ModemManager1/Call/\(input.below(3))"
        switch input.below(8) {
        case 0, 1:
            signal(":1.2", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", [truth])
        case 2:
            signal(
                ":1.2", "/org/freedesktop/login1/session/1", "org.freedesktop.DBus.Properties", "PropertiesChanged",
                [
                    .string("org.freedesktop.login1.Session"), .record([("LockedHint", truth)]),
                    .strings([String]()),
                ])
        case 3:
            signal(
                ":1.3", modem, "org.freedesktop.ModemManager1.Modem.Voice",
                input.oneIn(3) ? "CallDeleted" : "CallAdded", [.objectPath(call)])
        case 4:
            signal(
                ":1.3", call, "org.freedesktop.ModemManager1.Call", "StateChanged",
                [.int32(0), .int32(Int32(input.below(9))), .uint32(0)])
        case 5:
            signal(
                ":1.3", "/org/freedesktop/ModemManager1", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
                [
                    .objectPath(modem),
                    .dictionary(
                        key: "s", value: "a{sv}",
                        [
                            .init(
                                .string("org.freedesktop.ModemManager1.Modem.Voice"),
                                .record([("Calls", .array(of: "o", [.objectPath(call)]))]))
                        ]),
                ])
        case 6:
            signal(
                ":1.4", "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver", "ActiveChanged", [truth], sessionBus)
        default:
            let name = input.pick(CallPlay.owners.keys.sorted())
            let owner = CallPlay.owners[name] ?? ""
            let isGone = input.oneIn(2)
            printStep("\(name) \(isGone ? "goes" : "comes")")
            changeOwner(
                of: name, from: isGone ? owner : "", to: isGone ? "" : owner, input.oneIn(2) ? sessionBus : systemBus)
        }
    }

    private func sendPlayerSignal() {
        var letter = BusMessage(
            kind: .signal, path: "/org/mpris/MediaPlayer2", interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged", sender: ":1.8")
        let status = input.pick(["Playing", "Paused", "Stopped", "Odd"])
        letter.carry([
            .string("org.mpris.MediaPlayer2.Player"), .record([("PlaybackStatus", .string(status))]),
            .strings(input.oneIn(4) ? ["PlaybackStatus"] : []),
        ])
        printStep("the player: \(status)")
        sessionBus.send(letter)
    }
}
