public import SessionCore

/// Streams whose levels are measured, because their sessions do something to others only while they sound (N13).
extension SessionRuntime {
    /// Handles a stream's highest sample of a period, as the host measures it.
    public func measured(_ stream: StreamID, peak: Double) {
        guard let record = streamRecords[stream], record.detector != nil else { return }
        hear(stream, record, peak)
        drain()
    }

    /// Measures a stream as long as its description asks for that and it runs.
    func updateMeasurement(of stream: StreamID, _ record: RuntimeStream) {
        guard host.measuresStreams else { return }
        let isWanted = record.isToBeMeasured
        if isWanted, record.detector == nil {
            record.detector = SoundDetector()
            // Until a sound is measured, there is none.
            sooner.append(.streamSounding(stream, false))
        } else if !isWanted, record.detector != nil {
            record.detector = nil
            sooner.append(.streamSounding(stream, true))
        }
        let isMeasured = isWanted && record.isRunning
        guard isMeasured != record.isMeasured else { return }
        record.isMeasured = isMeasured
        host.measure(stream, isMeasured)
        if !isMeasured, let detector = record.detector {
            record.detector = SoundDetector()
            if detector.isSounding { sooner.append(.streamSounding(stream, false)) }
        }
    }

    /// The next time at which a stream's sound may end.
    var nextSilence: Instant? {
        guard host.measuresStreams else { return nil }
        return streamRecords.values.compactMap { $0.detector?.end(policy.sounding) }.min()
    }

    /// Ends the sounds that have been silent for long enough.
    func endSounds() {
        for (stream, record) in streamRecords where record.detector?.isSounding == true { hear(stream, record, nil) }
    }

    private func hear(_ stream: StreamID, _ record: RuntimeStream, _ peak: Double?) {
        guard record.detector?.hear(peak, at: host.now, policy.sounding) == true else { return }
        post(.streamSounding(stream, record.detector?.isSounding ?? true))
    }
}
