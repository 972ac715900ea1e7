"""The programs: how each is started, what its own remote control can do, and what it displays."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import socket
import subprocess
import sys
import threading

from desktop import Failure, build, package_flags
from page import Page
from sound import BUILT

HERE = pathlib.Path(__file__).parent
MPRIS = "org.mpris.MediaPlayer2"


class Program:
    """One program, which plays the music. The buttons of its own remote control are methods named press_BUTTON. Where one button
    pauses what plays and resumes what is paused, it is press_switch."""

    NAME = ""
    #: How its name on the session bus goes on after org.mpris.MediaPlayer2., if it is a player there.
    PLAYER = None
    #: Whether its player on the bus can be moved to another second.
    CAN_SEEK = True
    #: The servers with which it can play.
    SERVERS = ("pipewire", "pulseaudio")
    #: How much of the music it throws away when it pauses, in seconds.
    THROWS_AWAY = 0
    #: Whether it plays the music, whose position can be heard, or something of its own.
    PLAYS_MUSIC = True
    #: Whether it is a telephone, which calls while another program plays.
    CALLS = False
    #: Whether a telephone also has streams that belong to no call.
    PLAYS_OTHERS = False

    def __init__(self, desktop, music):
        self.desktop, self.music, self.process = desktop, music, None
        self.log = desktop.logs / f"program-{self.NAME}"

    # The program

    def command(self):
        raise NotImplementedError

    def start(self):
        self.process = self.run(self.command())

    def run(self, command, environment=None, **options):
        with open(self.log, "ab") as output:
            return self.desktop.spawn(command, environment, **({"stdout": output, "stderr": output} | options))

    def lives(self):
        return self.process.poll() is None

    def close(self):
        """Ends it, as its user does."""
        self.desktop.end_group(self.process)

    def processes(self):
        """Its processes' numbers: those of its group."""
        found = subprocess.run(["ps", "-eo", "pid=,sid="], capture_output=True, text=True).stdout
        return {int(pid) for pid, session in map(str.split, found.splitlines()) if int(session) == self.process.pid}

    def said(self):
        return self.log.read_text(errors="replace")[-600:] if self.log.exists() else ""

    # Its buttons and what it displays

    @classmethod
    def can(cls, button):
        """Whether its own remote control can do that in a call. A player on the bus is displayed as paused then: its switch would
        resume it."""
        has_switch = hasattr(cls, "press_switch") and (button == "play" or button == "pause" and cls.PLAYER is None)
        return has_switch or hasattr(cls, f"press_{button}")

    def press(self, button):
        getattr(self, f"press_{button}", getattr(self, "press_switch", None))()

    def status(self):
        """What its own display says, if it has one: Playing, Paused or Stopped."""
        return None

    def player(self):
        """Its name on the session bus; None while it has none."""
        if self.PLAYER is None:
            return None
        names = self.desktop.tool(
            "busctl", f"--address=unix:path={self.desktop.run}/bus", "--json=short", "list", "--acquired")
        found = [entry["name"] for entry in json.loads(names) if entry["name"].startswith(f"{MPRIS}.{self.PLAYER}")]
        return found[0] if found else None

    def command_player(self, word, *arguments):
        """Presses a button of a desktop's panel."""
        return self.desktop.tool("playerctl", "-p", self.player().removeprefix(f"{MPRIS}."), word, *arguments).strip()

    def displays(self):
        """What is displayed, by display: on the desktop's panel, and its own."""
        found = {}
        if (player := self.player()) is not None:
            found["MPRIS"] = self.command_player("status")
        if (own := self.status()) is not None:
            found["own"] = own
        return found


def ask(path, text, ends=None):
    """Says a line to a socket and returns what is answered until a text, or in half a second."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(0.5 if ends is None else 10)
        connection.connect(str(path))
        connection.sendall(text.encode() + b"\n")
        answer = b""
        with contextlib.suppress(TimeoutError):
            while part := connection.recv(65536):
                answer += part
                if ends is not None and ends in answer:
                    break
        return answer.decode(errors="replace")


class Terminal:
    """A terminal in which a program runs, and whose keys can be pressed."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self):
        with contextlib.suppress(OSError):
            while os.read(self.master, 65536):
                pass

    def options(self):
        return {"stdin": self.slave, "stdout": self.slave, "stderr": self.slave}

    def type(self, text):
        os.write(self.master, text.encode())


class Mpv(Program):
    NAME, PLAYER = "mpv", "mpv"

    def command(self):
        self.socket = self.desktop.run / "mpv"
        return ["mpv", "--no-video", "--no-terminal", f"--input-ipc-server={self.socket}", self.music]

    def tell(self, *words):
        answer = ask(self.socket, json.dumps({"command": words, "request_id": 7}), b'"request_id":7')
        return next(value for value in map(json.loads, answer.splitlines()) if value.get("request_id") == 7)

    def press_pause(self):
        self.tell("set_property", "pause", True)

    def press_play(self):
        self.tell("set_property", "pause", False)

    def press_seek(self):
        self.tell("seek", 5)

    def status(self):
        return "Paused" if self.tell("get_property", "pause")["data"] else "Playing"


class Vlc(Program):
    NAME, PLAYER = "vlc", "vlc"

    def command(self):
        self.socket = self.desktop.run / "vlc"
        program = pathlib.Path(shutil.which("vlc"))
        if os.geteuid() == 0:
            # It refuses to run as root, so this is a copy that asks for its parent in place of its user.
            copy = self.desktop.folder / "vlc"
            copy.write_bytes(program.read_bytes().replace(b"geteuid", b"getppid"))
            copy.chmod(0o755)
            program = copy
        return [program, "-I", "oldrc", "--rc-fake-tty", "--rc-unix", self.socket, "--no-video", self.music]

    def press_switch(self):
        ask(self.socket, "pause")

    def status(self):
        answer = ask(self.socket, "status")
        return "Paused" if "Type 'pause' to continue" in answer else "Playing" if "play state: 3" in answer else "Stopped"


class Audacious(Program):
    NAME, PLAYER = "audacious", "audacious"

    def command(self):
        return ["audacious", "-H", "-p", self.music]

    def tell(self, *words):
        return self.desktop.tool("audtool", *words).strip()

    def press_play(self):
        self.tell("playback-play")

    def press_switch(self):
        self.tell("playback-pause")

    def press_seek(self):
        self.tell("playback-seek-relative", 5)

    def status(self):
        return self.tell("playback-status").capitalize()


class Cmus(Program):
    NAME, PLAYER = "cmus", "cmus"

    def start(self):
        self.socket, self.terminal = self.desktop.run / "cmus", Terminal()
        self.process = self.run(["cmus", "--listen", self.socket], {"TERM": "xterm"}, **self.terminal.options())
        self.desktop.wait("cmus", lambda: self.socket.exists() and self.tell("-Q"))
        self.tell("-f", self.music)

    def tell(self, *words):
        return self.desktop.tool("cmus-remote", "--server", self.socket, *words)

    def press_pause(self):
        self.tell("-C", "player-pause-playback")

    def press_play(self):
        self.tell("-p")

    def press_seek(self):
        self.tell("-k", "+5")

    def status(self):
        return re.search(r"^status (\w+)", self.tell("-Q"))[1].capitalize()


class Mpd(Program):
    """With mpDris2, which is its player on the bus."""

    NAME, PLAYER = "mpd", "mpd"
    OUTPUT = "pulse"
    #: It cancels what its outputs have buffered (src/output/Filtered.cxx, BeginPause).
    THROWS_AWAY = 1

    def start(self):
        folder = self.desktop.folder / "mpd"
        folder.mkdir(exist_ok=True)
        self.socket, self.bridge = self.desktop.run / "mpd", None
        (folder / "mpd.conf").write_text(f"""
            bind_to_address "{self.socket}"
            log_file "{self.log}"
            filesystem_charset "UTF-8"
            audio_output {{
                type "{self.OUTPUT}"
                name "sound"
            }}
        """)
        self.process = self.run(["mpd", "--no-daemon", folder / "mpd.conf"])
        self.desktop.wait("mpd", lambda: self.tell("version"))
        if self.PLAYER:
            (folder / "bridge.conf").write_text(f"[Connection]\nhost = {self.socket}\n[Bling]\nnotify = False\nmmkeys = False\n")
            self.bridge = self.run(["mpDris2", f"--config={folder}/bridge.conf"])
            self.desktop.wait("mpDris2", self.player)
        self.tell("add", f"file://{self.music}")
        self.tell("play")

    def close(self):
        super().close()
        if self.bridge:
            self.desktop.end_group(self.bridge)

    def tell(self, *words):
        return self.desktop.tool("mpc", f"--host={self.socket}", *words)

    def press_pause(self):
        self.tell("pause")

    def press_play(self):
        self.tell("play")

    def press_seek(self):
        self.tell("seek", "+5")

    def press_stop(self):
        self.tell("stop")

    def status(self):
        return self.tell("status", "%state%").strip().capitalize()


class MpdAlsa(Mpd):
    NAME, PLAYER = "mpd-alsa", None
    OUTPUT = "alsa"


class InBrowser(Program):
    """A page in a browser."""

    BROWSER = ""

    def make_page(self):
        raise NotImplementedError

    def start(self):
        self.page = self.make_page()
        self.browser = self.page.open(self.BROWSER, self.desktop)
        self.process = self.browser.process

    def close(self):
        self.browser.end()
        self.page.server.shutdown()


class PlayerInBrowser(InBrowser):
    #: The page's server cannot begin in the middle of a file.
    CAN_SEEK = False

    def make_page(self):
        return Page(HERE / "player.html", self.music)

    def press_pause(self):
        self.page.press("pause")

    def press_play(self):
        self.page.press("play")

    def status(self):
        return self.page.press("state")


class Chromium(PlayerInBrowser):
    NAME = PLAYER = BROWSER = "chromium"


class Firefox(PlayerInBrowser):
    NAME = PLAYER = BROWSER = "firefox"


class Screen:
    """A display without a screen, for programs that have windows."""

    def __init__(self, desktop):
        self.desktop = desktop
        reader, writer = os.pipe()
        command = ["Xvfb", "-displayfd", writer, "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
        self.process = desktop.spawn(command, pass_fds=[writer])
        os.close(writer)
        with os.fdopen(reader) as answer:
            self.number = answer.readline().strip()

    def end(self):
        self.desktop.end(self.process)


class Graphical(Program):
    """A program with a window."""

    def start(self):
        self.screen = Screen(self.desktop)
        self.environment = {
            "DISPLAY": f":{self.screen.number}", "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1", "LIBGL_ALWAYS_SOFTWARE": "1",
            "GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb", "GTK_USE_PORTAL": "0"}
        self.prepare()
        self.process = self.run(self.command(), self.environment)
        self.play_it()

    def prepare(self):
        """Writes what its user has set before."""

    def play_it(self):
        """Has it play, if it does not by itself."""

    def tell(self, *words):
        """Runs its remote control."""
        done = subprocess.run(
            list(map(str, words)), env=self.desktop.environment | self.environment, capture_output=True, text=True, timeout=60)
        return done.stdout.strip()

    def command(self):
        return [self.NAME, self.music]

    def close(self):
        super().close()
        self.screen.end()


class Told(Graphical):
    """One with a command that pauses and plays it: the words for each."""

    PAUSE, PLAY = (), ()

    def press_pause(self):
        self.tell(*self.PAUSE)

    def press_play(self):
        self.tell(*self.PLAY)


class Celluloid(Graphical):
    NAME, PLAYER = "celluloid", "io.github.celluloid_player.Celluloid"

    def command(self):
        return ["celluloid", "--new-window", self.music]


class Rhythmbox(Told):
    NAME, PLAYER = "rhythmbox", "rhythmbox"
    PAUSE, PLAY = ("rhythmbox-client", "--no-start", "--pause"), ("rhythmbox-client", "--no-start", "--play")

    def command(self):
        return ["rhythmbox"]

    def play_it(self):
        self.desktop.wait("rhythmbox", self.player)
        self.tell("rhythmbox-client", "--no-start", f"--play-uri=file://{self.music}")


class QuodLibet(Told):
    NAME = "quodlibet"
    PAUSE, PLAY = ("quodlibet", "--pause"), ("quodlibet", "--play")

    def command(self):
        return ["quodlibet", "--run", f"--play-file={self.music}"]

    def status(self):
        return self.tell("quodlibet", "--status").split()[0].capitalize()


class Lollypop(Graphical):
    NAME, PLAYER = "lollypop", "Lollypop"


class Clementine(Told):
    NAME, PLAYER = "clementine", "clementine"
    PAUSE, PLAY = ("clementine", "--pause"), ("clementine", "--play")


class Strawberry(Told):
    NAME, PLAYER = "strawberry", "strawberry"
    PAUSE, PLAY = ("strawberry", "--pause"), ("strawberry", "--play")

    def play_it(self):
        self.desktop.wait("strawberry", self.player)
        self.tell(*self.PLAY)


class Haruna(Graphical):
    NAME, PLAYER = "haruna", "haruna"


class Totem(Graphical):
    NAME = "totem"


class SMPlayer(Told):
    NAME, PLAYER = "smplayer", "smplayer"
    PAUSE, PLAY = ("smplayer", "-send-action", "pause"), ("smplayer", "-send-action", "play")


class Parole(Graphical):
    NAME = "parole"


class Elisa(Graphical):
    NAME, PLAYER = "elisa", "elisa"


class Dragon(Graphical):
    NAME, PLAYER = "dragon", "dragonplayer"


class Pragha(Graphical):
    NAME, PLAYER = "pragha", "pragha"

    def play_it(self):
        self.desktop.wait("pragha", self.player)
        self.press_play()

    def press_play(self):
        self.tell("pragha", "--play")

    def press_switch(self):
        # It resumes what is paused, whatever its name says.
        self.tell("pragha", "--pause")


class Qmmp(Graphical):
    NAME = "qmmp"

    def press_switch(self):
        self.tell("qmmp", "--play-pause")


class Ffplay(Graphical):
    NAME = "ffplay"

    def command(self):
        return ["ffplay", "-loglevel", "error", self.music]

    def press_switch(self):
        self.tell("xdotool", "search", "--class", "ffplay", "key", "p")


class InTerminal(Program):
    """A program whose keys are its buttons."""

    WORDS, KEY = (), None

    def command(self):
        return [*self.WORDS, self.music]

    def start(self):
        self.terminal = Terminal()
        self.process = self.run(self.command(), {"TERM": "xterm"}, **self.terminal.options())


class KeyInTerminal(InTerminal):
    """One of which a key pauses it and resumes it."""

    def press_switch(self):
        self.terminal.type(self.KEY)


class Mplayer(KeyInTerminal):
    NAME, WORDS, KEY = "mplayer", ("mplayer", "-quiet", "-ao", "pulse"), "p"


class GstPlay(KeyInTerminal):
    NAME, WORDS, KEY = "gst-play", ("gst-play-1.0", "--audiosink=pulsesink"), " "


class GstPipewire(KeyInTerminal):
    NAME, WORDS, KEY, SERVERS = "gst-pipewire", ("gst-play-1.0", "--audiosink=pipewiresink"), " ", ("pipewire",)


class Mpg123(InTerminal):
    NAME = "mpg123"

    def command(self):
        return ["mpg123", "-q", "-o", "pulse", self.music.with_suffix(".mp3")]


class Aplay(KeyInTerminal):
    """Through the plugin of ALSA for PulseAudio."""

    NAME, WORDS, KEY = "aplay", ("aplay", "-i", "-D", "pulse"), " "


class Ogg123(InTerminal):
    NAME = "ogg123"

    def command(self):
        return ["ogg123", self.music.with_suffix(".ogg")]


class Sox(InTerminal):
    NAME, WORDS = "sox", ("play", "-q")

    def start(self):
        self.process = self.run(self.command(), {"AUDIODRIVER": "alsa", "AUDIODEV": "pulse"})


class Paplay(InTerminal):
    NAME, WORDS = "paplay", ("paplay",)


class PwPlay(InTerminal):
    NAME, WORDS, SERVERS = "pw-play", ("pw-play",), ("pipewire",)


class Moc(Program):
    NAME = "moc"

    def start(self):
        folder = self.desktop.home / ".moc"
        folder.mkdir(exist_ok=True)
        (folder / "config").write_text("SoundDriver = ALSA\nALSADevice = pulse\n")
        self.process = self.run(["mocp", "--server", "--foreground"])
        self.desktop.wait("moc", lambda: self.tell("--info"))
        self.tell("--playit", self.music)

    def tell(self, *words):
        return self.desktop.tool("mocp", *words)

    def press_pause(self):
        self.tell("--pause")

    def press_play(self):
        self.tell("--unpause")

    def status(self):
        return {"PLAY": "Playing", "PAUSE": "Paused"}.get(re.search(r"State: (\w+)", self.tell("--info"))[1], "Stopped")


def made_once(folder, make):
    """A folder, which the first of all who need it makes."""
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            fresh = folder.with_name(f"{folder.name}.new")
            shutil.rmtree(fresh, ignore_errors=True)
            make(fresh)
            fresh.rename(folder)
    return folder


class Compiled(Program):
    """A program of Tests/Applications that plays as games do, through a library."""

    LIBRARY = ""

    def command(self):
        return [build(BUILT / f"{self.NAME}-game", [HERE / f"{self.NAME}.c"], *package_flags(self.LIBRARY)), self.music]


class Sdl2(Compiled):
    NAME, LIBRARY = "sdl2", "sdl2"


class Sdl3(Program):
    """A game in Python. Debian 12 has no SDL 3; the library tcod, from PyPI, brings its own."""

    NAME, LIBRARY = "sdl3", "tcod==21.2.2"

    def command(self):
        return [made_once(BUILT / "sdl3", self.install) / "bin/python", HERE / "sdl3.py", self.music]

    def install(self, environment):
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([environment / "bin/python", "-m", "pip", "--quiet", "install", self.LIBRARY], check=True)


class OpenAL(Compiled):
    NAME, LIBRARY = "openal", "openal"


class Winmm(Program):
    """A program of Windows, in Wine, which all desktops have in common: a Windows takes half a gigabyte and its time."""

    NAME = "winmm"

    def start(self):
        file = build(BUILT / "winmm.exe", [HERE / f"{self.NAME}.c"], "-lwinmm", compiler="x86_64-w64-mingw32-gcc")
        windows = made_once(BUILT / "windows", self.install)
        self.process = self.run(["wine", file, f"Z:{self.music}"], self.variables(windows))

    def install(self, windows):
        made = self.run(["sh", "-c", "wineboot --init && wineserver --wait"], self.variables(windows))
        self.desktop.wait("Wine", lambda: made.poll() is not None)

    def variables(self, windows):
        # Without what it would download, and without a display.
        return {"WINEPREFIX": str(windows), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree=;mshtml=", "DISPLAY": ""}


class FluidSynth(Program):
    """Plays a note that does not end."""

    NAME, PLAYS_MUSIC = "fluidsynth", False

    def command(self):
        file = self.desktop.folder / "note.mid"
        # A lead's A of 880 Hz, whose other tones are none of the call's, for 120 s.
        events = bytes([0, 0xC0, 80, 0, 0x90, 81, 100, 0x81, 0xE1, 0x00, 0x80, 81, 0, 0, 0xFF, 0x2F, 0])
        file.write_bytes(b"MThd" + bytes([0, 0, 0, 6, 0, 0, 0, 1, 0, 120]) + b"MTrk" + len(events).to_bytes(4, "big") + events)
        sounds = "/usr/share/sounds/sf2/default-GM.sf2"
        return ["fluidsynth", "-a", "pulseaudio", "-i", "-q", "-g", "1", "-R", "no", "-C", "no", sounds, file]


PROGRAMS = {program.NAME: program for program in (
    Mpv, Vlc, Audacious, Cmus, Mpd, MpdAlsa, Chromium, Firefox, Celluloid, Rhythmbox, QuodLibet, Lollypop, Clementine, Strawberry,
    Haruna, Totem, SMPlayer, Parole, Elisa, Dragon, Pragha, Qmmp, Ffplay, Mplayer, GstPlay, GstPipewire, Mpg123, Aplay, Ogg123,
    Sox, Paplay, PwPlay, Moc, Sdl2, Sdl3, OpenAL, Winmm, FluidSynth)}
