import PolicyEngine
import Testing

/// Sessions that applications hold themselves.
@Suite struct OpenedSessionTests {
    /// Music as an application without a session plays it, under the phone's policy.
    private func music() -> Scenario {
        var scenario = Scenario(.phone)
        scenario.play("music")
        scenario.skip(.seconds(1))
        return scenario
    }

    @Test("R10 R26 R27 R11 activation interrupts, deactivation with notice lets resume")
    func activation() {
        var scenario = music()
        scenario.open("memo", .playback)
        #expect(scenario.news() == ["memo: done", "memo: done"])
        scenario.activate("memo")
        #expect(scenario.news() == ["active memo", "cork music in 500", "memo: done"])
        scenario.advance(.seconds(1))
        #expect(scenario.news() == ["inactive music", "began music by memo"])
        scenario.deactivate("memo")
        #expect(
            scenario.news() == [
                "inactive memo", "free music in 500", "ended music resume", "active music", "memo: done",
            ])
    }

    @Test("R11 deactivation without notice: those that were interrupted do not go on by themselves")
    func withoutNotice() {
        var scenario = music()
        scenario.open("memo", .playback)
        scenario.activate("memo")
        scenario.skip(.seconds(1))
        scenario.deactivate("memo", notify: false)
        #expect(scenario.news().contains("ended music stay"))
        #expect(scenario["music"] == .superseded)
        scenario.pause("music")
        scenario.want("music")
        #expect(scenario["music"] == .free)
    }

    @Test("R8 R36 activation during a call fails, and nothing changes")
    func refused() {
        var scenario = Scenario(.desktop)
        scenario.play("call", role: "phone")
        scenario.open("player", .playback, .mixWithOthers)
        _ = scenario.news()
        let before = scenario.state("player")
        scenario.activate("player")
        #expect(scenario.news() == ["player: refused by call"])
        #expect(scenario.state("player") == before)
    }

    @Test("N9 a delayed activation is granted when the call is over, once")
    func delayed() {
        var scenario = Scenario(.desktop)
        scenario.play("call", role: "phone")
        scenario.open("player", .playback)
        _ = scenario.news()
        scenario.request("player", .activate(mayWait: true))
        #expect(scenario.news() == ["player: delayed"])
        #expect(scenario.state("player").isDelayed)
        scenario.vanish("call", for: .seconds(1))
        #expect(scenario.news() == ["inactive call", "active player", "player: granted"])
        #expect(scenario.state("player").isActive && !scenario.state("player").isDelayed)
    }

    @Test("N9 a delayed activation can be cancelled")
    func cancelled() {
        var scenario = Scenario(.desktop)
        scenario.play("call", role: "phone")
        scenario.open("player")
        scenario.request("player", .activate(mayWait: true))
        scenario.request("player", .cancel)
        scenario.request("player", .cancel)
        _ = scenario.news()
        scenario.vanish("call", for: .seconds(1))
        #expect(scenario.news() == ["inactive call"])
        #expect(!scenario.state("player").isActive)
    }

    @Test("R26 R34 R9 an interrupted session is inactive, and its streams stay silent until it is activated again")
    func interrupted() {
        var scenario = Scenario(.desktop)
        scenario.play("track", in: "player")
        #expect(scenario["track"] == .free && scenario.isRunning("track"))
        _ = scenario.news()
        scenario.play("call", role: "phone")
        #expect(scenario.state("player").isActive)
        scenario.advance(.seconds(1))
        #expect(scenario.news() == ["active call", "cork track in 80", "inactive player", "began player by call"])
        #expect(!scenario.state("player").isActive && scenario.state("player").isInterrupted)
        scenario.pause("track")
        scenario.want("track")
        #expect(!scenario.isRunning("track"))
        scenario.vanish("call", for: .seconds(1))
        #expect(
            scenario.news().filter { !$0.hasPrefix("keep") && !$0.hasPrefix("cork") } == [
                "inactive call", "ended player resume",
            ])
        #expect(scenario["track"] == .inactive && !scenario.isRunning("track"))
        scenario.activate("player")
        #expect(scenario["track"] == .free && scenario.isRunning("track"))
    }

    @Test("R35 giving up during the interruption: not asked to resume")
    func givenUp() {
        var scenario = Scenario(.desktop)
        scenario.open("player", .playback)
        scenario.activate("player")
        scenario.play("call", role: "phone", for: .seconds(1))
        scenario.deactivate("player")
        scenario.vanish("call")
        _ = scenario.news()
        scenario.advance(.seconds(1))
        #expect(scenario.news() == ["inactive call", "ended player stay"])
    }

    @Test("R31 another player that took over: should not resume; R11 unless it leaves with notice")
    func takenOver() {
        for notify in [true, false] {
            var scenario = Scenario(.phone)
            for name in ["first", "second"] {
                scenario.open(name)
                scenario.configure(name, .playback)
            }
            scenario.activate("first")
            scenario.skip(.seconds(1))
            scenario.activate("second")
            #expect(scenario.news() == ["active second", "inactive first", "began first by second", "second: done"])
            scenario.deactivate("second", notify: notify)
            let end = notify ? "ended first resume" : "ended first stay"
            #expect(scenario.news() == ["inactive second", end, "second: done"])
            scenario.activate("first")
            #expect(scenario.state("first").isActive)
        }
    }

    @Test("R9 activating again during the interruption of an equal wins, and ends the interruption")
    func activatedAgain() {
        var scenario = Scenario(.phone)
        for name in ["first", "second"] {
            scenario.open(name)
            scenario.configure(name, .playback)
            scenario.activate(name)
        }
        _ = scenario.news()
        scenario.activate("first")
        let news = scenario.news()
        #expect(news.filter { $0.hasSuffix("resume") } == ["ended first resume"])
        #expect(news.contains("active first") && news.contains("began second by first"))
    }

    @Test("R2 until its application drives it, a session is active while its streams are")
    func undriven() {
        var scenario = music()
        scenario.open("game", .soloAmbient)
        scenario.appear("effects", role: "game")
        scenario.move("effects", to: "game")
        #expect(!scenario.state("game").isActive)
        scenario.want("effects")
        #expect(scenario.state("game").isActive)
        #expect(scenario["music"] == .corked)
        scenario.pause("effects", for: .seconds(1))
        #expect(!scenario.state("game").isActive)
    }

    @Test("R12 the owner goes: whom it interrupted goes on, and its streams are its application's")
    func closed() {
        var scenario = music()
        scenario.open("memo", .playback)
        scenario.activate("memo")
        scenario.appear("take", role: "animation")
        scenario.move("take", to: "memo")
        scenario.want("take")
        scenario.skip(.seconds(1))
        scenario.close("memo")
        #expect(scenario.news().contains("ended music resume"))
        #expect(scenario["music"] == .free && scenario["take"] == .free)
        scenario.vanish("take")
        scenario.vanish("music", for: .seconds(1))
        #expect(scenario.engine.sessionCountForTests == 0)
    }

    @Test("R7 R39 R49 categories and options take effect at once while active")
    func reconfigured() {
        var scenario = music()
        scenario.open("app", .playback, .mixWithOthers)
        scenario.activate("app")
        #expect(scenario["music"] == .free)
        scenario.configure("app", .playback, .duckOthers)
        #expect(scenario["music"] == .ducked(-14))
        scenario.configure("app", .playback)
        #expect(scenario["music"] == .corked)
        scenario.configure("app", .ambient)
        #expect(scenario["music"] != .corked)
    }

    @Test("R54 R55 N4 the mode changes only while inactive and not mixing; one that does not fit is none")
    func modes() {
        var scenario = Scenario(.desktop)
        scenario.open("app", .playback, [], .voiceChat)
        #expect(scenario.state("app").configuration.effectiveMode == .default)
        let fitting: [(Mode, Set<PolicyEngine.Category>)] = [
            (.moviePlayback, [.playback, .ambient, .soloAmbient, .playAndRecord, .uiSound]),
            (.videoChat, [.playAndRecord]), (.gameChat, [.playAndRecord]),
        ]
        for (mode, categories) in fitting {
            #expect(Set(PolicyEngine.Category.allCases.filter { $0.takes(mode) }) == categories)
        }
        scenario.configure("app", .playback, .mixWithOthers)
        _ = scenario.news()
        scenario.configure("app", .mode(.spokenAudio))
        #expect(scenario.news() == ["app: mistaken modeIsFixed"])
        scenario.configure("app", .playback)
        scenario.activate("app")
        _ = scenario.news()
        scenario.configure("app", .mode(.spokenAudio))
        #expect(scenario.news() == ["app: mistaken modeIsFixed"])
        scenario.deactivate("app")
        _ = scenario.news()
        scenario.configure("app", .mode(.spokenAudio))
        #expect(scenario.news() == ["app: done"])
    }

    @Test("N1 N2 N3 speech is stopped, not lowered, by prompts and by those that ask for it; music is not")
    func spokenAudio() {
        let options: [CategoryOptions] = [.duckOthers, .interruptSpokenAudio]
        for option in options {
            var scenario = Scenario(.desktop)
            scenario.play("episode", in: "podcast", as: .playback, [], .spokenAudio)
            scenario.play("music", for: .seconds(1))
            scenario.open("navigator", .playback, option, .voicePrompt)
            scenario.activate("navigator")
            #expect(scenario["episode"] == .corked)
            #expect(scenario["music"] == (option == .duckOthers ? .ducked(-20) : .free))
            scenario.skip(.seconds(1))
            scenario.deactivate("navigator")
            #expect(scenario.news().contains("ended podcast resume"))
        }
    }

    @Test("N8 ringing does not interrupt who asked for that, the accepted call does")
    func alerts() {
        var scenario = Scenario(.desktop)
        scenario.open("recorder")
        scenario.configure("recorder", .avoidsAlerts(true))
        scenario.configure("recorder", .playAndRecord)
        scenario.activate("recorder")
        scenario.play("ring", role: "ringtone", for: .seconds(3))
        #expect(scenario.state("recorder").isActive)
        scenario.play("call", role: "phone", for: .seconds(1))
        #expect(!scenario.state("recorder").isActive)
    }

    @Test("N8 R2 ringing does not interrupt who asked for that and has said no more")
    func alertsOfUndescribed() {
        var scenario = Scenario(.desktop)
        scenario.open("recorder")
        scenario.appear("memo", role: "music")
        scenario.move("memo", to: "recorder")
        scenario.want("memo")
        scenario.configure("recorder", .avoidsAlerts(true))
        scenario.play("ring", role: "ringtone", for: .seconds(3))
        #expect(scenario["memo"] == .free)
        scenario.configure("recorder", .avoidsAlerts(false))
        scenario.advance(.seconds(1))
        #expect(scenario["memo"] == .corked)
        scenario.configure("recorder", .avoidsAlerts(true))
        scenario.advance(.seconds(1))
        #expect(scenario["memo"] == .free)
        scenario.play("call", role: "phone", for: .seconds(1))
        #expect(scenario["memo"] == .corked)
    }

    @Test("N8 R30 ringing that who asked for that has nothing to do with any more has ended for it")
    func alertsOfEmpty() {
        var scenario = Scenario(.desktop)
        scenario.open("recorder")
        scenario.appear("memo", role: "music")
        scenario.move("memo", to: "recorder")
        scenario.want("memo")
        scenario.play("ring", role: "ringtone", for: .seconds(3))
        scenario.vanish("memo")
        scenario.skip(.seconds(3))
        scenario.configure("recorder", .avoidsAlerts(true))
        #expect(scenario.news().contains("ended recorder stay"))
        #expect(!scenario.state("recorder").isInterrupted)
    }

    @Test("N8 R36 what rings and calls in one session is a call, whichever came first")
    func ringsAndCalls() {
        for roles in [["ringtone", "phone"], ["phone", "ringtone"]] {
            var scenario = Scenario(.desktop)
            scenario.open("recorder")
            scenario.configure("recorder", .avoidsAlerts(true))
            scenario.configure("recorder", .playAndRecord)
            scenario.activate("recorder")
            scenario.open("telephony", .ambient)
            for role in roles {
                scenario.appear(role, role: role, app: "telephony")
                scenario.move(role, to: "telephony")
                scenario.want(role)
            }
            scenario.activate("telephony", for: .seconds(1))
            #expect(!scenario.state("recorder").isActive, "\(roles)")
        }
    }

    @Test("R8 R9 a refused activation changes nothing: streams still ask for their session by themselves")
    func refusedThenPlayed() {
        for isDescribed in [false, true] {
            var scenario = Scenario(.desktop)
            scenario.play("call", role: "phone")
            scenario.open("player")
            if isDescribed { scenario.configure("player", .playback) }
            scenario.appear("track", role: "music")
            scenario.move("track", to: "player")
            scenario.activate("player")
            #expect(scenario.news().last == "player: refused by call")
            // As the stream of an application without a session, it waits for the end of the call.
            scenario.want("track")
            #expect(scenario["track"] == .corked && !scenario.state("player").isActive)
            scenario.vanish("call", for: .seconds(1))
            #expect(scenario["track"] == .free && scenario.state("player").isActive)
        }
    }

    @Test("R9 R34 who was interrupted and is refused stays silent until it is activated")
    func refusedWhileInterrupted() {
        var scenario = Scenario(.desktop)
        scenario.play("track", in: "player")
        scenario.play("call", role: "phone", for: .seconds(1))
        scenario.activate("player")
        #expect(scenario.news().last == "player: refused by call")
        scenario.vanish("call", for: .seconds(1))
        scenario.pause("track")
        scenario.want("track")
        #expect(scenario["track"] == .inactive && !scenario.state("player").isActive)
        scenario.activate("player")
        #expect(scenario["track"] == .free)
    }

    @Test("R77 N6 who else is heard, and whether an application's own music should wait")
    func others() {
        var scenario = Scenario(.phone)
        scenario.open("game")
        #expect(!scenario.state("game").isOtherAudioPlaying)
        scenario.play("sounds", role: "animation")
        #expect(scenario.state("game").isOtherAudioPlaying)
        #expect(!scenario.state("game").isSecondaryAudioToBeSilenced)
        scenario.play("music")
        #expect(scenario.state("game").isSecondaryAudioToBeSilenced)
        scenario.pause("music", for: .seconds(1))
        #expect(!scenario.state("game").isSecondaryAudioToBeSilenced)
    }

    @Test("R20 R23 R38 audio-processing has no device, and is told of interruptions")
    func processing() {
        var scenario = Scenario(.desktop)
        scenario.open("converter", .audioProcessing)
        scenario.activate("converter")
        scenario.appear("sound", role: "music")
        scenario.move("sound", to: "converter")
        _ = scenario.news()
        scenario.want("sound")
        #expect(scenario.news() == ["refused sound"])
        #expect(!scenario.isRunning("sound"))
        scenario.play("call", role: "phone", for: .seconds(1))
        #expect(scenario.news().contains("began converter by call"))
        scenario.vanish("call", for: .seconds(1))
        #expect(scenario.news().contains("ended converter resume"))
    }

    @Test("R79 R80 an embedded player that shares the session is not interrupted by it, one with its own is")
    func embedded() {
        var scenario = Scenario(.phone)
        scenario.open("app", app: "app")
        scenario.configure("app", .playback)
        for name in ["own", "embedded"] {
            scenario.appear(name, role: "music", app: "app")
            scenario.move(name, to: "app")
            scenario.want(name)
        }
        #expect(scenario["own"] == .free && scenario["embedded"] == .free)
        scenario.open("player", app: "app")
        scenario.configure("player", .playback)
        scenario.move("embedded", to: "player")
        #expect(scenario["embedded"] == .free)
        #expect(scenario["own"] == .corked)
    }

    @Test("R41 an interruption ends the override of the output, and so does another category")
    func override() {
        var scenario = Scenario(.desktop)
        scenario.open("phone")
        scenario.configure("phone", .outputOverride(.speaker))
        #expect(scenario.news().last == "phone: mistaken overrideNeedsCall(Terms.Category.soloAmbient)")
        scenario.configure("phone", .playAndRecord)
        scenario.configure("phone", .outputOverride(.speaker))
        scenario.activate("phone")
        #expect(scenario.state("phone").configuration.outputOverride == .speaker)
        scenario.play("call", role: "phone")
        #expect(scenario.state("phone").configuration.outputOverride == .none)
    }

    @Test("R39 R42 R43 R51 options go with categories; a voice chat may use a headset's microphone")
    func options() {
        let wrong: [(Category, CategoryOption)] = [
            (.ambient, .mixWithOthers), (.soloAmbient, .mixWithOthers), (.record, .mixWithOthers),
            (.record, .duckOthers), (.audioProcessing, .duckOthers), (.playback, .defaultToSpeaker),
            (.record, .defaultToSpeaker), (.playback, .allowBluetoothInput), (.soloAmbient, .allowBluetoothInput),
        ]
        for (category, option) in wrong {
            var configuration = SessionConfiguration()
            #expect(throws: SessionConfiguration.Mistake.option(option, with: category)) {
                try configuration.set(category, CategoryOptions(option), nil, whileActive: false)
            }
            #expect(configuration == SessionConfiguration())
        }
        var configuration = SessionConfiguration()
        #expect(throws: Never.self) { try configuration.set(.playAndRecord, [], .voiceChat, whileActive: false) }
        #expect(configuration.effectiveOptions == .allowBluetoothInput)
    }

    @Test("R15 R16 R17 N16 the silent switch and the screen lock: ambient and solo-ambient, others not")
    func switches() {
        for locked in [false, true] {
            var scenario = Scenario(.phone)
            scenario.play("sounds", role: "animation")
            scenario.play("ping", role: "notification")
            scenario.play("music", for: .seconds(1))
            var switches = Switches()
            if locked { switches[.locked] = true } else { switches[.silent] = true }
            scenario.send(.switched(switches))
            #expect(scenario["sounds"] == .muted && scenario["music"] == .free && scenario["ping"] == .free)
            scenario.send(.switched(Switches()))
            #expect(scenario["sounds"] == .free)
            switches = Switches()
            switches[.doNotDisturb] = true
            scenario.send(.switched(switches))
            #expect(scenario["ping"] == .muted && scenario["sounds"] == .free)
        }
    }

    @Test(
        "N15 R36 under the shipped presets calls and alarms ask players to pause; others do not, and games have none",
        arguments: Shipped.allCases, ["phone", "ringtone", "alarm"])
    func shippedPauses(preset: Shipped, interrupter: String) {
        for (role, isPlayer) in [("music", true), ("video", true), ("browser", true), ("game", false)] {
            var scenario = Scenario(preset)
            scenario.play("victim", role: role, for: .seconds(1))
            scenario.play("interrupter", role: interrupter)
            #expect(scenario["victim"] == .corked && scenario.asksPlayer(of: "victim") == isPlayer, "\(role)")
        }
        // Who holds a session is told, and pauses by itself.
        var scenario = Scenario(preset)
        scenario.play("track", in: "player")
        scenario.play("interrupter", role: interrupter)
        #expect(scenario["track"] == .corked && !scenario.asksPlayer(of: "track"))
        // Another player that takes over asks nobody.
        scenario = Scenario(.phone)
        scenario.play("first", role: "music")
        scenario.play("second", role: "music")
        #expect(scenario["first"] == .corked && !scenario.asksPlayer(of: "first"))
    }

    @Test("N16 R36 the policy says what the switches silence, but never phone and alarm")
    func switchesOfPolicy() {
        let all = Set(Category.allCases)
        let desktop = Policy.desktop
        var preset = desktop
        preset.switches[.silent] = [.playback]
        preset.switches[.locked] = all
        preset.switches[.doNotDisturb] = []
        for (preset, isSilent, expected) in [
            (desktop, true, Heard.free), (desktop, false, .free), (preset, true, .muted), (preset, false, .muted),
        ] {
            var scenario = Scenario(policy: preset)
            scenario.play("browser", for: .seconds(1))
            var switches = Switches()
            if isSilent { switches[.silent] = true } else { switches[.locked] = true }
            scenario.send(.switched(switches))
            #expect(scenario["browser"] == expected)
            scenario.play("wake up", role: "alarm", for: .seconds(1))
            #expect(scenario["wake up"] == .free)
            scenario.play("call", role: "phone", for: .seconds(1))
            #expect(scenario["call"] == .free)
        }
    }

    @Test("R15 R23 another category while active: switches and the lack of a device take effect at once")
    func reconfiguredUnderSwitch() {
        var scenario = Scenario(.desktop)
        scenario.play("sound", in: "app", as: .playback, .mixWithOthers)
        var switches = Switches()
        switches[.silent] = true
        scenario.send(.switched(switches))
        #expect(scenario["sound"] == .free)
        scenario.configure("app", .ambient)
        #expect(scenario["sound"] == .muted)
        scenario.configure("app", .audioProcessing)
        #expect(scenario["sound"] == .corked)
        scenario.configure("app", .playback)
        #expect(scenario["sound"] == .free)
    }

    @Test("R12 R1 a session that is closed neither interrupts its application nor is it interrupted by it")
    func closedWhilePlaying() {
        var scenario = Scenario(.phone)
        scenario.play("sound", in: "app", app: "app")
        scenario.skip(.seconds(1))
        scenario.close("app")
        #expect(scenario.news() == ["inactive app", "active app"])
        #expect(scenario["sound"] == .free && scenario.isRunning("sound"))
    }

    @Test("R9 R2 streams that go to another session of theirs while they are interrupted stay silent")
    func joinedWhileInterrupted() {
        var scenario = Scenario(.phone)
        scenario.play("old", role: "music", for: .seconds(1))
        scenario.play("new", role: "music", for: .seconds(1))
        #expect(scenario["old"] == .corked)
        scenario.open("session", app: "old")
        scenario.configure("session", .playback)
        scenario.move("old", to: "session")
        scenario.advance(.seconds(1))
        #expect(scenario["old"] == .corked && scenario["new"] == .free)
        scenario.close("session")
        scenario.advance(.seconds(1))
        #expect(scenario["old"] == .corked && scenario["new"] == .free)
        scenario.pause("old")
        scenario.want("old")
        #expect(scenario["old"] == .free && scenario["new"] == .corked)
    }

    @Test("R9 who is being silenced and says that it is something else is silenced all the same")
    func configuredWhileSilenced() {
        var scenario = Scenario(.phone)
        scenario.play("track", in: "first")
        scenario.open("second", .playback)
        scenario.activate("second")
        #expect(scenario["track"] == .corked && scenario.state("first").isActive)
        scenario.configure("first", .soloAmbient)
        #expect(scenario["track"] == .corked && scenario.state("second").isActive)
    }

    @Test("R35 R27 who deactivates itself before it is silent is told of no interruption")
    func gaveUpInTime() {
        var scenario = Scenario(.phone)
        scenario.play("track", in: "first")
        scenario.play("music")
        _ = scenario.news()
        scenario.deactivate("first", for: .seconds(1))
        scenario.vanish("music", for: .seconds(1))
        #expect(!scenario.news().contains { $0.hasPrefix("began") || $0.hasPrefix("ended") })
    }

    @Test("R8 who is active already is told so, whoever lets nobody begin")
    func activeAlready() {
        let pair = InterplayRules.Pair(.any, .any)
        let rule = InterplayRules.Rule(playing: Interplay(.mix), newcomer: Interplay(.reject))
        var scenario = Scenario(
            policy: Policy.desktop.with {
                $0.untagged = nil
                $0.interplay = InterplayRules([pair: rule])
            })
        scenario.open("app", .playback)
        scenario.activate("app")
        scenario.open("other")
        scenario.activate("other")
        _ = scenario.news()
        scenario.activate("app")
        #expect(scenario.news() == ["app: done"])
    }

    @Test("N16 a suspended policy touches nobody until its time is over")
    func suspended() {
        var scenario = music()
        scenario.play("call", role: "phone", for: .seconds(1))
        #expect(scenario["music"] == .corked)
        var switches = Switches()
        switches.pausedUntil = scenario.now.advanced(by: .seconds(10))
        scenario.send(.switched(switches))
        #expect(scenario["music"] == .free && scenario["call"] == .free)
        scenario.advance(.seconds(9))
        #expect(scenario["music"] == .free)
        scenario.advance(.seconds(2))
        #expect(scenario["music"] == .corked)
    }

    @Test("R36 R30 an interruption by the system: from ringing to the call without a gap")
    func systemInterruption() throws {
        var scenario = music()
        let ringing = try #require(Role("ringtone").flatMap { Policy.phone.description(ofRole: $0) })
        let call = try #require(Role("phone").flatMap { Policy.phone.description(ofRole: $0) })
        scenario.open("ring", system: ringing)
        scenario.activate("ring", for: .seconds(1))
        #expect(scenario["music"] == .corked)
        scenario.open("call", system: call)
        scenario.activate("call")
        scenario.close("ring")
        _ = scenario.news()
        scenario.advance(.seconds(60))
        #expect(scenario.news() == [])
        scenario.close("call")
        #expect(scenario.news().contains("ended music resume"))
    }

    @Test("R26 R37 what is left alone again goes on at once, and nobody waits for it")
    func leftAlone() {
        var scenario = music()
        scenario.open("memo", .record)
        scenario.appear("recorder", role: "music", capture: true)
        scenario.move("recorder", to: "memo")
        scenario.want("recorder")
        scenario.advance(.seconds(1))
        #expect(scenario["music"] == .corked && scenario["recorder"] == .free)
        _ = scenario.news()
        scenario.leaveAlone("recorder")
        #expect(scenario["recorder"] == .unmanaged && scenario["music"] == .free)
        #expect(scenario.news().contains("ended music resume"))

        scenario.appear("other", role: "music", capture: true)
        scenario.move("other", to: "memo")
        scenario.want("other")
        scenario.deactivate("memo", for: .seconds(1))
        #expect(scenario["other"] == .inactive && !scenario.isRunning("other"))
        _ = scenario.news()
        scenario.leaveAlone("other")
        #expect(scenario.news() == ["free other in 0"])
        #expect(scenario["other"] == .unmanaged && scenario.isRunning("other"))
        scenario.leaveAlone("other")
        #expect(scenario.news() == [])
        scenario.close("memo")
        #expect(scenario["music"] == .free)
    }

    @Test("R31 N17 an interruption by the system that does not go on ends as its role says")
    func systemDoesNotGoOn() {
        var scenario = Scenario(.phone)
        scenario.open("player")
        scenario.activate("player")
        scenario.open(
            "radio", system: SessionDescription(name: "radio", category: .playback, resumption: .never))
        scenario.activate("radio")
        scenario.play("call", role: "phone", for: .seconds(1))
        scenario.pause("call", for: .seconds(1))
        #expect(scenario.news().contains("ended radio resume"))
        scenario.advance(.seconds(10))
        #expect(scenario.news() == ["ended player stay"])
    }

    @Test("R31 who ends by joining the session that it has silenced ends as usual")
    func joinsWhomItSilenced() {
        let soft = SessionDescription(name: "siren", category: .ambient)
        let loud = SessionDescription(name: "siren", category: .playback, priority: .alarm, resumption: .never)
        var scenario = Scenario(policy: .of(soft))
        scenario.play("siren")
        scenario.open("player")
        scenario.activate("player")
        scenario.change(to: .of(loud))
        scenario.advance(.seconds(1))
        #expect(scenario.news().contains("began player by siren"))
        scenario.move("siren", to: "player")
        #expect(scenario.news().contains("ended player stay"))
    }

    @Test("R11 R34 whoever is activated anew may resume, whatever it was notified of before")
    func activatedAfterAnEnd() {
        var scenario = Scenario(.phone)
        scenario.open("song")
        scenario.activate("song")
        scenario.open("radio", system: SessionDescription(name: "radio", category: .playback, priority: .alarm))
        scenario.activate("radio")
        scenario.deactivate("song")
        scenario.request("song", .activate(mayWait: true))
        scenario.close("radio")
        #expect(scenario.state("song").isActive)
        #expect(!scenario.news().contains("ended song stay"))
    }

    @Test("as many kinds of sessions as there may be have room, and a call beside them")
    func kinds() {
        var scenario = Scenario(.desktop)
        let options: [CategoryOptions] = [
            [], .mixWithOthers, .duckOthers, .interruptSpokenAudio, [.mixWithOthers, .duckOthers],
        ]
        for category in [Category.playback, .playAndRecord] {
            for mode in [Mode.default, .spokenAudio, .voicePrompt] {
                for avoids in [true, false] {
                    for option in options {
                        let name = "\(category) \(mode) \(avoids) \(option.rawValue)"
                        scenario.open(name, app: "greedy")
                        scenario.configure(name, .avoidsAlerts(avoids))
                        scenario.configure(name, category, option, mode)
                    }
                }
            }
        }
        #expect(scenario.news().allSatisfy { $0.hasSuffix(": done") })
        // R36: nothing that applications do keeps a call out.
        scenario.open("call", system: SessionDescription(name: "a call", category: .playAndRecord, priority: .phone))
        scenario.activate("call")
        #expect(scenario.news().filter { $0.hasPrefix("call:") } == ["call: done", "call: done"])
    }
}

extension Engine {
    /// How many sessions there are.
    var sessionCountForTests: Int { snapshot.sessions.count }
}
