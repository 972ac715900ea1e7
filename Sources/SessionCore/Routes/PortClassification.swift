/// What a port is, judged by what a server publishes of it: two tables, in each of which the first line that fits decides.
///
/// How a thing is connected comes first (AirPlay, Bluetooth, USB), because the types of R61 and R62 name that, and a jack of
/// a USB device belongs to a USB device. Then what the port is called; then the type that the server gives it, which is
/// often too general: "mic" for inside and outside alike, "unknown" for UCM devices whose names PipeWire does not expect,
/// such as the "Headphone" of a PinePhone. Last, what the node and the whole device look like.
extension PortType {
    /// What the facts say it is; ``unknown`` if they say nothing.
    public init(_ facts: PortFacts) {
        self = PortEvidence.line(for: facts).map { PortEvidence.types[$0].result } ?? .unknown
    }
}

/// The tables, and how they are read.
package enum PortEvidence {
    /// How a thing is connected.
    package enum Connection: Sendable {
        case airPlay
        case bluetooth
        case usb
        /// On the machine's own card.
        case builtIn
    }

    package enum Field: Sendable {
        case portType, portName, portDescription, formFactor, bus, iconName, profileName, bluetoothProfile, deviceAPI
        case nodeName, mediaClass, origin
    }

    package enum Match: Sendable {
        case equals
        case begins
        case contains
    }

    /// A field that is so, in letters without regard to case. The empty text begins every field that is there.
    struct Clue: Sendable {
        var field: Field
        var match: Match
        var text: String

        init(_ field: Field, _ match: Match, _ text: String) {
            self.field = field
            self.match = match
            self.text = text
        }
    }

    /// What a clue says of a port with this connection and direction (`nil`: with any); no clue says it of all such ports.
    package struct Line: Sendable {
        var connection: Connection?
        var direction: PortDirection?
        var clue: Clue?
        var result: PortType

        init(_ connection: Connection?, _ direction: PortDirection?, _ clue: Clue?, _ result: PortType) {
            self.connection = connection
            self.direction = direction
            self.clue = clue
            self.result = result
        }
    }

    /// The line that decides about these facts.
    package static func line(for facts: PortFacts) -> Int? {
        let connection = connections.first { facts.has($0.clue) }?.result
        let direction = facts.direction ?? facts.guessedDirection
        return types.firstIndex { line in
            (line.connection == nil || line.connection == connection)
                && (line.direction == nil || line.direction == direction)
                && (line.clue.map { facts.has($0) } ?? true)
        }
    }
}

extension PortFacts {
    fileprivate var guessedDirection: PortDirection? {
        PortEvidence.directions.first { has($0.clue) }?.result
    }

    fileprivate func has(_ clue: PortEvidence.Clue) -> Bool {
        let value =
            switch clue.field {
            case .portType: portType
            case .portName: portName
            case .portDescription: portDescription
            case .formFactor: formFactor
            case .bus: bus
            case .iconName: iconName
            case .profileName: profileName
            case .bluetoothProfile: bluetoothProfile
            case .deviceAPI: deviceAPI
            case .nodeName: nodeName
            case .mediaClass: mediaClass
            case .origin: origin
            }
        guard let value else { return false }
        return value.utf8.fits(clue.match, clue.text.utf8)
    }
}

extension String.UTF8View {
    /// Compares without regard to the case of ASCII letters; the pattern is in small ones.
    fileprivate func fits(_ match: PortEvidence.Match, _ pattern: String.UTF8View) -> Bool {
        func begins(at start: Index) -> (Bool, end: Index) {
            var position = start
            for wanted in pattern {
                guard position < endIndex else { return (false, position) }
                let byte = self[position]
                guard (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte) == wanted else { return (false, position) }
                position = index(after: position)
            }
            return (true, position)
        }
        switch match {
        case .begins: return begins(at: startIndex).0
        case .equals:
            let (isPrefix, end) = begins(at: startIndex)
            return isPrefix && end == endIndex
        case .contains: return indices.contains { begins(at: $0).0 }
        }
    }
}
