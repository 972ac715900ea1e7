"""A terminal with a program in it: a screen that understands what audio-session top writes, and keys.

The screen knows the sequences that top uses, and fails on any other: positions, erasing, modes, and the attributes bold, faint,
reversed and a few colours.
"""

import codecs
import ctypes
import fcntl
import html
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unicodedata

_libc = ctypes.CDLL(None, use_errno=True)
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG
#: After so many seconds, what is waited for hangs.
HUNG = 120
SEQUENCE = re.compile(r"\x1b\[([?]?)([0-9;]*)([A-Za-z])")
COLOURS = {31: "#c01c28", 32: "#26a269", 33: "#a2734c"}


class Unknown(Exception):
    """A sequence that this screen does not know."""


def width(character):
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """Rows of cells, each a character and its attributes."""

    def __init__(self, rows, columns):
        self.modes, self.attributes, self.rest = set(), frozenset(), ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[(" ", frozenset())] * columns for _ in range(rows)]
        self.row = self.column = 0

    def feed(self, data):
        text = self.rest + self.decoder.decode(data)
        self.rest = ""
        place = 0
        while place < len(text):
            if text[place] != "\x1b":
                self.put(text[place])
                place += 1
                continue
            found = SEQUENCE.match(text, place)
            if not found:
                if len(text) - place > 20:
                    raise Unknown(repr(text[place:place + 20]))
                self.rest = text[place:]
                return
            self.do(*found.groups())
            place = found.end()

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.row + 1, self.rows - 1)
        elif ord(character) < 0x20 or ord(character) == 0x7F:
            raise Unknown(repr(character))
        elif width(character) == 0:
            before = self.cells[self.row][max(0, self.column - 1)]
            self.cells[self.row][max(0, self.column - 1)] = (before[0] + character, before[1])
        elif self.column < self.columns:
            self.cells[self.row][self.column] = (character, self.attributes)
            for following in range(1, width(character)):
                if self.column + following < self.columns:
                    self.cells[self.row][self.column + following] = ("", self.attributes)
            # Without wrapping, the cursor stays at the last column, and what is erased then is erased there.
            self.column = min(self.column + width(character), self.columns - 1 if 7 not in self.modes else self.columns)

    def do(self, private, numbers, letter):
        values = [int(number or 0) for number in numbers.split(";")] if numbers else []
        if private and letter in "hl":
            for value in values:
                # 1049: the other screen; 25: the cursor; 7: wrapping. The latter two are on at first.
                (self.modes.add if (letter == "h") == (value == 1049) else self.modes.discard)(value if value == 1049 else -value)
        elif letter == "H" and len(values) == 2:
            self.row, self.column = min(values[0], self.rows) - 1, min(values[1], self.columns) - 1
        elif letter == "J" and values == [2]:
            self.cells = [[(" ", frozenset())] * self.columns for _ in range(self.rows)]
        elif letter == "K" and values == [2]:
            self.cells[self.row] = [(" ", frozenset())] * self.columns
        elif letter == "m":
            for value in values or [0]:
                self.attributes = frozenset() if value == 0 else self.attributes | {value}
        else:
            raise Unknown(f"{private}{numbers}{letter}")

    @property
    def lines(self):
        return ["".join(character for character, _ in row).rstrip() for row in self.cells]

    @property
    def text(self):
        return "\n".join(self.lines)

    def svg(self):
        """A picture of the screen."""
        wide, high = 8.4, 18
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.columns * wide + 16:.0f} {self.rows * high + 16}" '
            'font-family="DejaVu Sans Mono, Liberation Mono, monospace" font-size="14">',
            '<rect width="100%" height="100%" rx="6" fill="#ffffff" stroke="#c0c0c0"/>',
        ]
        for row, cells in enumerate(self.cells):
            column = 0
            while column < self.columns:
                end, (_, attributes) = column, cells[column]
                while end < self.columns and cells[end][1] == attributes:
                    end += 1
                text = "".join(character for character, _ in cells[column:end])
                x, y = 8 + column * wide, 8 + row * high
                fill = next((COLOURS[value] for value in attributes if value in COLOURS), "#1e1e1e")
                if 7 in attributes:
                    parts.append(f'<rect x="{x:.1f}" y="{y}" width="{(end - column) * wide:.1f}" height="{high}" fill="#1e1e1e"/>')
                    fill = "#ffffff"
                weight = ' font-weight="bold"' if 1 in attributes else ""
                faint = ' opacity="0.6"' if 2 in attributes else ""
                if text.strip():
                    # Each run is as long as its cells, whatever the font.
                    parts.append(
                        f'<text x="{x:.1f}" y="{y + 14}" textLength="{(end - column) * wide:.1f}" lengthAdjust="spacingAndGlyphs" '
                        f'xml:space="preserve" fill="{fill}"{weight}{faint}>{html.escape(text)}</text>')
                column = end
        return "\n".join([*parts, "</svg>", ""])


class Terminal:
    """A program with a terminal of its own."""

    def __init__(self, command, environment, rows=24, columns=80):
        self.master, self.slave = pty.openpty()
        self.screen = Screen(rows, columns)
        self.resize(rows, columns, is_told=False)
        self.settings = termios.tcgetattr(self.slave)
        self.settings[3] |= termios.ECHO | termios.ICANON
        termios.tcsetattr(self.slave, termios.TCSANOW, self.settings)
        parent = os.getpid()

        def own_terminal():
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            _libc.prctl(_END_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

        self.child = subprocess.Popen(
            command, env=environment | {"TERM": "xterm-256color"}, stdin=self.slave, stdout=self.slave,
            stderr=subprocess.PIPE, start_new_session=True, preexec_fn=own_terminal)

    def resize(self, rows, columns, is_told=True):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if is_told:
            self.screen.resize(rows, columns)

    def read(self, seconds=0.05):
        """Takes what the program has written within some time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.master], [], [], left)[0]:
                return
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            if not data:
                return
            self.screen.feed(data)

    def press(self, keys):
        os.write(self.master, keys.encode())

    def wait(self, what, condition, seconds=HUNG):
        """Reads until the screen is as expected."""
        end = time.monotonic() + seconds
        while True:
            self.read()
            if answer := condition(self.screen):
                return answer
            if time.monotonic() > end:
                raise AssertionError(f"waited {seconds} s for {what} in vain; the screen:\n{self.screen.text}")

    def wait_for(self, *texts, seconds=HUNG):
        self.wait(" and ".join(texts), lambda screen: all(text in screen.text for text in texts), seconds)

    @property
    def is_restored(self):
        """Whether screen, cursor, wrapping and settings are as before."""
        return not self.screen.modes and termios.tcgetattr(self.slave) == self.settings

    def end(self, seconds=HUNG):
        """Waits for the program's end, and returns its status and what it has complained of."""
        limit = time.monotonic() + seconds
        while self.child.poll() is None:
            self.read(0.02)
            if time.monotonic() > limit:
                raise AssertionError("the program does not end")
        self.read(0.1)
        return self.child.returncode, self.child.stderr.read().decode()

    def close(self):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        self.child.stderr.close()
        os.close(self.master)
        os.close(self.slave)
