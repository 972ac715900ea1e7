import PolicyEngine
import ServiceFixture
import TestKit
import Testing

@testable import AudioSession
@testable import PolicyRuntime

/// Routes: what a session uses, what it is told of changes, and what it may prefer.
@Suite(.timeLimit(.minutes(10))) struct RouteTests {
    @Test(
        "R56 R57 R58 R60 R61 R62 the session is told of its route, and of each change with its reason and what was before"
    )
    func changes() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            try session.setCategory(.playback)
            stage.desk.use(Machine(hasHeadphones: true).events)
            try await session.wait(for: [.headphones], of: "outputs") {
                try session.currentRoute.outputs.map(\.portType)
            }
            #expect(try session.currentRoute.inputs.isEmpty)
            let output = try #require(try session.currentRoute.outputs.first)
            #expect(output.portName == "Headphones" && output.nodeName == "sink" && !output.uid.isEmpty)
            var changes = session.routeChanges.makeAsyncIterator()
            stage.desk.use(Machine(hasHeadphones: false).events)
            while let change = await changes.next() {
                // The machine may still have been coming to rest.
                guard change.reason == .oldDeviceUnavailable else { continue }
                #expect(change.previousRoute.outputs.map(\.portType) == [.headphones])
                #expect(change.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
                break
            }
            #expect(try session.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
            try session.setCategory(.record)
            let change = await changes.next()
            #expect(change?.reason == .categoryChange)
            #expect(change?.currentRoute.inputs.map(\.portType) == [.builtInMic])
            #expect(change?.currentRoute.outputs.isEmpty == true)
        }
    }

    @Test("R66 R78 inputs come and go, and one that is there can be preferred")
    func inputs() async throws {
        try await withStage { stage in
            let session = try await stage.session()
            var changes = session.availableInputsChanges.makeAsyncIterator()
            #expect(try session.availableInputs.isEmpty)
            #expect(try !session.isInputAvailable)
            stage.desk.use(Machine(hasHeadphones: true).events)
            var inputs: [AudioSession.PortDescription] = []
            while inputs.isEmpty { inputs = try #require(await changes.next()) }
            #expect(inputs.map(\.portType) == [.builtInMic])
            #expect(try session.availableInputs == inputs)
            let microphone = inputs[0]
            try session.setPreferredInput(microphone)
            #expect(session.preferredInput == microphone)
            stage.desk.use(Machine(hasHeadphones: true, hasMicrophone: false).events)
            while !inputs.isEmpty { inputs = try #require(await changes.next()) }
            // It was there when it was chosen; from now on, it cannot be chosen anew.
            try session.setPreferredInput(nil)
            #expect(session.preferredInput == nil)
            #expect(code { try session.setPreferredInput(microphone) } == .unsupportedProperty)
            #expect(session.preferredInput == nil)
        }
    }
}
