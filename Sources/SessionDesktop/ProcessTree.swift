/// Which process started which, and in what sandbox a process runs.

/// What is asked about processes, to tell whether a stream is a player's.
public protocol ProcessTree {
    /// The process that started a process; nil when it has gone, or there is none.
    func parent(of process: UInt32) -> UInt32?
    /// The application id of the sandbox that a process runs in; nil outside of any.
    func sandbox(of process: UInt32) -> String?
}

extension ProcessTree {
    /// How many steps a process is above another one, 0 for itself; nil when it is not above it, or further than 32
    /// steps.
    public func distance(from process: UInt32, up ancestor: UInt32) -> Int? {
        // The first process is above all of them, and says nothing.
        guard ancestor > 1 else { return nil }
        var current = process
        for steps in 0..<32 {
            if current == ancestor { return steps }
            guard let next = parent(of: current), next > 1 else { return nil }
            current = next
        }
        return nil
    }
}
