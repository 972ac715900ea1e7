import Foundation
import Testing

@testable import DesktopServices
@testable import PolicyRuntime

/// What the desktop calls an application (N18).
@Suite struct DesktopFileTests {
    private let file = """
        # Comment
        Name=before all groups
        [Desktop Entry]
        Type=Application
        Name=Files
        Name[de]=Dateien
        Name[de_AT] = Akten\t
        Name[fr]=
        NameOfNothing=x
        GenericName=File Manager
        [Desktop Action new-window]
        Name=New Window
        Name[it]=Nuova finestra
        """

    @Test(
        "the name is that of the application, in the best language there is",
        arguments: [
            ([], "Files"), (["de"], "Dateien"), (["de_AT", "de"], "Akten"), (["de_CH", "de"], "Dateien"),
            (["it"], "Files"),
            (["fr"], "Files"),
        ])
    func nameIsThatOfApplicationInBestLanguageThereIs(languages: [String], title: String) {
        #expect(DesktopFile.title(in: Array(file.utf8), languages: languages) == title)
        let windows = file.replacingOccurrences(of: "\n", with: "\r\n")
        #expect(DesktopFile.title(in: Array(windows.utf8), languages: languages) == title)
    }

    @Test(
        "what has no name has none",
        arguments: [
            "", "[Desktop Entry]", "[Desktop Entry]\nName=", "Name=a", "[Desktop Action a]\nName=a", "=\n[\n",
        ])
    func whatHasNoNameHasNone(text: String) {
        #expect(DesktopFile.title(in: Array(text.utf8), languages: ["de"]) == nil)
    }

    @Test(
        "a locale has a language, and perhaps a country",
        arguments: [
            ("de_AT.UTF-8@euro", ["de_AT", "de"]), ("de", ["de"]), ("C.UTF-8", []), ("POSIX", []), ("", []),
            ("C", []), ("sr_RS@latin", ["sr_RS", "sr"]),
        ])
    func localeHasLanguageAndPerhapsCountry(locale: String, languages: [String]) {
        #expect(DesktopFile.languages(of: locale) == languages)
    }

    @Test("the first folder that has the file counts, if it answers at once")
    func firstFolderThatHasFileCountsIfItAnswers() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["proc/self", "a", "b"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        func write(_ text: String, _ path: String) throws {
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(path)"))
        }
        try write("[Desktop Entry]\nName=First\n", "a/one.desktop")
        try write("[Desktop Entry]\nName=Second\n", "b/one.desktop")
        try write("[Desktop Entry]\nName=Other\nName[de]=Andere\n", "b/two.desktop")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/a/three.desktop", withDestinationPath: "\(folder)/b/two.desktop")
        let tree = LinuxProcessTree(
            root: "\(folder)/proc", entries: ["\(folder)/a", "\(folder)/b"], languages: ["de"])
        #expect(tree.title(ofDesktopEntry: "one") == nil, "nothing is known of where that is")
        let root = "64 42 0:39 / / rw - ext4 /dev/vda rw\n"
        try write(root, "proc/self/mountinfo")
        #expect(tree.title(ofDesktopEntry: "one") == "First")
        #expect(tree.title(ofDesktopEntry: "two") == "Andere")
        #expect(tree.title(ofDesktopEntry: "three") == "Andere")
        for name in ["four", "", "../b/one", ".", "one\u{0}"] {
            #expect(tree.title(ofDesktopEntry: name) == nil)
        }
        try write(root + "65 64 0:40 / \(folder)/a rw - fuse.slow slow rw\n", "proc/self/mountinfo")
        #expect(tree.title(ofDesktopEntry: "one") == "Second")
        #expect(tree.title(ofDesktopEntry: "three") == nil)
    }
}
