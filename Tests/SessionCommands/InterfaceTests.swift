import Foundation
import FoundationXML
import SessionWire
import Testing

/// The description of the D-Bus interface that is installed for developers: it is made from the tables that the service
/// itself works by.
@Suite struct InterfaceTests {
    @Test func `the installed description is that of the service`() throws {
        try Project.compare(WireInterface.introspection(of: [.manager, .session]), with: Project.interface)
    }

    @Test func `the installed description is well-formed, and has everything`() throws {
        let counter = ElementCounter()
        let parser = XMLParser(data: try Data(contentsOf: Project.interface))
        parser.delegate = counter
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        let interfaces = [WireInterface.manager, .session]
        #expect(counter.counts["interface"] == 2)
        #expect(counter.counts["method"] == interfaces.map(\.methods.count).reduce(0, +))
        #expect(counter.counts["signal"] == interfaces.map(\.signals.count).reduce(0, +))
        #expect(counter.counts["property"] == interfaces.map(\.properties.count).reduce(0, +))
    }
}

private final class ElementCounter: NSObject, XMLParserDelegate {
    var counts: [String: Int] = [:]

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        counts[element, default: 0] += 1
    }
}
