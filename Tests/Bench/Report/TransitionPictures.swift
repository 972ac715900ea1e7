/// A page with the levels of both tones over time, a picture for each row; without any resource from elsewhere.
public struct TransitionPictures: Sendable {
    /// The curves of one row.
    public struct Entry: Sendable {
        /// The picture's title.
        public var title: String
        /// The curves, over each other: the usual trial first, and then the worst.
        public var curves: [TransitionCurves]

        /// Curves under a title.
        public init(title: String, curves: [TransitionCurves]) {
            self.title = title
            self.curves = curves
        }
    }

    /// What is shown.
    public var entries: [Entry]
    /// Where and when it was measured.
    public var place: String

    /// A page.
    public init(entries: [Entry], place: String) {
        self.entries = entries
        self.place = place
    }

    /// The page in HTML.
    public var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <title>Transitions</title>
        <style>
        body { font: 14px sans-serif; margin: 2em; color: #222; background: #fff }
        h2 { font-size: 15px; margin: 1.5em 0 0 }
        svg { max-width: 100% }
        </style>
        </head>
        <body>
        <h1>Transitions</h1>
        <p>\(Self.escaped(place)).</p>
        <p>Levels in dB relative to each tone's own, −80 for silence. Blue: the interrupted music. Red: the interrupter.
        Left: milliseconds from the interrupter's first sound. Right: from its last. Solid: the first trial that the machine did not
        disturb. Faint: the one in which the music was heard longest above half of its level.</p>
        \(entries.map(section).joined(separator: "\n"))
        </body>
        </html>

        """
    }

    /// The bottom of the pictures, in decibels.
    fileprivate static let lowest = -80.0

    private func section(_ entry: Entry) -> String {
        """
        <h2>\(Self.escaped(entry.title))</h2>
        \(picture(entry))
        """
    }

    /// Two panels beside each other.
    private func picture(_ entry: Entry) -> String {
        let begin = Panel(left: 40, width: 430, moments: TransitionCurves.beginRange)
        let end = Panel(left: 510, width: 470, moments: TransitionCurves.endRange)
        var lines = [begin.frame, end.frame]
        for (number, curves) in entry.curves.enumerated().reversed() {
            let opacity = number == 0 ? "1" : "0.3"
            for (panel, part) in [(begin, curves.begin), (end, curves.end)] {
                lines.append(panel.curve(part.interrupter, color: "#c33", opacity))
                lines.append(panel.curve(part.victim, color: "#26c", opacity))
            }
        }
        return """
            <svg viewBox="0 0 1000 220" width="1000" height="220" xmlns="http://www.w3.org/2000/svg" font-size="11">
            \(lines.joined(separator: "\n"))
            </svg>
            """
    }

    /// Text that may stand between tags.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// One of the two diagrams of a picture.
    private struct Panel {
        let left: Double
        let width: Double
        let moments: Range<Int>

        private static let top = 10.0
        private static let height = 180.0

        private func x(_ moment: Double) -> Double {
            left + width * (moment - Double(moments.lowerBound)) / Double(moments.count)
        }

        private func y(_ level: Double) -> Double {
            Panel.top + Panel.height * min(1, max(0, (3 - level) / (3 - TransitionPictures.lowest)))
        }

        /// The axes, with lines where a figure of the tables is read.
        var frame: String {
            var lines: [String] = []
            for level in [0.0, -6, -20, -60] {
                lines.append(line(x1: left, y1: y(level), x2: left + width, y2: y(level)))
                lines.append(label(format(level, decimals: 0), x: left - 4, y: y(level) + 4, anchor: "end"))
            }
            for moment in stride(from: moments.lowerBound, through: moments.upperBound, by: 100) {
                let place = x(Double(moment))
                lines.append(line(x1: place, y1: Panel.top, x2: place, y2: Panel.top + Panel.height))
                if moment % 200 == 0 {
                    lines.append(label("\(moment)", x: place, y: Panel.top + Panel.height + 16, anchor: "middle"))
                }
            }
            return lines.joined(separator: "\n")
        }

        func curve(_ levels: [Double], color: String, _ opacity: String) -> String {
            // Most of a curve is flat; there, its ends suffice.
            let heights = levels.map { coordinate(y($0)) }
            let points = heights.indices.filter { index in
                index == 0 || index == heights.count - 1 || heights[index - 1] != heights[index]
                    || heights[index + 1] != heights[index]
            }.map { "\(coordinate(x(Double(moments.lowerBound + $0)))),\(heights[$0])" }
            return """
                <polyline points="\(points.joined(separator: " "))" fill="none" stroke="\(color)" stroke-opacity="\(opacity)"/>
                """
        }

        private func line(x1: Double, y1: Double, x2: Double, y2: Double) -> String {
            """
            <line x1="\(coordinate(x1))" y1="\(coordinate(y1))" x2="\(coordinate(x2))" y2="\(coordinate(y2))" stroke="#ddd"/>
            """
        }

        private func label(_ text: String, x: Double, y: Double, anchor: String) -> String {
            """
            <text x="\(coordinate(x))" y="\(coordinate(y))" text-anchor="\(anchor)">\(text)</text>
            """
        }

        /// A coordinate; with a point and an ordinary minus sign.
        private func coordinate(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    }
}
