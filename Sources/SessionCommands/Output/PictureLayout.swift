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

/// A number as attributes have it, to a tenth of a pixel.
func pixels(_ number: Double) -> String { ((number * 10).rounded() / 10).short }
