import Foundation

/// Cleans up if this process cannot. A shell holds one end of a socket. When the other end closes without a farewell
/// message (a crash, SIGKILL), the shell kills the listed children and removes their folder.
///
/// `PR_SET_PDEATHSIG` would be shorter, but takes effect when the *thread* that started the child ends, and pool
/// threads do.
final class Guardian: Sendable {
    private static let script = """
        trap '' INT TERM HUP
        list=' '
        while read -r verb process; do
            case $verb in
                watch) list="$list$process " ;;
                forget) list="${list%% $process *} ${list#* $process }" ;;
                farewell) exit 0 ;;
            esac
        done
        for process in $list; do kill -KILL "$process"; done
        rm -rf -- "$1"
        """

    private let socket: Int32
    private let processID: pid_t

    init(directory: String) throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw SystemError(code: errno, context: "socketpair")
        }
        defer { close(ends[1]) }
        socket = ends[0]
        do {
            processID = try spawn(
                ["/bin/sh", "-c", Guardian.script, "guardian", directory], environment: ["PATH": "/usr/bin:/bin"],
                input: ends[1], output: "/dev/null", errors: "/dev/null")
        } catch {
            close(ends[0])
            throw error
        }
    }

    func watch(_ child: pid_t) { say("watch \(child)") }

    func forget(_ child: pid_t) { say("forget \(child)") }

    deinit {
        say("farewell")
        close(socket)
        var word: Int32 = 0
        while waitpid(processID, &word, 0) == -1 && errno == EINTR {}
    }

    private func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
