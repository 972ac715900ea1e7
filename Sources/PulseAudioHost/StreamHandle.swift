import CPulseCore
import HostSupport
import PolicyEngine

/// A sink input or source output of the daemon, with the operations that both have in common.
///
/// The pointer is valid until the daemon unlinks the stream. Operations that the stream's state forbids, such as any
/// during a move, do nothing.
struct StreamHandle {
    /// The daemon's sink input or source output.
    let pointer: OpaquePointer
    let direction: StreamDirection

    /// Below this rate, in frames per second, a recording only meters levels; the meters of mixers use about 25.
    private static let slowestRecording: UInt32 = 1000

    private var isPlayback: Bool { direction == .playback }

    /// The daemon's index, unique only within one direction.
    var index: UInt32 { isPlayback ? cpc_sink_input_index(pointer) : cpc_source_output_index(pointer) }

    /// The state that the client set: running or corked.
    var state: cpc_state { cpc_stream_state(pointer, isPlayback) }

    /// The owning client; `nil` for a stream of the daemon itself.
    var client: OpaquePointer? { isPlayback ? cpc_sink_input_client(pointer) : cpc_source_output_client(pointer) }

    /// Whether the stream belongs to a filter or loopback, records another stream or a monitor, or only meters levels.
    var isInternal: Bool {
        if filtered != nil { return true }
        if isPlayback { return false }
        return cpc_source_output_rate(pointer) < StreamHandle.slowestRecording || cpc_source_output_is_direct(pointer)
            || cpc_source_output_source(pointer).flatMap { cpc_source_monitor_of($0) } != nil
    }

    /// The sink or source whose filter this stream belongs to; `nil` for an application's stream.
    var filtered: OpaquePointer? {
        isPlayback ? cpc_sink_input_origin(pointer) : cpc_source_output_destination(pointer)
    }

    /// Whether the stream's sound is passed through unchanged, for example to a receiver that decodes it.
    var isPassthrough: Bool { cpc_stream_is_passthrough(pointer, isPlayback) }

    /// The volume that its user or client has set, as a factor; 0 while it is muted, 1 for a recording.
    var volume: Double {
        guard isPlayback else { return 1 }
        return cpc_sink_input_is_muted(pointer) ? 0 : cpc_sink_input_volume(pointer)
    }

    /// The sink or source; `nil` while the stream moves.
    var device: OpaquePointer? { isPlayback ? cpc_sink_input_sink(pointer) : cpc_source_output_source(pointer) }

    /// The sink or source and its port in use; empty while the stream moves.
    var place: CorkRequests.Place {
        guard let device else { return CorkRequests.Place() }
        let port = isPlayback ? cpc_sink_active_port(device) : cpc_source_active_port(device)
        return CorkRequests.Place(
            device: isPlayback ? cpc_sink_index(device) : cpc_source_index(device),
            port: port.map { Int(bitPattern: $0) })
    }

    /// A property of the stream; if it is missing, of the stream's client.
    func property(_ key: String) -> UnsafePointer<CChar>? {
        let own = isPlayback ? cpc_sink_input_proplist(pointer) : cpc_source_output_proplist(pointer)
        if let own, let value = pa_proplist_gets(own, key) { return value }
        return client.flatMap { cpc_client_proplist($0) }.flatMap { pa_proplist_gets($0, key) }
    }

    /// Sets our factor on the stream's volume. Returns whether the stream can have a factor.
    func setFactor(_ factor: Double) -> Bool { cpc_stream_set_factor(pointer, isPlayback, factor) }

    /// Whether our gain can change with every sample of the stream.
    var canRamp: Bool { isPlayback && cpc_sink_input_can_ramp(pointer) }

    /// Whether our gain is applied sample by sample now.
    var isRamping: Bool { isPlayback && cpc_sink_input_is_ramping(pointer) }

    /// Ramps our gain to a target, sample by sample. Returns whether the device's thread got the target.
    func ramp(to gain: LinearGain, within duration: Duration, fromSilence: Bool) -> Bool {
        cpc_sink_input_ramp(pointer, Float(gain.slider), duration / .seconds(1), fromSilence)
    }

    /// Gives the stream its full level back, and leaves nothing in it.
    func endRamp() {
        if isPlayback { cpc_sink_input_end_ramp(pointer) }
    }

    /// Holds or releases the stream in the device's thread. Returns whether the thread was told.
    func hold(_ isHeld: Bool) -> Bool { cpc_stream_hold(pointer, isPlayback, isHeld) }

    /// Sends an event to the stream's client.
    func send(_ event: String, _ properties: [(String, String)] = []) {
        let list = pa_proplist_new()
        defer { pa_proplist_free(list) }
        for (key, value) in properties { pa_proplist_sets(list, key, value) }
        cpc_stream_send_event(pointer, isPlayback, event, list)
    }

    /// Kills the stream; its client is notified.
    func kill() { cpc_stream_kill(pointer, isPlayback) }

    /// Moves the stream to a sink or source.
    func move(to device: OpaquePointer) { _ = cpc_stream_move(pointer, isPlayback, device) }
}
