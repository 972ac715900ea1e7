import Foundation
import PolicyFile
import Testing

/// Which changes of files make the policy be read again.
@Suite struct WatchTests {
    /// What somebody does to a folder in which `policy.conf` is, and whether that concerns the policy.
    private static let changes: [(name: String, matters: Bool, change: @Sendable (URL) throws -> Void)] = [
        ("a file is written over", true, { try Data("{ }".utf8).write(to: $0.appending(path: "policy.conf")) }),
        ("a file appears", true, { try Data().write(to: $0.appending(path: "other.conf")) }),
        ("a file goes", true, { try FileManager.default.removeItem(at: $0.appending(path: "policy.conf")) }),
        (
            "an editor's new file takes the place of the old one", true,
            { folder in
                let new = folder.appending(path: "policy.conf.new")
                try Data("{ }".utf8).write(to: new)
                guard rename(new.path, folder.appending(path: "policy.conf").path) == 0 else { throw POSIXError(.EIO) }
            }
        ),
        ("a file of another kind appears", false, { try Data().write(to: $0.appending(path: "policy.txt")) }),
        ("a file is only read", false, { _ = try Data(contentsOf: $0.appending(path: "policy.conf")) }),
    ]

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try body(folder)
    }

    @Test("a change that concerns the policy is noticed", arguments: changes.indices)
    func changeThatConcernsPolicyIsNoticed(index: Int) throws {
        let (name, matters, change) = Self.changes[index]
        try inFolder { folder in
            try Data().write(to: folder.appending(path: "policy.conf"))
            let watch = FolderWatch([folder.path])
            #expect(!watch.consumeChange())
            try change(folder)
            #expect(watch.consumeChange() == matters, "\(name)")
            #expect(!watch.consumeChange(), "\(name)")
        }
    }

    /// The file is moved from a folder that is not watched, so that its arrival is all that there is to notice.
    @Test("a file that is moved into a folder is noticed") func fileThatIsMovedIntoFolderIsNoticed() throws {
        try inFolder { folder in
            let watched = folder.appending(path: "watched")
            try FileManager.default.createDirectory(at: watched, withIntermediateDirectories: true)
            let new = folder.appending(path: "policy.conf")
            try Data().write(to: new)
            let watch = FolderWatch([watched.path])
            #expect(rename(new.path, watched.appending(path: "policy.conf").path) == 0)
            #expect(watch.consumeChange())
        }
    }

    @Test("a folder that is made later is watched from then on") func folderThatIsMadeLaterIsWatchedFromThenOn() throws
    {
        try inFolder { folder in
            let later = folder.appending(path: "audio-session/policy.conf.d")
            var watch = FolderWatch([later.path])
            try FileManager.default.createDirectory(
                at: folder.appending(path: "other"), withIntermediateDirectories: true)
            #expect(!watch.consumeChange())
            try FileManager.default.createDirectory(at: later, withIntermediateDirectories: true)
            #expect(watch.consumeChange())
            watch.update(with: watch.search.run())
            try Data().write(to: later.appending(path: "10-own.conf"))
            #expect(watch.consumeChange())
        }
    }
}
