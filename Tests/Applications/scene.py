"""A private desktop on which one program after the other plays, is called over, and loses its headset."""

import re
import socket

from decisions import install_policy, listed
from desktop import DESKTOPS, PACKAGE, SINK, Failure, build_card, pulse_release
from programs import Mpv, Program
from sound import CARD_RATE, SILENCE, TELEPHONE_NOISE, Recording, is_silent, moments_heard
from timeline import Timeline

#: By the kind of card: the plug of the headset, and how it is pulled and put back. What is heard instead comes out of the plug
#: that follows, or out of the desktop's own sink.
CARDS = {
    "laptop": ("headphones", "unplug headphones", "plug headphones", "speaker"),
    "usb": ("usb-output", "vanish", "appear", None),
}


class Stage:
    """The desktop."""

    def __init__(self, server, sounds):
        self.music, self.call = sounds
        is_pulse = server == "pulseaudio"
        self.desktop = DESKTOPS[server](
            module_folders=[PACKAGE / ".build/modules/tests" / pulse_release()] * is_pulse,
            daemon_variables={"AUDIO_SESSION_DEBUG": "1"} if is_pulse else {})
        install_policy(self.desktop, None)
        try:
            self.desktop.start()
            self.desktop.tool("pactl", "set-default-sink", SINK)
            # A silent microphone. PulseAudio moves what records the default source to a microphone that comes.
            kind = ["null-source", "source_name="] if is_pulse else ["null-sink", "media.class=Audio/Source/Virtual", "sink_name="]
            self.desktop.tool("pactl", "load-module", f"module-{kind[0]}", *kind[1:-1], f"{kind[-1]}test-source")
            self.desktop.tool("pactl", "set-default-source", "test-source")
        except BaseException:
            self.desktop.stop()
            raise

    def stop(self, keeps=False):
        self.desktop.stop(keeps)

    def play_role(self, role):
        is_pulse = self.desktop.KIND == "pulseaudio"
        return self.desktop.spawn(
            [*(["paplay", f"--property=media.role={role}"] if is_pulse else ["pw-play", "--media-role", role]), self.call])

    def record_sink(self):
        recording = Recording(self.desktop, "sink")
        return recording.begin(self.desktop.capture_command(recording.rate, 480)).wait_until_begun()


class Card:
    """A card with a headset, which is where the sound goes."""

    def __init__(self, stage, kind):
        self.desktop, self.kind = stage.desktop, kind
        self.headset, self.pull_words, self.plug_words, self.speaker = CARDS[kind]
        self.socket = self.desktop.run / f"card-{kind}"
        if self.desktop.KIND == "pipewire":
            self.process = self.desktop.spawn([build_card(), kind, self.socket])
        else:
            self.module = self.desktop.tool(
                "pactl", "load-module", "module-fixture-card", f"kind={kind}", f"socket={self.socket}").strip()
        self.desktop.wait("the card", lambda: self.sink() and self.socket.exists())
        self.desktop.tool("pactl", "set-sink-volume", self.sink(), "100%")
        self.desktop.tool("pactl", "set-default-sink", self.sink())
        self.desktop.wait("the headset", lambda: self.desktop.tool("pactl", "get-default-sink").strip() == self.sink())

    def sink(self):
        found = re.findall(r"\S*alsa_output\S*", self.desktop.tool("pactl", "list", "short", "sinks"))
        return found[0] if found else None

    def tell(self, line):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.socket))
            connection.sendall(line.encode() + b"\n")
            answer = connection.recv(65536).decode()
        if not answer.startswith("ok"):
            raise Failure(f"the card says: {answer}")
        return answer

    def record(self, plug):
        if self.desktop.KIND == "pulseaudio":
            recording = Recording(self.desktop, plug, CARD_RATE).begin()
            self.tell(f"record {plug} {recording.path}")
            return recording.wait_until_begun()
        recording, name = Recording(self.desktop, plug), f"test-{plug}"
        recording.begin(["pw-record", "--target", "0", "--format", "f32", "--rate", str(recording.rate), "--channels", "2",
                         "-P", f"{{ node.name = {name} application.name = {name} }}", "-"])
        for channel in ("FL", "FR"):
            link = ["pw-link", f"fixture-{self.kind}:{plug}_{channel}", f"{name}:input_{channel}"]
            self.desktop.wait(f"the link from {plug}", lambda: self.desktop.tool(*link) == "")
        return recording.wait_until_begun()

    def pull(self):
        self.tell(self.pull_words)

    def put_back(self):
        self.tell(self.plug_words)

    def end(self):
        if self.desktop.KIND == "pipewire":
            self.desktop.end(self.process)
        else:
            self.desktop.tool("pactl", "unload-module", self.module)
        self.desktop.wait("the end of the card", lambda: not self.sink())
        self.desktop.tool("pactl", "set-default-sink", SINK)


class Play:
    """One play of a situation with one program. What is wrong is kept as short words."""

    #: How long the program may take for what it is asked to do, in seconds of the recording.
    LIMIT = 10

    def __init__(self, stage, program: type[Program], name, patience):
        self.stage, self.desktop, self.patience, self.wrong = stage, stage.desktop, patience, []
        self.timeline = Timeline(self.desktop, name)
        #: What calls while another program plays.
        self.caller = program(self.desktop, stage.music) if program.CALLS else None
        self.program = (Mpv if self.caller else program)(self.desktop, stage.music)
        self.silence = TELEPHONE_NOISE if self.caller else SILENCE
        self.role, self.card = None, None
        self.sink = self.record(stage.record_sink())
        #: Where the program is to be heard.
        self.heard = self.sink

    def record(self, recording):
        self.timeline.recordings.append(recording)
        return recording

    def add_card(self, kind):
        """Has the sound go to a headset. What is heard instead, when it is gone, is recorded too."""
        self.card = Card(self.stage, kind)
        self.heard = self.record(self.card.record(self.card.headset))
        self.speaker = self.record(self.card.record(self.card.speaker)) if self.card.speaker else self.sink

    def start(self):
        """Starts the program, and learns how loud it is."""
        self.timeline.mark("starts the program")
        self.program.start()
        if not self.heard.comes(self.is_steady, 60):
            raise Failure(f"{self.program.NAME} is not heard: {self.program.said()}")
        if self.program.PLAYER:
            self.desktop.wait("the player on the bus", self.program.player)
        self.heard.wait_for(1)
        self.full = self.level(self.heard)
        if wrong := self.wrong_displays("Playing"):
            raise Failure(f"before anything happens it {wrong}")

    @staticmethod
    def level(recording):
        """How loud the program was in the last second. The note of an instrument goes up and down, and a sound may break."""
        levels = sorted(row.music for row in recording.read(recording.now() - 1))
        return levels[len(levels) * 3 // 4]

    def is_steady(self, recording=None):
        """Whether the program is heard, however loud."""
        levels = [row.music for row in (recording or self.heard).last(0.5)]
        return len(levels) > 3 and min(levels) > 0.02 and max(levels) < 1.2 * min(levels)

    # What happens

    def begin(self, role):
        self.timeline.mark(f"{role} begins")
        self.role, since = self.stage.play_role(role), self.sink.now()
        self.desktop.wait(f"the {role}", lambda: all(row.call > 0.9 for row in self.sink.last()))
        #: When it was first heard.
        self.begun = next(row.moment for row in self.sink.read(since) if row.call > 0.5)

    def end_role(self):
        self.timeline.mark("it ends")
        self.desktop.end(self.role)
        self.role = None
        self.desktop.wait("the end of the call", lambda: all(row.call < 0.01 for row in self.sink.last()))

    def press(self, way, button):
        """The user presses a button, on the desktop's panel or in the program."""
        self.timeline.mark(f"{button} ({way})")
        if way == "MPRIS":
            self.program.command_player(*(("position", "30") if button == "seek" else (button,)))
        else:
            self.program.press(button)

    def press_play(self, way):
        """The user has it play. Where it is displayed as playing already, that takes a pause first."""
        if self.program.PLAYER is None or self.wrong_displays("Paused"):
            self.press(way, "pause")
            # A program may read its keys once a second only while it is stopped.
            self.sink.wait_for(2)
        self.press(way, "play")

    # What is to be so

    def complain(self, text):
        self.timeline.mark(f"WRONG: {text}")
        if text and text not in self.wrong:
            self.wrong.append(text)

    def take_wrong(self):
        wrong, self.wrong = self.wrong, []
        return wrong

    def wrong_displays(self, expected):
        """What is displayed otherwise. Who is no player on the bus cannot be told what to display."""
        if self.program.PLAYER is None:
            return ""
        shown = [f"says {text} ({display})" for display, text in self.program.displays().items() if text != expected]
        return "; ".join(shown)

    def expect_display(self, expected):
        if not self.heard.comes(lambda: not self.wrong_displays(expected), 3):
            self.complain(self.wrong_displays(expected))

    def is_full(self):
        rows = self.heard.last()
        # A note of an instrument is not as steady as a tone.
        tolerance = 0.15 if self.program.PLAYS_MUSIC else 0.5
        return bool(rows) and all(abs(row.music - self.full) < tolerance * self.full for row in rows)

    def is_silent(self):
        return is_silent(self.heard.last(), self.full, self.silence)

    def expect_silence(self, recording, since, what="heard", most=0):
        """Nothing, or only so many seconds, is heard of the program from a moment until the patience is over."""
        recording.wait_for(max(self.patience - (recording.now() - since), 0))
        if (heard := len(moments_heard(recording.read(since), self.full, self.silence)) / 20) > most:
            self.complain(f"{what} for {heard:.2f} s")

    def left(self, what, key, numbers):
        """The streams or sessions that are listed with one of these numbers."""
        return [one for one in listed(self.desktop, what) if one[key] in numbers]

    def end(self):
        """Ends everything that belongs to it. Of a program that has ended, nothing may be left."""
        self.timeline.mark("all is over")
        mine = self.program.processes()
        if self.program.lives():
            self.program.close()
        if not self.sink.comes(lambda: not self.left("streams", "process", mine), self.LIMIT):
            self.complain("its streams are left")
        if self.role is not None:
            self.desktop.end(self.role)
        if self.caller is not None:
            self.caller.close()
        for recording in self.timeline.recordings:
            recording.end()
        if self.card is not None:
            self.card.end()
        self.timeline.end()
        self.desktop.wait("the streams to be gone", lambda: not listed(self.desktop, "streams"))
