import Glibc

/// The positions and sizes in a picture, in pixels.
struct PictureLayout {
    static let width = 960.0
    static let left = 150.0
    static let right = 24.0
    static let top = 64.0
    /// The space above each lane's body for the labels of its events.
    static let labels = 28.0
    static let body = 40.0
    static let gap = 10.0
    static let axis = 64.0

    let length: Duration
    let laneCount: Int
    /// Whether there are events that concern no stream.
    let hasGeneralEvents: Bool

    var height: Double { axisLine + (hasGeneralEvents ? Self.axis : Self.axis / 2) }
    /// The y of the time axis.
    var axisLine: Double { Self.top + Double(laneCount) * (Self.labels + Self.body + Self.gap) }
    /// The x of the right end of the time axis.
    var end: Double { Self.width - Self.right }

    /// The x of a moment.
    func x(_ moment: Duration) -> Double {
        let share = length > .zero ? moment.seconds / length.seconds : 0
        return Self.left + (end - Self.left) * min(max(share, 0), 1)
    }

    /// The y of a lane's baseline, where the level is zero.
    func ground(_ index: Int) -> Double {
        Self.top + Double(index) * (Self.labels + Self.body + Self.gap) + Self.labels + Self.body
    }

    /// The height of a level. It grows with the cube root, as on the sliders of desktops, so that −20 dB is visible.
    func height(_ level: Double) -> Double { Self.body * cbrt(min(max(level, 0), 1)) }

    /// The times on the axis, round and about a dozen at most.
    var ticks: [Duration] {
        let steps = [100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000]
        let limit = length.seconds * 1000 / 14
        let step = steps.first { Double($0) >= limit } ?? 3_600_000
        var result: [Duration] = []
        var moment = Duration.zero
        while moment <= length {
            result.append(moment)
            moment += .milliseconds(step)
        }
        return result
    }

    /// The approximate width of a text of 11 pixels.
    static func width(of text: String) -> Double { Double(text.count) * 6 }
}

/// Finds room for the labels of marks in two rows. The lower row contains the marks. A label stands to the right of its
/// mark, or to the left if the picture ends there.
struct MarkRows {
    struct LabelPosition: Equatable {
        /// 0 for the lower row.
        let row: Int
        /// Whether the label ends at its mark.
        let isBefore: Bool
    }

    private let marks: [Double]
    /// The right end of the last label in each row.
    private var ends = [PictureLayout.left, PictureLayout.left]

    /// - Parameter marks: The x of all marks, in ascending order.
    init(_ marks: [Double]) { self.marks = marks }

    /// Reserves room for a mark's label; must be called in the order of the marks.
    mutating func place(_ width: Double, at x: Double) -> LabelPosition? {
        // First seek room without covering another mark. If there is none, cover a mark.
        for avoidsMarks in [true, false] {
            for place in [(0, false), (1, false), (0, true), (1, true)].map(LabelPosition.init) {
                let left = place.isBefore ? x - 6 - width : x + 6
                guard left > ends[place.row], left + width <= PictureLayout.width - 4 else { continue }
                let touches = marks.contains { $0 != x && $0 > left - 4 && $0 < left + width + 4 }
                if avoidsMarks, place.row == 0, touches { continue }
                ends[place.row] = left + width + 6
                return place
            }
        }
        return nil
    }
}

/// A number for an attribute, to a tenth of a pixel.
func pixels(_ number: Double) -> String { ((number * 10).rounded() / 10).short }
