import Foundation

/// A failed system call and its purpose.
public struct SystemError: Error, CustomStringConvertible, Sendable {
    /// The `errno` value.
    public let code: Int32
    /// The call and its argument.
    public let context: String

    /// The context and the system's text.
    public var description: String { "\(context): \(String(cString: strerror(code)))" }
}

/// The niceness of what gets a processor before all programs of ordinary niceness: the lowest that the group `pipewire` may
/// have. Real-time priority would let each program compute for 100 ms while the others wait.
let firstNiceness: Int32 = -19

/// Starts a program that inherits only what is named here.
///
/// We use `posix_spawn` instead of `Foundation.Process`, because the tests must control the process id, the moment of
/// reaping, and the inherited descriptors and signals. The child leads its own process group, so an interrupt typed at
/// the terminal reaches only the test, which then ends its children in order.
///
/// - Parameter comesFirst: Whether it gets a processor before all programs of ordinary priority, where this user may say so.
func spawn(
    _ command: [String], environment: [String: String], input: Int32?, output: String, errors: String,
    comesFirst: Bool = false
) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }
    if let input {
        posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    let append = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 1, output, append, 0o600)
    if errors == output {
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
    } else {
        posix_spawn_file_actions_addopen(&actions, 2, errors, append, 0o600)
    }
    // Some of Foundation's descriptors are not closed on exec. Closing one that is not open is no error here.
    for descriptor: Int32 in 3..<512 { posix_spawn_file_actions_addclose(&actions, descriptor) }

    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer {
        for text in arguments + variables { free(text) }
    }
    var processID: pid_t = 0
    let code = posix_spawn(&processID, command[0], &actions, &attributes, &arguments, &variables)
    guard code == 0 else { throw SystemError(code: code, context: "start \(command[0])") }
    if comesFirst { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(processID), firstNiceness) }
    return processID
}
