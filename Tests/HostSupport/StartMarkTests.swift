import Foundation
import Testing

@testable import HostSupport

@Suite struct StartMarkTests {
    /// A process that has ended, and that nobody can be again: its beginning is another one.
    private let gone = "4194304 1"

    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "start-mark-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body("\(folder)/audio-session-test.starting")
    }

    private func mark(
        _ path: String, module: String = "/module.so 1 2 3", release: String = "Server 1.0", process: Int32 = getpid()
    ) -> StartMark {
        StartMark(path: path, module: module, release: release, process: process)
    }

    private func leave(_ lines: String..., at path: String) throws {
        try lines.map { $0 + "\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
    }

    @Test("there is nothing before the first start, and nothing after one that is through")
    func thereIsNothingBeforeFirstStartAndNothing() throws {
        try inFolder { path in
            var mark = mark(path)
            #expect(mark.find() == .clear)
            let isWritten = mark.write()
            #expect(isWritten)
            #expect(FileManager.default.fileExists(atPath: path))
            mark.remove()
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(mark.find() == .clear)
        }
    }

    @Test("what a process has left that is no more was not survived")
    func whatProcessHasLeftThatIsNoMoreWasNotSurvived() throws {
        try inFolder { path in
            try leave("/module.so 1 2 3", "Server 1.0", gone, at: path)
            #expect(mark(path).find() == .leftover)
            #expect(mark(path).complaint.contains("remove \(path)"))
        }
    }

    @Test("a process that has the same number and began at another moment is another one")
    func processThatHasSameNumberAndBeganAtAnother() throws {
        try inFolder { path in
            try leave("/module.so 1 2 3", "Server 1.0", "\(getpid()) 1", at: path)
            #expect(mark(path).find() == .leftover)
        }
    }

    @Test("what a living process has begun is its own, and stays") func whatLivingProcessHasBegunIsItsOwnAndStays()
        throws
    {
        try inFolder { path in
            var first = mark(path)
            let isBegun = first.write()
            #expect(isBegun)
            var second = mark(path)
            #expect(second.find() == .otherStart)
            let isTaken = second.write()
            #expect(!isTaken)
            second.remove()
            #expect(FileManager.default.fileExists(atPath: path))
            // A stream may come later.
            let isBegunAgain = first.write()
            #expect(isBegunAgain)
            first.remove()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("another module file or another release of the server gets its chance")
    func anotherModuleFileOrAnotherReleaseOfServer() throws {
        try inFolder { path in
            try leave("/module.so 1 2 3", "Server 1.0", gone, at: path)
            #expect(mark(path, module: "/module.so 1 2 4").find() == .clear)
            #expect(mark(path, release: "Server 1.1").find() == .clear)
            var newer = mark(path, release: "Server 1.1")
            let isWritten = newer.write()
            #expect(isWritten)
            newer.remove()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(
        "a file that says nothing counts for nothing",
        arguments: [
            "", "\n", "/module.so 1 2 3", "/module.so 1 2 3\nServer 1.0\n", "/module.so 1 2 3\nServer 1.0\n1\n",
        ])
    func fileThatSaysNothingCountsForNothing(text: String) throws {
        try inFolder { path in
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(mark(path).find() == .clear)
        }
    }

    @Test("a file that is too long, and a link to another one, count for nothing, and are not followed")
    func fileThatIsTooLongAndLinkToAnotherOneCount() throws {
        try inFolder { path in
            try leave("/module.so 1 2 3", "Server 1.0", gone + String(repeating: " ", count: 9000), at: path)
            #expect(mark(path).find() == .clear)
            try FileManager.default.removeItem(atPath: path)
            let target = path + ".target"
            try leave("/module.so 1 2 3", "Server 1.0", gone, at: target)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            var mark = mark(path)
            #expect(mark.find() == .clear)
            let isWritten = mark.write()
            #expect(!isWritten)
            #expect(try String(contentsOfFile: target, encoding: .utf8).contains("4194304"))
        }
    }

    @Test("without a runtime folder there is no mark") func withoutRuntimeFolderThereIsNoMark() {
        let file = "/module.so"
        #expect(StartMark(server: "test", release: "1", file: file, folder: nil) == nil)
        #expect(StartMark(server: "test", release: "1", file: file, folder: "run") == nil)
        #expect(StartMark(server: "test", release: "1", file: nil, folder: "/run") == nil)
        var mark = StartMark(server: "test", release: "1", file: file, folder: "/nowhere/at/all")
        #expect(mark?.find() == .clear)
        let isWritten = mark?.write()
        #expect(isWritten == false)
    }
}
