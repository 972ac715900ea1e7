import CPulseCore
import SessionCore
import SessionHost

/// A sink input or a source output of the daemon: what both are, and what can be done to both.
///
/// The pointer is valid until the daemon says that the stream is unlinked. Where it is told to do something at a moment when
/// it cannot, as while it moves, nothing happens.
struct StreamHandle {
    /// The daemon's object, of the one kind or the other.
    let pointer: OpaquePointer
    let direction: StreamDirection

    /// In frames a second. Mixers' meters have 25 or so.
    private static let slowestRecording: UInt32 = 1000

    private var isPlayback: Bool { direction == .playback }

    /// The daemon's number, which tells apart only those of one direction.
    var index: UInt32 { isPlayback ? cpc_sink_input_index(pointer) : cpc_source_output_index(pointer) }

    /// As its client has it: running or corked.
    var state: cpc_state { isPlayback ? cpc_sink_input_state(pointer) : cpc_source_output_state(pointer) }

    /// The client that it belongs to; `nil` for one of the daemon's own.
    var client: OpaquePointer? { isPlayback ? cpc_sink_input_client(pointer) : cpc_source_output_client(pointer) }

    /// Whether it is the end of a filter or loopback, or records another stream or what a sink plays, or only looks at levels.
    var isInternal: Bool {
        if filtered != nil { return true }
        if isPlayback { return false }
        return cpc_source_output_rate(pointer) < StreamHandle.slowestRecording || cpc_source_output_is_direct(pointer)
            || cpc_source_output_source(pointer).flatMap { cpc_source_monitor_of($0) } != nil
    }

    /// The sink or source of which it is the other end, as a filter's is; `nil` for a stream of an application.
    var filtered: OpaquePointer? {
        isPlayback ? cpc_sink_input_origin(pointer) : cpc_source_output_destination(pointer)
    }

    /// Whether its sound is handed on as it is, as to a receiver that decodes it.
    var isPassthrough: Bool {
        isPlayback ? cpc_sink_input_is_passthrough(pointer) : cpc_source_output_is_passthrough(pointer)
    }

    /// The sink or source; `nil` while it moves.
    var device: OpaquePointer? { isPlayback ? cpc_sink_input_sink(pointer) : cpc_source_output_source(pointer) }

    /// A property of the stream, or else of its client.
    func property(_ key: String) -> UnsafePointer<CChar>? {
        let own = isPlayback ? cpc_sink_input_proplist(pointer) : cpc_source_output_proplist(pointer)
        if let own, let value = pa_proplist_gets(own, key) { return value }
        return client.flatMap { cpc_client_proplist($0) }.flatMap { pa_proplist_gets($0, key) }
    }

    /// Sets our factor on its volume. Returns whether it can have one.
    func setFactor(_ factor: Double) -> Bool {
        isPlayback ? cpc_sink_input_set_factor(pointer, factor) : cpc_source_output_set_factor(pointer, factor)
    }

    /// Keeps the device from processing it, or lets it. Returns whether the device's thread was told.
    func hold(_ isHeld: Bool) -> Bool {
        isPlayback ? cpc_sink_input_hold(pointer, isHeld) : cpc_source_output_hold(pointer, isHeld)
    }

    /// Tells its client.
    func send(_ event: String, _ properties: [(String, String)] = []) {
        let list = pa_proplist_new()
        defer { pa_proplist_free(list) }
        for (key, value) in properties { pa_proplist_sets(list, key, value) }
        if isPlayback {
            cpc_sink_input_send_event(pointer, event, list)
        } else {
            cpc_source_output_send_event(pointer, event, list)
        }
    }

    /// Ends it; its client is told.
    func kill() {
        if isPlayback { cpc_sink_input_kill(pointer) } else { cpc_source_output_kill(pointer) }
    }

    /// Sends it to a sink or source.
    func move(to device: OpaquePointer) {
        _ = isPlayback ? cpc_sink_input_move(pointer, device) : cpc_source_output_move(pointer, device)
    }
}
