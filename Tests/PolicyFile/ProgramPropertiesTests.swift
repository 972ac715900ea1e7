import PolicyFile
import Testing

/// By which properties a rule tells a program from others.
@Suite struct ProgramPropertiesTests {
    @Test(
        "the strongest property names a program; what runs others goes together with the name that it has said",
        arguments: [
            (
                [
                    "pipewire.access.portal.app_id": "org.example.Talk", "application.process.binary": "talk",
                    "application.name": "Talk",
                ], ["pipewire.access.portal.app_id=org.example.Talk"]
            ),
            (["application.process.binary": "mpv", "application.name": "Film"], ["application.process.binary=mpv"]),
            (
                ["application.process.binary": "paplay", "application.name": "Amarok", "node.name": "x"],
                ["application.process.binary=paplay", "application.name=Amarok"]
            ),
            (
                ["application.process.binary": "python3.11", "application.name": "python3.11", "node.name": "radio"],
                ["application.process.binary=python3.11", "node.name=radio"]
            ),
            (
                ["application.process.binary": "wine64-preloader", "application.name": "game.exe"],
                ["application.process.binary=wine64-preloader", "application.name=game.exe"]
            ),
            (
                ["application.process.binary": "python3", "application.name": "python3", "media.name": "Song"],
                ["application.process.binary=python3"]
            ),
            (["application.process.binary": "monophony"], ["application.process.binary=monophony"]),
            (["application.name": "PipeWire ALSA [x]", "media.name": "y"], ["application.name=PipeWire ALSA [x]"]),
            (["application.name": "", "media.name": "Song"], ["media.name=Song"]), ([:], []),
        ] as [([String: String], [String])])
    func strongest(properties: [String: String], expected: [String]) {
        #expect(ProgramProperties.strongest { properties[$0] }.map { "\($0.key)=\($0.value)" } == expected)
    }
}
