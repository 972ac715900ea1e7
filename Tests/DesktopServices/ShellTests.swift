import TestKit
import Testing

@testable import DesktopServices

extension Services {
    /// What telephones' shells and notification services say and are told.
    @Suite struct ShellTests {
        @Test("R36 callaudiod's mode says whether there is a call, also when it comes late and when it goes")
        func callAudio() async throws {
            try await Buses.run { buses in
                let told = Record<Bool>()
                let watch = CallAudioWatch(session: buses.session) { told.add($0) }
                let service = try await buses.mocks.startCallAudio(isInCall: true)
                try await buses.turn(until: "the call") { watch.isInCall }
                try await buses.mocks.setCallAudio(isInCall: false)
                try await buses.turn(until: "its end") { !watch.isInCall }
                try await buses.mocks.setCallAudio(isInCall: true)
                try await buses.turn(until: "the next call") { watch.isInCall }
                await service.stop()
                try await buses.turn(until: "the end of the service") { !watch.isInCall }
                #expect(told.values == [true, false, true, false])
            }
        }

        @Test("a notification takes the place of the one about the same, and is taken back; markup is text")
        func notifications() async throws {
            try await Buses.run { buses in
                let notifications = Notifications(session: buses.session)
                // Nobody is there to show it.
                notifications.show(Notifications.Note(subject: "a", icon: "", summary: "early", body: ""))
                let service = try await buses.mocks.startNotifications()
                try await buses.settle(buses.session, with: "org.freedesktop.Notifications")
                func wait(for text: String) async throws {
                    _ = try await waitUntil("\(text) to be shown") {
                        try await buses.turn(until: "nothing") { true }
                        return try await buses.mocks.shownNotifications() == text ? true : nil
                    }
                }
                notifications.show(Notifications.Note(subject: "a", icon: "x", summary: "one", body: "<b> & </b>"))
                try await wait(for: "one: &lt;b&gt; &amp; &lt;/b&gt;")
                notifications.show(Notifications.Note(subject: "b", icon: "x", summary: "two", body: "b"))
                try await wait(for: "one: &lt;b&gt; &amp; &lt;/b&gt; | two: b")
                notifications.show(Notifications.Note(subject: "a", icon: "x", summary: "three", body: "a"))
                try await wait(for: "three: a | two: b")
                notifications.close("b")
                notifications.close("c")
                try await wait(for: "three: a")
                #expect(service.isRunning)
            }
        }
    }
}
