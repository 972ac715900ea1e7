import Foundation
import SessionTestKit
import Testing

/// Programs in sandboxes as Flatpak makes them: with bubblewrap, its own processes and files, and a description at the root.
extension LiveModule {
    @Test(
        "N18 N20 out of a sandbox, a call silences the music if the sandbox may record",
        arguments: ClientProgram.interrupters)
    func callFromSandbox(program: ClientProgram) async throws {
        try await LiveDesktop.run { desk in
            _ = try await desk.playMusic()
            // What reaches PipeWire's server for clients of PulseAudio may record in any case.
            if program == .plain {
                // What it says of itself makes no difference.
                let lies = ["pipewire.access.portal.app_id": "org.example.Other", "pipewire.sec.pid": "1"]
                for properties in [[:], lies] {
                    let call = try desk.call(
                        from: "org.example.Silent", "shared=network;", with: program, properties: properties)
                    try await desk.hear(LiveDesktop.interrupter)
                    try await desk.log.wait(forLineContaining: "org.example.Silent may not claim the priority of phone")
                    try await desk.hearMusicOn()
                    try await desk.end(call)
                }
            }
            let call = try desk.call(from: "org.example.Softphone", "sockets=x11;pulseaudio;", with: program)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await desk.end(call)
            try await desk.hear(LiveDesktop.music)
        }
    }

    @Test(
        "N20 out of a sandbox, a call silences the music if a policy file names it, whether it may record or not",
        arguments: ClientProgram.interrupters)
    func callFromNamedSandbox(program: ClientProgram) async throws {
        let policy = "claims = { phone = { allow = [ { pipewire.access.portal.app_id = org.example.Named } ] } }"
        try await LiveDesktop.run(policy: policy) { desk in
            _ = try await desk.playMusic()
            let other = try desk.call(from: "org.example.Softphone", "sockets=x11;pulseaudio;", with: program)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.log.wait(forLineContaining: "org.example.Softphone may not claim the priority of phone")
            try await desk.hearMusicOn()
            try await desk.end(other)
            let call = try desk.call(from: "org.example.Named", "shared=network;", with: program)
            try await desk.hear(LiveDesktop.interrupter)
            try await desk.hearNothing(of: LiveDesktop.music)
            try await desk.end(call)
            try await desk.hear(LiveDesktop.music)
        }
    }
}

extension LiveDesktop {
    /// Plays the interrupter's tone as a call, in a sandbox.
    fileprivate func call(
        from application: String, _ context: String, with program: ClientProgram, properties: [String: String] = [:]
    ) throws -> ChildProcess {
        let start = try invocation(
            LiveDesktop.interrupter, with: program, as: "telephone", role: .phone, properties: properties)
        return try sandbox.start(application, try sandboxed(start, application, context))
    }

    /// Ends a call, and waits until it is not heard any more.
    fileprivate func end(_ call: ChildProcess) async throws {
        call.signal(SIGTERM)
        try await call.waitForExit()
        try await hearNothing(of: LiveDesktop.interrupter)
    }

    /// Checks that the music is heard from now on for a second.
    fileprivate func hearMusicOn() async throws {
        try await expect(LiveDesktop.music, at: LiveDesktop.full, during: .seconds(1))
    }

    /// The same program, run in a sandbox of an application of which Flatpak says what is in `context`
    /// (flatpak-metadata(5)).
    fileprivate func sandboxed(_ start: Invocation, _ application: String, _ context: String) throws -> Invocation {
        let name = "\(application)-\(UUID().uuidString.prefix(6)).flatpak-info"
        try sandbox.write(
            """
            [Application]
            name=\(application)

            [Instance]
            instance-id=\(UInt32.random(in: 1...UInt32.max))

            [Context]
            \(context)

            """, to: name)
        var arguments = ["--die-with-parent", "--unshare-pid", "--proc", "/proc", "--dev-bind", "/dev", "/dev"]
        for folder in ["/usr", "/etc"] { arguments += ["--ro-bind", folder, folder] }
        for name in ["lib", "lib64", "bin"] { arguments += ["--symlink", "usr/\(name)", "/\(name)"] }
        let home = String(sandbox.path("").dropLast())
        arguments += ["--bind", home, home, "--ro-bind", sandbox.path(name), "/.flatpak-info", "--", start.executable]
        return Invocation("bwrap", arguments + start.arguments, environment: start.environment)
    }
}
