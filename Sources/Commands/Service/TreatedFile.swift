import ArgumentParser
import BusInterface
import DBus
import Glibc
import PolicyFile

/// The policy file that `audio-session treat` writes, in the user's folder.
struct TreatedFile {
    /// The folder of the policy's files.
    private let folder: String
    /// By its name, it comes after the files of distributions and those that people write by hand.
    private static let name = "policy.conf.d/90-treated.conf"
    /// How long the module may take for a changed file, in nanoseconds.
    private static let patience: Int64 = 3_000_000_000

    /// The file.
    var path: String { "\(folder)/\(Self.name)" }
    /// The content before the last change. By its name, it is no policy file.
    private var former: String { path + "~" }

    /// Finds the user's folder; ends the command if there is none.
    init() throws {
        guard let folder = PolicyLoader.personalFolder(environment: environment) else {
            throw Terminal.failure("neither HOME nor XDG_CONFIG_HOME says where your policy files are")
        }
        self.folder = folder
    }

    /// Locks the file until this command ends; waits while another command changes it.
    func lock() throws {
        makeFolders(of: path)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw failure(path) }
    }

    /// The programs in it.
    func read() throws -> TreatedPrograms { try read(path) ?? TreatedPrograms() }

    /// The programs that were in it before the last change.
    func beforeLastChange() throws -> TreatedPrograms {
        guard let programs = try read(former) else {
            throw Terminal.failure("audio-session treat has changed nothing yet that could be taken back")
        }
        return programs
    }

    private func read(_ path: String) throws -> TreatedPrograms? {
        switch FileContents.read(path) {
        case .failure(let failure) where failure.isMissing: return nil
        case .failure(let failure):
            throw Terminal.failure("\(path): found \(failure.found), expected \(failure.expected)")
        case .success(let bytes):
            do throws(TreatedPrograms.Foreign) {
                return try TreatedPrograms(String(decoding: bytes, as: UTF8.self))
            } catch {
                throw Terminal.failure(
                    "\(path):\(error.line): found a line that audio-session treat has not written, and would lose; "
                        + "rename the file, for instance to 60-mine.conf, and give the command again")
            }
        }
    }

    /// Writes other programs into it, and waits until the module has taken them; ends the command if that is not possible.
    func write(_ programs: TreatedPrograms, over old: TreatedPrograms, through service: ServiceConnection) throws {
        guard programs != old else { return }
        let mistakes = PolicyFile(bytes: Array(programs.text.utf8), named: path).diagnostics
        Terminal.report(mistakes)
        guard mistakes.isEmpty else { throw Terminal.failure("\(path) is not written") }
        func replace() throws {
            try put(old.text, into: former)
            if !programs.programs.isEmpty { return try put(programs.text, into: path) }
            if unlink(path) != 0, errno != ENOENT { throw failure(path) }
        }
        switch service.owner() {
        case .failure(let error) where error.isAbsence:
            try replace()
            Terminal.complain("it is written; there is no module now, so it takes effect when one is loaded")
        case .failure(let error): throw Terminal.failure(error.explanation)
        case .success:
            try checkThatItIsRead(service)
            try service.expect("policy-changed", within: Self.patience, after: replace)
        }
    }

    /// Ends the command if the module reads other files than those of this user.
    private func checkThatItIsRead(_ service: ServiceConnection) throws {
        func files(_ origin: String) -> Substring {
            origin.hasSuffix(Self.suffix) ? origin.dropLast(Self.suffix.count) : origin[...]
        }
        let step: Int64 = 100_000_000
        var modules = ""
        // The module reads a changed file within a second.
        for moment in stride(from: 0, through: Self.patience, by: Int64.Stride(step)) {
            if moment > 0 { usleep(UInt32(step / 1000)) }
            let own = PolicyInUse.installed().origin
            modules = try service.property("Policy")?.text ?? ""
            if files(own) == files(modules) || modules.hasPrefix("not in force")
                || own.hasPrefix("built-in") && modules.hasPrefix("built-in")
            {
                return
            }
        }
        throw Terminal.failure(
            "the sound server reads its policy from \(files(modules)), and not from \(folder): write a rule there, or take "
                + "policy = … out of the module's arguments; audio-session doctor says more")
    }

    private static let suffix = " with module arguments"

    /// Makes the folders that lead to a file, where they are missing.
    private func makeFolders(of path: String) {
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            end = slash
            mkdir(String(path[..<end]), 0o777)
        }
    }

    /// Puts a file in the place of another one, or of what a link leads to, in one step.
    private func put(_ text: String, into path: String) throws {
        let resolved = realpath(path, nil)
        defer { free(resolved) }
        let place = resolved.map { String(cString: $0) } ?? path
        let new = "\(place).\(getpid())"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(path) }
        let isWritten = Terminal.put(text, to: descriptor) && fsync(descriptor) == 0
        guard close(descriptor) == 0, isWritten, rename(new, place) == 0 else {
            let error = failure(path)
            unlink(new)
            throw error
        }
    }

    private func failure(_ path: String) -> ExitCode {
        Terminal.failure("\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
}

extension ServiceConnection {
    /// Does something, and waits for the event that follows.
    fileprivate func expect(_ kind: String, within nanoseconds: Int64, after body: () throws -> Void) throws {
        var (isThere, isLate) = (false, false)
        let subscription = bus.subscribe(
            MatchRule(
                sender: AudioSessionBus.name, path: AudioSessionBus.managerPath,
                interface: AudioSessionBus.managerInterface, member: "Event")
        ) { if $0.arguments.dropFirst().first?.text == kind { isThere = true } }
        try callOrExit("Subscribe")
        try body()
        let timer = loop.timer { isLate = true }
        timer.arm(at: loop.now + nanoseconds)
        withExtendedLifetime(subscription) { loop.run(until: { isThere || isLate }) }
        timer.cancel()
        if !isThere {
            Terminal.complain("it is written, but the module has not taken it; audio-session check may say why")
        }
    }
}
