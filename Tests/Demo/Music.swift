import Foundation
import TestKit

/// Generates mono sound note by note.
struct Music {
    /// The samples so far.
    private(set) var samples: [Float]

    /// Starts with silence of the given length.
    init(lasting duration: Duration) { samples = [Float](repeating: 0, count: duration.frames) }

    /// Adds a note.
    ///
    /// - Parameters:
    ///   - key: In semitones from A4 (440 Hz).
    ///   - decay: The time in which a plucked note falls to a third; nil for a held note.
    mutating func add(
        _ key: Int, at start: Double, lasting length: Double, amplitude: Double, attack: Double, decay: Double? = nil,
        partials: [Double]
    ) {
        let rate = Double(Sound.rate)
        let first = Int(start * rate)
        let frequency = 440 * pow(2, Double(key) / 12)
        for frame in first..<max(first, min(samples.count, first + Int(length * rate))) {
            let time = Double(frame - first) / rate
            let rise = 0.5 - 0.5 * cos(.pi * min(1, time / attack))
            let fall = 0.5 - 0.5 * cos(.pi * min(1, (length - time) / min(0.3, length)))
            let envelope = rise * (decay.map { exp(-time / $0) } ?? 1) * fall
            var value = 0.0
            for (number, partial) in partials.enumerated() {
                value += partial * sin(2 * .pi * frequency * Double(number + 1) * time)
            }
            samples[frame] += Float(amplitude * envelope * value)
        }
    }

    /// A quiet piece: four repeated chords, broken into quavers above a held pad.
    static func piece(lasting duration: Duration) -> Music {
        var music = Music(lasting: duration)
        // F major 7, A minor 7, C major, G major 6: a bass note, three for the pad, four for the broken chord.
        let chords: [(bass: Int, pad: [Int], broken: [Int])] = [
            (-28, [-12, -9, -5], [-4, 0, 3, 7]), (-24, [-14, -9, -5], [-5, 0, 3, 7]),
            (-21, [-14, -9, -5], [-5, -2, 3, 7]), (-26, [-14, -10, -7], [-5, -2, 2, 5]),
        ]
        let quaver = 0.3
        let bar = 8 * quaver
        let total = duration / .seconds(1)
        for (number, start) in stride(from: 0, to: total, by: bar).enumerated() {
            let chord = chords[number % chords.count]
            music.add(chord.bass, at: start, lasting: bar + 0.3, amplitude: 0.1, attack: 0.05, partials: [1, 0.5, 0.2])
            for key in chord.pad {
                music.add(
                    key, at: start, lasting: bar + 0.3, amplitude: 0.05, attack: 0.25, partials: [1, 0.4, 0.25, 0.1])
            }
            for (step, index) in [0, 1, 2, 3, 2, 3, 1, 2].enumerated() {
                music.add(
                    chord.broken[index], at: start + Double(step) * quaver, lasting: 1.2, amplitude: 0.1,
                    attack: 0.004, decay: 0.35, partials: [1, 0.3, 0.15, 0.08])
            }
        }
        return music
    }

    /// A ring tone that sounds like a marimba.
    static func ringing(lasting duration: Duration) -> Music {
        var music = Music(lasting: duration)
        let figure: [(beat: Double, key: Int)] = [(0, 7), (1, 10), (2, 14), (3, 10), (4, 7), (6, 10)]
        for start in stride(from: 0.0, to: duration / .seconds(1), by: 1.5) {
            for (beat, key) in figure {
                music.add(
                    key, at: start + beat * 0.14, lasting: 0.6, amplitude: 0.22, attack: 0.002, decay: 0.14,
                    partials: [1, 0, 0, 0.25])
            }
        }
        return music
    }
}

/// The sound files for the players.
struct SoundFiles: Sendable {
    /// The samples of the music, to find its position in the capture.
    let musicSamples: [Float]
    let music: String
    let prompt: String
    let ringing: String
    let call: String

    /// Makes the files in a sandbox without a sound server, because espeak-ng opens a stream even when it writes to a
    /// file.
    ///
    /// - Parameter separable: Whether the music has opposite phase on the two channels, and all other sounds equal
    ///   phase. Then the channels' difference is exactly the music, and their sum everything else; but it is unpleasant
    ///   to listen to.
    init(in sandbox: Sandbox, separable: Bool) async throws {
        musicSamples = Music.piece(lasting: .seconds(40)).samples
        let right = separable ? musicSamples.map { -$0 } : musicSamples
        music = try sandbox.write(Sound(left: musicSamples, right: right), to: "music.wav")
        let ring = Music.ringing(lasting: .seconds(9)).samples
        ringing = try sandbox.write(Sound(left: ring, right: ring), to: "ringing.wav")
        prompt = sandbox.path("home/prompt.wav")
        call = sandbox.path("home/call.wav")
        try await sandbox.run(
            Invocation(
                "espeak-ng",
                ["-v", "en-gb", "-s", "155", "-w", prompt, "In two hundred metres, turn left into Mill Lane."]))
        try await sandbox.run(
            Invocation(
                "espeak-ng",
                [
                    "-v", "en-us+f3", "-s", "165", "-w", call,
                    "Hello, it's me. Is your music off? I will be there soon. Bye!",
                ]))
    }
}
