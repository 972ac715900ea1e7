import SessionRuntime

/// The sound server's side, whose name Foundation has too.
typealias RuntimeHost = Host
