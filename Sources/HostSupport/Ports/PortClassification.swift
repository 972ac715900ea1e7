import PolicyEngine

/// Determines the type of a port from what a server publishes about it. In each table, the first line that fits
/// decides.
///
/// The connection (AirPlay, Bluetooth, USB) comes first, because the types of R61 and R62 name it: a jack of a USB
/// device is USB audio. The port's name comes next. The server's own port type, often too general, comes after that:
/// "mic" for built-in and plugged-in microphones, "unknown" for UCM devices whose names PipeWire does not know, such as
/// the "Headphone" of a PinePhone. The properties of the node and the device come last.
extension PortType {
    /// The type that follows from the facts; ``unknown`` if no line fits.
    public init(_ facts: PortFacts) {
        self = PortEvidence.line(for: facts).map { PortEvidence.types[$0].result } ?? .unknown
    }
}

package enum PortEvidence {
    package enum Connection: Sendable {
        case airPlay
        case bluetooth
        case usb
        /// Part of the machine's own card.
        case builtIn
    }

    package enum Field: Sendable {
        case portType, portName, portDescription, formFactor, bus, iconName, profileName, bluetoothProfile, deviceAPI
        case nodeName, mediaClass, origin
    }

    /// Compares a field with a clue's text.
    package enum Match: Sendable {
        case equals
        case begins
        case contains
    }

    /// Without regard to the case of ASCII letters. `begins` with an empty text holds for every known field.
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

    /// The type of ports with this connection, direction and clue; `nil` for any.
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

    /// The index of the line in `types` that decides; `nil` for none.
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
    /// Without regard to the case of ASCII letters in the text; the pattern is in lower case.
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
