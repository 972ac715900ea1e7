public import PolicyEngine

extension SessionDescription: Keyed {
    /// The keys of a role, of streams without a role, and of what a rule changes.
    package static let keys: [PolicyKey<SessionDescription>] =
        [
            PolicyKey("category", .word("a category"), \.category, "What the sound is for."),
            PolicyKey("options", .options, \.options, "What the category leaves open."),
            PolicyKey("mode", .word("a mode"), \.mode, "What kind of sound it is within its category."),
            PolicyKey("priority", .priority, \.priority, "How strongly it claims the right to be heard."),
        ] + Ducking.keys(\.ducking, in: "duck") { $0.ducksOthers } + [
            PolicyKey(
                // Shorter fades would click.
                "fade", .time(from: 10), \.fade,
                "How long others take to fade out and in when it interrupts them; at least 10."),
            PolicyKey(
                "handover", .word("a handover"), \.handover, "Whether it starts at once, or when the others are silent."
            ),
            PolicyKey(
                "resume", .word("when others resume"), \.resumption,
                "Whether those that it interrupted go on by themselves afterwards."),
            PolicyKey(
                "release-delay", .time(), \.releaseDelay,
                "How long it counts as playing after its last stream has ended, so that short gaps make no difference."),
            PolicyKey("interruptible", .truth, \.isInterruptible, "Whether others may stop it."),
            PolicyKey(
                "pause-player", .truth, \.pausesPlayer,
                "Whether its media player is asked to pause, for calls and alarms, and when its output goes."),
            PolicyKey(
                "volume", .gain, \.level,
                "The level of its streams, on top of the volume that their user has set, which it does not change.",
                isShown: { $0.level != Decibels(0) }),
            PolicyKey(
                "output", .output, \.output, "Where its streams are heard while such an output is in use.",
                isShown: { $0.output != nil }),
            PolicyKey(
                "acts-while", .choice("when it does something to others", ("playing", false), ("sounding", true)),
                \.actsWhileSounding, "When it interrupts or lowers others.", isShown: { $0.actsWhileSounding }),
            PolicyKey(
                "capture-pairing", .truth, \.isPaired,
                "In rules, for streams without a role: their application is in a call while it plays and records such "
                    + "streams at the same time.",
                isShown: { $0.isPaired }),
        ]
}

extension Policy: Keyed {
    /// All sections of a policy file, and the keys of those that have nothing but keys.
    package static let keys: [PolicyKey<Policy>] =
        [PolicyKey(section: "preset", "The policy that all files change.")] + Ducking.keys(\.ducking, in: "duck") + [
            PolicyKey(
                section: "untagged",
                "The description of a stream that plays and has no role, an unknown role, or a role that only records."),
            PolicyKey(section: "untagged-capture", "The same for a stream that records."),
            PolicyKey(
                "capture-pairing", .pairing, \.pairing,
                "The role that an application has while it plays and records at the same time, without a role for "
                    + "either."),
            PolicyKey(
                "call-after", .time(), \.callAfter,
                "How long a recording lasts before it makes a call, by its role or by capture-pairing."),
            PolicyKey(section: "roles", "The descriptions of streams by their role."),
            PolicyKey(
                section: "interplay",
                "What two descriptions do to each other, where this differs from what follows from their categories and "
                    + "priorities."),
        ]
        + Switch.allCases.map { one in
            PolicyKey(
                one.policyWord, in: "switches", .categories, \.switches[one], "While \(one.sentence).")
        } + [
            PolicyKey(
                "pause-on-disconnect", in: "routes", .yesOrNo, \.routes.pausesPlayback,
                "Whether playback stops at once when its output disappears."),
            PolicyKey(
                "resume-within", in: "routes", .time(), \.routes.resumesWithin,
                "If the same output is back within this time, playback goes on there by itself."),
            PolicyKey(
                "stop-recording", in: "routes", .word("what stops a recording"), \.routes.stopsRecording,
                "Which changes of the route stop what is being recorded."),
            PolicyKey(
                // An application may ask its user before it resumes, and the user may take minutes.
                "resume-within", in: "interruptions", .time(to: 600), \.interruptions.resumesWithin,
                "How long a session that was told to go on keeps its own victims silent while its application does "
                    + "nothing."),
            PolicyKey(
                "play", in: "user", .userSay, \.user.play,
                "When the application plays the stream again, 300 ms or more after pausing it."),
            PolicyKey(
                "unmute", in: "user", .userSay, \.user.unmute,
                "When the stream is unmuted, or its volume is no longer zero."),
            PolicyKey(
                "raise", in: "user", .userSay, \.user.raise,
                "When the stream is turned up, a second or more after it has appeared."),
            PolicyKey(
                "muted", .word("what muted streams do to others"), \.muted,
                "What a stream does to others while its user or application has muted it, or has its volume at zero."),
            PolicyKey(
                "above", in: "sounding", .gain, \.sounding.above, "The lowest peak that counts, relative to full scale."
            ),
            PolicyKey(
                "hold", in: "sounding", .time(), \.sounding.hold,
                "How long a sound lasts beyond its last such peak, so that a pause between two words does not end it."),
            PolicyKey(section: "zones", "Groups of outputs."),
            PolicyKey(
                "notify", .notified, \.notified,
                "What people are told of by a notification on the desktop, without a sound."),
            PolicyKey(
                "stock-modules", .word("what becomes of other modules"), \.stockModules,
                "What to do with module-role-cork and module-role-ducking, the modules of a PulseAudio daemon that stop or "
                    + "lower streams by their roles."),
            PolicyKey(
                section: "claims", "Which programs may set a role that has the priority of phone."),
            PolicyKey(section: "rules", "Changes for streams with certain properties."),
        ]
}

/// What a rule for a pair of descriptions says, as policy files do.
package struct PairKeys: Keyed, Equatable {
    /// What the actor does to another that was there before it, and to one that begins while the actor is heard.
    var kind: Interplay.Kind?
    var newcomer: Interplay.Kind?
    var ducking = Ducking()
    var fade = Duration.zero

    package static let keys: [PolicyKey<PairKeys>] =
        [
            PolicyKey("kind", .interplay, \.kind, "What ACTOR does to an OTHER that was there before it."),
            PolicyKey(
                "newcomer", .interplay, \.newcomer, "What ACTOR does to an OTHER that begins while ACTOR is heard."),
        ] + Ducking.keys(\.ducking, in: nil) + [
            PolicyKey(
                "fade", .time(from: 10), \.fade, "How long the other takes to fade out and in, at least 10.")
        ]
}

extension Ducking {
    /// The keys of how others are lowered.
    ///
    /// - Parameters:
    ///   - ducking: The field of the subject.
    ///   - section: The object that the keys are in; `nil` if they are beside others.
    ///   - isShown: Whether the values of a subject have an effect.
    fileprivate static func keys<Subject>(
        _ ducking: any WritableKeyPath<Subject, Ducking> & Sendable, in section: String?,
        isShown: @escaping @Sendable (Subject) -> Bool = { _ in true }
    ) -> [PolicyKey<Subject>] {
        func key<Value>(
            _ word: String, _ form: ValueForm<Value>, _ field: any WritableKeyPath<Ducking, Value> & Sendable,
            _ help: String
        ) -> PolicyKey<Subject> {
            PolicyKey(word, in: section, form, of: ducking, field, help, isShown: isShown)
        }
        return [
            key("gain", .gain, \.gain, "The level of the others, relative to their own volume."),
            key("attack", .time(), \.attack, "How long the fade down takes."),
            key(
                "hold", .time(), \.hold,
                "How long others stay lowered after the last stream of the session that lowers them has ended."),
            key("release", .time(), \.release, "How long the fade back takes."),
        ]
    }
}
