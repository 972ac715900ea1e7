"""Telephones: how each is started, and how it calls another one on this machine, whose voice is the tone of a call."""

import socket
import subprocess

from browser import HERE as PAGES
from decisions import listed
from page import Page
from programs import HERE, Graphical, InBrowser, Program
from sound import CALL

BARESIP = """
    sip_listen 127.0.0.1:{port}
    audio_source {source}
    audio_player {player}
    audio_alert {player}
    ausrc_srate 48000
    ausrc_channels 2
    auplay_srate 48000
    module_path /usr/lib/baresip/modules
    module stdio.so
    module g711.so
    module aufile.so
    module aubridge.so
    module alsa.so
    module_tmp account.so
    module_app menu.so
"""


def free_port():
    with socket.socket(type=socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def baresip(folder, port, source, player, account=""):
    """Writes what baresip's user has set, and returns its command."""
    folder.mkdir(exist_ok=True)
    (folder / "config").write_text(BARESIP.format(port=port, source=source, player=player))
    (folder / "accounts").write_text(f"<sip:{folder.name}@127.0.0.1:{port}>;regint=0{account}\n")
    (folder / "contacts").touch()
    return ["baresip", "-f", folder]


class Caller(Program):
    """A telephone, whose keys are pressed on its standard input."""

    CALLS = True
    #: What it says when it is ready, and how it is told to call and to hang up.
    READY, DIAL, HANG_UP = "", "", ""

    def start(self):
        """Starts it, and whom it calls. That one answers, and plays nothing here: it sends a file."""
        self.port = free_port()
        words = baresip(self.desktop.folder / "other", self.port, f"aufile,{CALL}", "aubridge,none", ";answermode=auto")
        with open(self.log.with_suffix(".other"), "wb") as output:
            self.other = self.desktop.spawn(words, stdin=subprocess.PIPE, stdout=output, stderr=output)
        self.process = self.run(self.command(), stdin=subprocess.PIPE)
        for one, word in ((self.log.with_suffix(".other"), Baresip.READY), (self.log, self.READY)):
            self.desktop.wait(f"the telephone {one.name}", lambda: word in one.read_text(errors="replace"))

    def tell(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def press_dial(self):
        self.tell(f"{self.DIAL} sip:other@127.0.0.1:{self.port}")

    def press_hang_up(self):
        self.tell(self.HANG_UP)

    def close(self):
        super().close()
        self.desktop.end_group(self.other)


class Baresip(Caller):
    """Through ALSA: Debian's has no module for PulseAudio."""

    NAME, READY, DIAL, HANG_UP = "baresip", "baresip is ready", "/dial", "/hangup"

    def command(self):
        return baresip(self.desktop.folder / "baresip", free_port(), "alsa,pulse", "alsa,pulse")


class Linphone(Caller):
    NAME, READY, DIAL, HANG_UP = "linphonec", "linphonec>", "call", "terminate"

    def command(self):
        # It does not make this folder, and opens no port without it.
        (self.desktop.home / ".local/share/linphone").mkdir(parents=True, exist_ok=True)
        file, card = self.desktop.folder / "linphonerc", "PulseAudio: default"
        file.write_text(
            f"[sip]\nsip_port={free_port()}\nsip_tcp_port=0\nsip_tls_port=0\nuse_ipv6=0\n[rtp]\naudio_rtp_port=-1\n"
            f"[sound]\nplayback_dev_id={card}\ncapture_dev_id={card}\nringer_dev_id={card}\nechocancellation=0\n")
        return ["linphonec", "-c", file]


class Mumble(Graphical):
    """Has its microphone open while it runs, and is no call: its voices are heard beside games and music."""

    NAME, CALLS = "mumble", True

    def prepare(self):
        # It has run before, and lists no servers of the world.
        self.desktop.write("Mumble/Mumble.conf", "[General]\nlastupdate=2\n[ui]\ndisablepublist=true")

    def command(self):
        return ["mumble"]

    def play_it(self):
        self.desktop.wait("the microphone", lambda: any(
            stream["process"] == self.process.pid and stream["direction"] == "capture" for stream in listed(self.desktop, "streams")))


class Meeting(InBrowser):
    """A meeting on a page."""

    CALLS, PLAYS_OTHERS = True, True

    def make_page(self):
        return Page(HERE / "meeting.html", PAGES / "page.js", CALL)

    def press_dial(self):
        self.page.press("dial")

    def press_hang_up(self):
        self.page.press("hang_up")


class ChromiumMeeting(Meeting):
    NAME, BROWSER = "chromium-meeting", "chromium"


class FirefoxMeeting(Meeting):
    NAME, BROWSER = "firefox-meeting", "firefox"


CALLERS = {caller.NAME: caller for caller in (Baresip, Linphone, Mumble, ChromiumMeeting, FirefoxMeeting)}
