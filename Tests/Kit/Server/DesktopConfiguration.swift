import Foundation

extension PrivateDesktop {
    /// The folder of PipeWire's own modules, to be listed next to ours.
    static func moduleFolder() throws -> String {
        try libraryFolder("pipewire-0.3", with: "libpipewire-module-protocol-native.so")
    }

    /// The folder of PipeWire's own plugins.
    static func pluginFolder() throws -> String {
        try libraryFolder("spa-0.2", with: "support/libspa-support.so")
    }

    private static func libraryFolder(_ name: String, with file: String) throws -> String {
        let files = FileManager.default
        let roots = ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
        let multiarch = (try? files.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        for root in roots + multiarch.map({ "/usr/lib/\($0)" }) {
            let folder = "\(root)/\(name)"
            if files.fileExists(atPath: "\(folder)/\(file)") { return folder }
        }
        throw SystemError(code: ENOENT, context: "find PipeWire's \(file)")
    }

    /// Keeps WirePlumber away from the machine's sound cards, cameras and Bluetooth, which belong to the machine's
    /// user, and from asking logind for a seat, which may not exist. Lua up to 0.4, a profile since 0.5.
    static let withoutHardware = [
        "wireplumber/main.lua.d/60-private-desktop.lua": """
        alsa_monitor.enabled = false
        v4l2_monitor.enabled = false
        libcamera_monitor.enabled = false
        """,
        "wireplumber/bluetooth.lua.d/60-private-desktop.lua": "bluez_monitor.enabled = false",
        "wireplumber/wireplumber.conf.d/60-private-desktop.conf": """
        wireplumber.profiles = {
            main = {
                hardware.audio = disabled
                hardware.bluetooth = disabled
                hardware.video-capture = disabled
            }
        }
        """,
    ]

    /// Has WirePlumber look for sound cards again. What it finds are ours, because our plugin for ALSA takes the place of
    /// the real one.
    ///
    /// The headroom is stated in any case: WirePlumber has another default in a virtual machine.
    static func withCards(headroom: Int) -> [String: String] {
        [
            "wireplumber/main.lua.d/62-cards.lua": """
            alsa_monitor.enabled = true
            alsa_monitor.properties["alsa.midi"] = false
            alsa_monitor.properties["vm.node.defaults"] = nil
            table.insert(alsa_monitor.rules, {
              matches = { { { "node.name", "matches", "alsa_output.*" } } },
              apply_properties = { ["api.alsa.headroom"] = \(headroom) },
            })
            """,
            "wireplumber/wireplumber.conf.d/62-cards.conf": """
            wireplumber.profiles = {
                main = {
                    hardware.audio = required
                    monitor.alsa-midi = disabled
                }
            }
            monitor.alsa.rules = [
                {   matches = [ { node.name = "~alsa_output.*" } ]
                    actions = { update-props = { api.alsa.headroom = \(headroom) } } }
            ]
            """,
        ]
    }

    /// Has WirePlumber forget the volumes that streams had, for ``DesktopOptions/configurationFiles``. Otherwise a stream has
    /// the volume that was set for another one of its application or role.
    public static let withoutMemory = [
        "wireplumber/main.lua.d/60-no-memory.lua": "stream_defaults.properties[\"restore-props\"] = false",
        "wireplumber/wireplumber.conf.d/60-no-memory.conf":
            "wireplumber.settings = { node.stream.restore-props = false }",
    ]

    /// WirePlumber's own role policy, for ``DesktopOptions/configurationFiles``: endpoints in Lua for 0.4 (from the
    /// comment in its configuration), and loopbacks since 0.5 (from its manual).
    public static let rolePolicy = [
        "wireplumber/policy.lua.d/60-roles.lua": """
        default_policy.policy.roles = {
          ["Multimedia"] = { ["alias"] = { "Movie", "Music", "Game" }, ["priority"] = 25,
                             ["action.default"] = "cork" },
          ["Communication"] = { ["priority"] = 75, ["action.default"] = "cork",
                                ["action.Communication"] = "mix" },
        }
        default_policy.endpoints = {
          ["endpoint.multimedia"] = { ["media.class"] = "Audio/Sink", ["role"] = "Multimedia" },
          ["endpoint.communication"] = { ["media.class"] = "Audio/Sink", ["role"] = "Communication" },
        }
        """,
        "wireplumber/wireplumber.conf.d/60-roles.conf": """
        wireplumber.profiles = { main = { policy.linking.role-based.loopbacks = required } }
        wireplumber.components = [
            { type = virtual
              provides = policy.linking.role-based.loopbacks
              requires = [ loopback.sink.role.multimedia, loopback.sink.role.communication ] }
            { type = pw-module
              name = libpipewire-module-loopback
              provides = loopback.sink.role.multimedia
              requires = [ support.export-core, pw.node-factory.adapter ]
              arguments = {
                  node.name = "loopback.sink.role.multimedia"
                  capture.props = {
                      media.class = Audio/Sink
                      policy.role-based.target = true
                      device.intended-roles = [ "Movie", "Music", "Game" ]
                      policy.role-based.priority = 25
                      policy.role-based.action.lower-priority = "cork"
                  }
                  playback.props = { node.passive = true, media.role = "Loopback" }
              } }
            { type = pw-module
              name = libpipewire-module-loopback
              provides = loopback.sink.role.communication
              requires = [ support.export-core, pw.node-factory.adapter ]
              arguments = {
                  node.name = "loopback.sink.role.communication"
                  capture.props = {
                      media.class = Audio/Sink
                      policy.role-based.target = true
                      device.intended-roles = [ "Communication" ]
                      policy.role-based.priority = 75
                      policy.role-based.action.lower-priority = "cork"
                  }
                  playback.props = { node.passive = true, media.role = "Loopback" }
              } }
        ]
        """,
    ]

    /// Writes the drop-in files: the null sink, the quantum, the modules, and the additions in the options.
    func writeConfiguration() throws {
        let quantum = options.quantum
        var fragments = options.pipeWireFragments
        fragments["10-test-clock.conf"] = """
            context.properties = {
                default.clock.rate = 48000
                default.clock.quantum = \(quantum.standard)
                default.clock.min-quantum = \(quantum.minimum)
                default.clock.max-quantum = \(quantum.maximum)
            }
            """
        if options.hasNullSink { fragments["20-test-sink.conf"] = nullSink }
        for (number, module) in options.modules.enumerated() where !module.isLate {
            fragments["5\(number)-\(module.name).conf"] = module.dropIn
        }
        for (name, text) in fragments {
            try sandbox.write(text, to: "home/.config/pipewire/pipewire.conf.d/\(name)")
        }
        for (name, text) in options.pulseFragments {
            try sandbox.write(text, to: "home/.config/pipewire/pipewire-pulse.conf.d/\(name)")
        }
        var files = PrivateDesktop.withoutHardware
        if let volume = options.routeVolume {
            files["wireplumber/main.lua.d/61-route-volume.lua"] =
                "device_defaults.properties[\"default-volume\"] = \(volume)"
            files["wireplumber/wireplumber.conf.d/61-route-volume.conf"] =
                "wireplumber.settings = { device.routes.default-sink-volume = \(volume) }"
        }
        if options.cardOwner == .manager {
            files.merge(PrivateDesktop.withCards(headroom: options.cardHeadroom)) { $1 }
        }
        for (path, text) in files.merging(options.configurationFiles, uniquingKeysWith: { $1 }) {
            try sandbox.write(text, to: "home/.config/\(path)")
        }
    }

    private var nullSink: String {
        """
        context.objects = [
            { factory = adapter
              args = {
                  factory.name = support.null-audio-sink
                  node.name = \(sinkName)
                  node.description = "\(sinkName)"
                  media.class = Audio/Sink
                  audio.rate = 48000
                  audio.position = [ FL FR ]
                  \(options.nullSinkPriority.map { "priority.session = \($0)" } ?? "")
                  object.linger = true
              } }
        ]
        """
    }
}
