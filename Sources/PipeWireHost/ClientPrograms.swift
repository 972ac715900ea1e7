import CPipeWire
import DesktopServices
import HostSupport
import PolicyRuntime

/// The programs behind one client of the daemon. Each is looked up when the client first appears, so a later process
/// that reuses the process id is not mistaken for it.
final class ClientPrograms {
    /// The program at the other end of the connection, by the process id from the kernel; `nil` if it has already
    /// ended.
    private(set) lazy var connected: Program? = process.flatMap { process in
        let program = processes.program(of: process.number)
        return program?.process == process ? program : nil
    }
    private let process: ProcessID?
    private let processes: any ProcessTree
    /// The program for which pipewire-pulse speaks, by the process id that pipewire-pulse gives.
    private var spokenFor: (number: UInt32, program: Program?)?

    init(client: OpaquePointer, processes: any ProcessTree) {
        self.processes = processes
        let properties = pw_impl_client_get_properties(client)
        process = text(properties.flatMap { pw_properties_get($0, "pipewire.sec.pid") }).flatMap { UInt32($0) }
            .flatMap { number in processes.birth(of: number).map { ProcessID(number, start: $0.start) } }
    }

    /// The program that a PulseAudio client claims to be.
    func program(of claimed: UInt32?) -> Program? {
        guard let claimed else { return nil }
        if let spokenFor, spokenFor.number == claimed { return spokenFor.program }
        let program = processes.program(of: claimed)
        spokenFor = (claimed, program)
        return program
    }
}
