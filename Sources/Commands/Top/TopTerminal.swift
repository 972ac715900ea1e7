import Glibc

/// The terminal as `audio-session top` uses it: the alternate screen, without echo and line editing; restored whatever ends
/// the program, but for SIGKILL.
final class TopTerminal {
    private var former = termios()
    private var isEntered = false
    /// The lines on the screen; empty if they are not known.
    private var shown: [String] = []

    /// Takes the terminal; `nil` if input or output is no terminal, or the terminal lacks what is needed.
    init?() {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, environment("TERM") != "dumb",
            tcgetattr(STDIN_FILENO, &former) == 0
        else { return nil }
        Rescue.prepare(former)
    }

    // The alternate screen, no cursor, no wrapping; and all of that undone.
    private static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    private static let end = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Sets up the terminal, also after ``leave()``; the screen is empty then.
    func enter() {
        var raw = former
        // Signals from the keyboard remain, and are handled as those from elsewhere.
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        Rescue.isNeeded = true
        isEntered = true
        shown = []
        _ = Terminal.put(Self.begin, to: STDOUT_FILENO)
    }

    /// Gives the terminal back as it was.
    func leave() {
        guard isEntered else { return }
        isEntered = false
        _ = Terminal.put(Self.end, to: STDOUT_FILENO)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &former)
        Rescue.isNeeded = false
    }

    /// Rows and columns.
    var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return (24, 80)
        }
        return (min(Int(size.ws_row), 500), min(Int(size.ws_col), 1000))
    }

    /// Shows lines, of which only those that differ are written. Returns whether they could be.
    func show(_ lines: [String]) -> Bool {
        guard isEntered else { return true }
        var text = ""
        for (row, line) in lines.enumerated() where row >= shown.count || shown[row] != line {
            // The row is erased first: behind a line that fills it, the last character would be erased.
            text += "\u{1B}[\(row + 1);1H\u{1B}[0m\u{1B}[2K\(Terminal.harmless(line))"
        }
        shown = lines
        return text.isEmpty || Terminal.put(text, to: STDOUT_FILENO)
    }

    /// Lets the next ``show(_:)`` write all lines, as after a change of the size.
    func forget() {
        shown = []
        _ = Terminal.put("\u{1B}[0m\u{1B}[2J", to: STDOUT_FILENO)
    }

    /// Gives the terminal back when the program crashes.
    private enum Rescue {
        /// How the terminal was, and whether it is changed. Written before any signal can come.
        nonisolated(unsafe) static var former = termios()
        nonisolated(unsafe) static var isNeeded = false
        private static let sequence: StaticString = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

        static func prepare(_ settings: termios) {
            former = settings
            for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
                // Calls only functions that a signal handler may call.
                signal(number) { number in
                    if Rescue.isNeeded {
                        _ = Rescue.sequence.withUTF8Buffer { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                        tcsetattr(STDIN_FILENO, TCSADRAIN, &Rescue.former)
                    }
                    signal(number, SIG_DFL)
                    raise(number)
                }
            }
        }
    }
}
