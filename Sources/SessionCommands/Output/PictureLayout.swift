import Glibc

/// Where things are in a picture, in pixels.
struct PictureLayout {
    static let width = 960.0
    static let left = 150.0
    static let right = 24.0
    static let top = 64.0
    /// Above each lane's body, for what happens to it.
    static let labels = 28.0
    static let body = 40.0
    static let gap = 10.0
    static let axis = 64.0

    let length: Duration
    let laneCount: Int
    /// Whether something happens that is about no stream.
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

    /// The y of the top of a lane's label space.
    func lane(_ index: Int) -> Double { Self.top + Double(index) * (Self.labels + Self.body + Self.gap) }

    /// The y of the ground of a lane, where nothing is heard.
    func ground(_ index: Int) -> Double { lane(index) + Self.labels + Self.body }

    /// The height of a level. As on the desktops' sliders it grows with the cube root, so that −20 dB can be seen.
    func height(_ level: Double) -> Double { Self.body * cbrt(min(max(level, 0), 1)) }

    /// Moments for the axis, at most a dozen or so, at round times.
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

    /// About how wide a text of 11 pixels is.
    static func width(of text: String) -> Double { Double(text.count) * 6 }
}

/// Where the labels of marks have room: in two rows, of which the lower one has the marks, and beside their marks, after
/// them where the picture does not end.
struct MarkRows {
    struct Place: Equatable {
        /// 0 is the lower one.
        let row: Int
        /// Whether the label ends at its mark.
        let isBefore: Bool
    }

    private let marks: [Double]
    /// Where the last label of each row ends.
    private var ends = [PictureLayout.left, PictureLayout.left]

    /// - Parameter marks: The x of all of them, in their order.
    init(_ marks: [Double]) { self.marks = marks }

    /// Finds room for the label of a mark, and takes it; labels come in the order of their marks.
    mutating func place(_ width: Double, at x: Double) -> Place? {
        // To touch another mark is better than to be left out.
        for avoidsMarks in [true, false] {
            for place in [(0, false), (1, false), (0, true), (1, true)].map(Place.init) {
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

/// A number as attributes have it, to a tenth of a pixel.
func pixels(_ number: Double) -> String { ((number * 10).rounded() / 10).short }
