import DBus
import Foundation
import HostSupport
import TestKit
import Testing

/// What the log says of the policy's files.
@Suite struct PolicyKeeperTests {
    /// In a process of its own, which may not open anything more after a while.
    @Test func unnoticed() async throws {
        guard !OwnProcess.isHere else { return watch() }
        let told = try await OwnProcess.run("PolicyKeeperTests/unnoticed")
        #expect(told.count == 3 && told.first == "watched" && told.last == "watched")
        #expect(told.dropFirst().first?.hasPrefix("changes of the policy files will not be noticed") == true)
    }

    /// Watches files while descriptors are left, and while none are.
    private func watch() {
        let loop = PollLoop()
        let folder = FileManager.default.temporaryDirectory.path
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        for descriptors in [limit.rlim_cur, 0] {
            let keeper = PolicyKeeper(arguments: "{ policy = \"\(folder)/no-policy.conf\" }") { OwnProcess.tell($1) }
            var changed = limit
            changed.rlim_cur = descriptors
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &changed)
            keeper.watch(on: loop) { _ in false }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            OwnProcess.tell("watched")
        }
    }
}
