import Glibc

/// Starts a program, in which the signals that this process waits for are not blocked.
///
/// - Parameters:
///   - changes: Variables that differ from this process's environment.
///   - files: Says which files it has, if not those of this process.
/// - Returns: The process, or why there is none, as in `errno`.
func spawn(
    _ words: [String], environment changes: [String: String] = [:],
    _ files: (inout posix_spawn_file_actions_t) -> Void = { _ in }
) -> (process: pid_t, error: Int32) {
    var attributes = posix_spawnattr_t()
    var actions = posix_spawn_file_actions_t()
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    posix_spawn_file_actions_init(&actions)
    files(&actions)
    var variables = changes.map { strdup("\($0)=\($1)") }
    var next = environ
    while let entry = next.pointee {
        let text = String(cString: entry)
        if !changes.keys.contains(where: { text.hasPrefix("\($0)=") }) { variables.append(strdup(entry)) }
        next += 1
    }
    variables.append(nil)
    var arguments = words.map { strdup($0) } + [nil]
    var process = pid_t()
    let error = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &variables)
    for text in variables + arguments { free(text) }
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
    return (process, error)
}
