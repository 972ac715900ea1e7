public import PolicyEngine

/// Measured streams: those whose sessions affect others only while they sound (N13).
extension SessionRuntime {
    /// Handles a stream's highest sample of a period, as the host measures it.
    public func measured(_ stream: StreamID, peak: Double) {
        guard let entry = streams[stream], entry.detector != nil else { return }
        hear(entry, peak, at: host.now)
        drain()
    }

    func updateMeasurement(of stream: StreamEntry) {
        guard host.measuresStreams else { return }
        if stream.isToBeMeasured, stream.detector == nil {
            stream.detector = SoundDetector()
            // Until a sound is measured, there is none.
            sooner.append(.streamSounding(stream.id, false))
        } else if !stream.isToBeMeasured, stream.detector != nil {
            stream.detector = nil
            sooner.append(.streamSounding(stream.id, true))
        }
        let isMeasured = stream.isToBeMeasured && stream.isRunning
        guard isMeasured != stream.isMeasured else { return }
        stream.isMeasured = isMeasured
        stream.server?.measure(isMeasured)
        if !isMeasured, let detector = stream.detector {
            stream.detector = SoundDetector()
            if detector.isSounding { sooner.append(.streamSounding(stream.id, false)) }
        }
    }

    func endSounds(of due: [StreamEntry], at now: Instant) {
        for stream in due where stream.detector?.isSounding == true { hear(stream, nil, at: now) }
    }

    private func hear(_ stream: StreamEntry, _ peak: Double?, at now: Instant) {
        guard stream.detector?.hear(peak, at: now, engine.policy.sounding) == true else { return }
        post(.streamSounding(stream.id, stream.detector?.isSounding ?? true))
    }
}
