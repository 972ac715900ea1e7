import SessionCore
import SessionRuntime
import SessionWire

/// What came of an application's wishes, as its session shows it (R74, R76).
struct SessionFigures: Equatable {
    /// What the graph runs at.
    var clock: GraphClock
    /// The factor on what is recorded.
    var inputGain: LinearGain
    /// Whether something is recorded whose level can be changed.
    var isInputGainAvailable: Bool

    init(of session: SessionID, in runtime: SessionRuntime) {
        clock = runtime.clock(of: session)
        (inputGain, isInputGainAvailable) = runtime.inputGain(of: session)
    }

    /// One of the properties; `nil` for one of another kind.
    func value(of property: String) -> WireValue? {
        switch property {
        case "SampleRate": return .double(clock.sampleRate)
        case "BufferDuration":
            let (seconds, attoseconds) = clock.quantum.components
            return .double(Double(seconds) + Double(attoseconds) / 1e18)
        case "InputGain": return .double(inputGain.value)
        case "InputGainAvailable": return .boolean(isInputGainAvailable)
        default: return nil
        }
    }

    /// The properties that are something else than in other figures.
    func changes(since other: SessionFigures) -> [String] {
        ["SampleRate", "BufferDuration", "InputGain", "InputGainAvailable"].filter {
            value(of: $0) != other.value(of: $0)
        }
    }
}

extension SessionService {
    /// The graph runs at something else: looked at when all is done.
    public func graphChanged() { unmeasured.formUnion(objects.keys) }

    /// A stream has got volumes, or has none any more: looked at when all is done.
    public func volumeAppeared(of stream: StreamID) {
        if let session = memberships[stream] { unmeasured.insert(session) }
    }

    /// An application wishes for something else from now on.
    func wish(_ wish: StreamWish, of object: SessionObject) {
        unmeasured.insert(object.id)
        runtime.wish(wish, of: object.id)
    }

    /// Tells of what came of wishes where that is something else now.
    func measure() {
        guard !unmeasured.isEmpty, !isMeasuring else { return }
        while let id = unmeasured.popFirst() {
            measure(id)
            if connection.mayHurry() { continue }
            isMeasuring = true
            connection.bitByBit { [weak self] in
                guard let self else { return false }
                if let id = unmeasured.popFirst() { measure(id) }
                isMeasuring = !unmeasured.isEmpty
                return isMeasuring
            }
            return
        }
    }

    private func measure(_ id: SessionID) {
        guard let object = objects[id] else { return }
        let names = object.measure()
        if !names.isEmpty { changed(names, of: object) }
    }
}
