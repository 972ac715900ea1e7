import CPipeWire
import SessionDesktop
import SessionHost

/// The programs behind one client of the daemon, looked at when they came: a process that gets the number of one of them later is
/// not taken for it.
final class ClientPrograms {
    /// The program at the other end of the connection, as the kernel has told the daemon; `nil` for one that has gone already.
    private(set) lazy var connected: Program? = process.flatMap { process in
        let program = processes.program(of: process.number)
        return program?.process == process ? program : nil
    }
    private let process: ProcessID?
    private let processes: any ProcessTree
    /// The one that pipewire-pulse speaks for, by the number that it says.
    private var spokenFor: (number: UInt32, program: Program?)?

    init(client: OpaquePointer, processes: any ProcessTree) {
        self.processes = processes
        let properties = pw_impl_client_get_properties(client)
        process = text(properties.flatMap { pw_properties_get($0, "pipewire.sec.pid") }).flatMap { UInt32($0) }
            .flatMap { number in processes.birth(of: number).map { ProcessID(number, start: $0.start) } }
    }

    /// The program that a client of PulseAudio says that it is.
    func program(of claimed: UInt32?) -> Program? {
        guard let claimed else { return nil }
        if let spokenFor, spokenFor.number == claimed { return spokenFor.program }
        let program = processes.program(of: claimed)
        spokenFor = (claimed, program)
        return program
    }
}
