import Foundation
import PolicyEngine
import Testing

@testable import PolicyFile

/// The fragments that are delivered, over every preset, as they are installed.
@Suite struct FragmentTests {
    static let presets = ["desktop", "phone", "car"]
    static let fragments = ["roles", "applications"]

    /// A folder of policy files that goes when it is no longer used.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("policy-\(UUID().uuidString)")

        /// Installs a preset, chosen in the policy file, and fragments.
        init(preset: String, fragments: [String]) throws {
            let fragmentFolder = url.appendingPathComponent("policy.conf.d")
            try FileManager.default.createDirectory(at: fragmentFolder, withIntermediateDirectories: true)
            try "preset = \(preset)\n".write(
                to: url.appendingPathComponent("policy.conf"), atomically: true, encoding: .utf8)
            for name in FragmentTests.presets {
                try FileManager.default.copyItem(
                    at: Folder.shipped(name), to: url.appendingPathComponent("\(name).conf"))
            }
            for name in fragments {
                try FileManager.default.copyItem(
                    at: Folder.shipped(name), to: fragmentFolder.appendingPathComponent("\(name).conf"))
            }
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        static func shipped(_ name: String) -> URL {
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("policy/\(name).conf")
        }

        var policy: LoadedPolicy { PolicyLoader.load(arguments: nil, layers: Layers(folders: [url.path])) }
    }

    @Test("everything that is delivered loads without a complaint", arguments: presets)
    func everythingThatIsDeliveredLoadsWithout(preset: String) throws {
        let loaded = try Folder(preset: preset, fragments: Self.fragments).policy
        #expect(loaded.diagnostics == [])
        #expect(loaded.files.count == (preset == "car" ? 4 : 3))
    }

    @Test("the roles' fragment changes nothing that a preset says", arguments: presets)
    func rolesFragmentChangesNothingThatPresetSays(preset: String) throws {
        let alone = try Folder(preset: preset, fragments: []).policy.policy
        let both = try Folder(preset: preset, fragments: ["roles"]).policy.policy
        for (role, description) in alone.roles { #expect(both.roles[role] == description, "\(role)") }
        #expect(both.unmanaged.isSuperset(of: alone.unmanaged))
        #expect(both.untagged == alone.untagged)
        #expect(both.untaggedCapture == alone.untaggedCapture)
        #expect(both.interplay == alone.interplay)
        #expect(both.pairing == alone.pairing)
        #expect(both.switches == alone.switches)
    }

    /// What every role of PulseAudio, PipeWire and others is; `nil` is left alone.
    static let roles: [(role: String, name: String?)] = [
        ("video", "video"), ("music", "music"), ("game", "game"), ("event", "notification"), ("phone", "phone"),
        ("animation", "animation"), ("production", nil), ("a11y", "accessibility"), ("test", nil), ("filter", nil),
        ("abstract", nil), ("Movie", "video"), ("Music", "music"), ("Camera", nil), ("Screen", nil),
        ("Communication", "phone"), ("Game", "game"), ("Notification", "notification"), ("DSP", nil),
        ("Production", nil), ("Accessibility", "accessibility"), ("Test", nil), ("Multimedia", "music"),
        ("Navigation", "navigation"), ("Alert", "notification"), ("Alarm", "alarm"), ("Assistant", "prompt"),
        ("Speech-Low", "prompt"), ("Speech-High", "prompt"), ("Emergency", "emergency"), ("Loopback", nil),
        ("Announcement", "announcement"), ("ringtone", "ringtone"), ("speech", "prompt"), ("dtmf", "notification"),
        ("webaudio", "animation"), ("voice-command", "prompt"), ("Custom-Low", "custom-low"),
        ("Custom-High", "custom-high"), ("announce", "announcement"), ("voice-assistant", "prompt"),
        ("Communications", "phone"), ("GameChat", "game-chat"), ("Media", "music"), ("other", "untagged"),
        ("something else", "untagged"),
    ]

    @Test("every role of the servers is known", arguments: presets) func everyRoleOfServersIsKnown(preset: String)
        throws
    {
        let classifier = try Folder(preset: preset, fragments: Self.fragments).policy.classifier
        for (role, name) in Self.roles {
            let found = classifier.classify(direction: .playback) { $0 == "media.role" ? role : nil }
            #expect(found.description?.name == name, "\(role)")
        }
    }

    @Test("N22 who listens to be spoken to is a dictation", arguments: presets)
    func dictation(preset: String) throws {
        let classifier = try Folder(preset: preset, fragments: Self.fragments).policy.classifier
        for role in ["dictation", "Speech-Recognition"] {
            let found = classifier.classify(direction: .capture) { $0 == "media.role" ? role : nil }
            #expect(found.description?.name == "dictation", "\(role)")
        }
    }

    /// A stream of an application.
    struct Stream: Sendable {
        var direction: StreamDirection
        var properties: [String: String]
        /// What it is on the desktop; `nil` is left alone.
        var name: String?
        var mode: Mode?

        init(
            _ direction: StreamDirection, as name: String?, _ mode: Mode? = nil, role: String? = nil,
            binary: String? = nil, calls: String? = nil, title: String? = nil, portal: String? = nil,
            event: String? = nil
        ) {
            self.direction = direction
            self.name = name
            self.mode = mode
            // Streams of PulseAudio have no media.class.
            properties = [:]
            properties["media.role"] = role
            properties["application.process.binary"] = binary
            properties["application.name"] = calls
            properties["media.name"] = title
            properties["pipewire.access.portal.app_id"] = portal
            properties["event.id"] = event
        }
    }

    static let streams: [Stream] = [
        Stream(.playback, as: "phone", binary: "zoom", calls: "ZOOM VoiceEngine"),
        Stream(.capture, as: "phone", binary: "zoom", calls: "ZOOM VoiceEngine"),
        Stream(.capture, as: "phone", portal: "us.zoom.Zoom"),
        Stream(.playback, as: "untagged", portal: "us.zoom.Zoom"),
        Stream(.capture, as: "phone", role: "Game", binary: "telegram-desktop"),
        Stream(.capture, as: "phone", role: "Game", binary: "Telegram"),
        Stream(.capture, as: "phone", role: "Game", portal: "org.telegram.desktop"),
        Stream(.playback, as: "game", role: "Game", binary: "telegram-desktop"),
        Stream(.capture, as: nil, binary: "telegram-desktop-backup"),
        Stream(.capture, as: "phone", binary: "signal-desktop", calls: "ringrtc"),
        Stream(.capture, as: "phone", binary: "signal-desktop", calls: "Chromium input"),
        Stream(.playback, as: "untagged", binary: "signal-desktop", calls: "Chromium"),
        Stream(.capture, as: "phone", binary: "linphone", calls: "Linphone"),
        Stream(.capture, as: "phone", binary: "linphonec", calls: "linphonec"),
        Stream(.capture, as: "phone", binary: "linphone-daemon", calls: "linphone-daemon"),
        Stream(.capture, as: "phone", calls: "ALSA plug-in [linphone-daemon]"),
        Stream(.playback, as: "untagged", binary: "linphonec", calls: "linphonec"),
        Stream(.capture, as: nil, binary: "linphonecsh", calls: "linphonecsh"),
        Stream(.capture, as: "phone", binary: "baresip", calls: "baresip", title: "VoIP Recorder"),
        Stream(.capture, as: "phone", calls: "PipeWire ALSA [baresip]"),
        Stream(.capture, as: "phone", role: "Communication", binary: "baresip"),
        Stream(.playback, as: "untagged", binary: "baresip", calls: "baresip", title: "VoIP Player"),
        Stream(.capture, as: nil, binary: "baresip-meter", calls: "baresip-meter"),
        Stream(.capture, as: "phone", binary: "twinkle", calls: "ALSA plug-in [twinkle]"),
        Stream(.capture, as: "phone", calls: "PipeWire ALSA [twinkle-console]"),
        Stream(.playback, as: "untagged", binary: "twinkle", calls: "ALSA plug-in [twinkle]"),
        Stream(.capture, as: nil, calls: "ALSA plug-in [twinkles]"),
        Stream(.capture, as: "phone", role: "phone", binary: "jamid", calls: "Jami Daemon", title: "Record"),
        Stream(.capture, as: "phone", binary: "jami", calls: "ALSA plug-in [jami]"),
        Stream(.playback, as: "phone", role: "phone", binary: "jami", calls: "Jami Daemon", title: "Playback"),
        Stream(.playback, as: "ringtone", role: "phone", binary: "jami", calls: "Jami Daemon", title: "Ringtone"),
        Stream(.playback, as: "untagged", binary: "player", calls: "Player", title: "Ringtone"),
        Stream(.capture, as: "phone", role: "phone", binary: "gnome-calls"),
        Stream(.playback, as: "phone", role: "phone", binary: "gnome-calls", event: "phone-outgoing-busy"),
        Stream(.capture, as: "phone", binary: "slack", calls: "Chromium input"),
        Stream(.capture, as: "phone", binary: "teams-for-linux", calls: "Chromium input"),
        Stream(.capture, as: "dictation", binary: "handy", calls: "PipeWire ALSA [handy]"),
        Stream(.capture, as: "dictation", calls: "ALSA plug-in [voxtype]"),
        Stream(.capture, as: "dictation", portal: "net.mkiol.SpeechNote"),
        Stream(.playback, as: "untagged", binary: "handy"),
        Stream(.capture, as: nil, calls: "ALSA plug-in [handyman]"),
        Stream(.playback, as: "ringtone", role: "event", event: "phone-incoming-call"),
        Stream(.playback, as: "ringtone", role: "event", binary: "feedbackd", event: "phone-incoming-call"),
        Stream(.playback, as: "ringtone", role: "event", binary: "gjs", event: "phone-incoming-call"),
        Stream(.playback, as: "notification", role: "event", binary: "gjs", event: "phone-outgoing-busy"),
        Stream(.playback, as: "alarm", role: "event", event: "alarm-clock-elapsed"),
        Stream(.playback, as: "alarm", binary: "gnome-clocks", calls: "org.gnome.clocks"),
        Stream(.playback, as: "alarm", portal: "org.gnome.clocks"),
        Stream(.playback, as: "alarm", role: "event", binary: "kalarm"),
        Stream(.playback, as: "alarm", binary: "kalarm", calls: "mpv"),
        Stream(.playback, as: "untagged", binary: "kalarmautostart"),
        Stream(.playback, as: "untagged", portal: "org.gnome.clocksDevel"),
        Stream(.playback, as: "notification", role: "event", event: "bell-terminal"),
        Stream(.capture, as: "untagged-capture", binary: "chromium", calls: "Chromium input"),
        Stream(.capture, as: "untagged-capture", binary: "firefox", calls: "Firefox"),
        Stream(.capture, as: "untagged-capture", portal: "org.mozilla.firefox"),
        Stream(.capture, as: nil, binary: "chromium-meter"),
        Stream(.capture, as: "untagged-capture", binary: "thorium", calls: "Chromium input"),
        Stream(.capture, as: "untagged-capture", binary: "helium", calls: "Chromium input"),
        Stream(.capture, as: nil, binary: "thorium_shell"),
        Stream(.capture, as: "untagged-capture", portal: "com.vivaldi.Vivaldi"),
        Stream(.capture, as: "untagged-capture", portal: "com.opera.Opera"),
        Stream(.capture, as: "untagged-capture", portal: "io.github.ungoogled_software.ungoogled_chromium"),
        Stream(.capture, as: "untagged-capture", binary: "firefox-esr"),
        Stream(.capture, as: "untagged-capture", binary: "firefox-bin"),
        Stream(.capture, as: "untagged-capture", binary: "librewolf"),
        Stream(.capture, as: "untagged-capture", binary: "waterfox-bin"),
        Stream(.capture, as: "untagged-capture", binary: "floorp"),
        Stream(.capture, as: "untagged-capture", binary: "zen"),
        Stream(.capture, as: "untagged-capture", binary: "zen-bin", calls: "Zen"),
        Stream(.capture, as: "untagged-capture", binary: "mullvadbrowser.real"),
        Stream(.capture, as: nil, binary: "zenity"),
        Stream(.capture, as: nil, binary: "mullvadbrowser-real"),
        Stream(.capture, as: "untagged-capture", portal: "app.zen_browser.zen"),
        Stream(.capture, as: "untagged-capture", portal: "one.ablaze.floorp"),
        Stream(.capture, as: "untagged-capture", portal: "net.waterfox.waterfox"),
        Stream(.capture, as: "untagged-capture", portal: "net.mullvad.MullvadBrowser"),
        Stream(.capture, as: nil, portal: "app.zen-browser.zen"),
        Stream(.playback, as: "untagged", binary: "firefox", calls: "Firefox"),
        Stream(.playback, as: "untagged", .gameChat, binary: "Discord", calls: "WEBRTC VoiceEngine"),
        Stream(.playback, as: "untagged", .gameChat, calls: "WEBRTC VoiceEngine", portal: "com.discordapp.Discord"),
        Stream(.playback, as: "untagged", .default, binary: "Discord", calls: "Chromium"),
        Stream(.playback, as: "untagged", .default, binary: "something", calls: "WEBRTC VoiceEngine"),
        Stream(.playback, as: "game", .gameChat, role: "Communication", binary: "mumble", calls: "Mumble"),
        Stream(.capture, as: "game", .gameChat, role: "Communication", binary: "mumble", calls: "Mumble"),
        Stream(.playback, as: "accessibility", binary: "sd_espeak-ng", calls: "speech-dispatcher-espeak-ng"),
        Stream(.playback, as: "accessibility", role: "Accessibility", calls: "speech-dispatcher"),
        Stream(.playback, as: "video", binary: "mpv", calls: "mpv Media Player"),
        Stream(.playback, as: "music", role: "music", binary: "mpv"),
        Stream(.playback, as: "video", role: "Game", binary: "ffplay", calls: "ffplay"),
        Stream(.playback, as: "video", binary: "ffplay", calls: "ffplay"),
        Stream(.playback, as: "game", role: "Game", binary: "supertuxkart"),
    ]

    @Test("an application's stream is what it is for", arguments: streams) func applicationsStreamIsWhatItIsFor(
        stream: Stream
    ) throws {
        let classifier = try Folder(preset: "desktop", fragments: Self.fragments).policy.classifier
        let found = classifier.classify(direction: stream.direction) { stream.properties[$0] }
        #expect(found.description?.name == stream.name, "\(found.steps.map(\.text))")
        if let mode = stream.mode { #expect(found.description?.mode == mode) }
    }
}
