"""What happens in the machine, and what its cards have to play meanwhile.

Silence is exact: not one frame may differ from zero. Continuity has a tolerance of one quantum, and is not judged where the
emulator itself was late. Each check of silence has a control: the same, counted in the same way, while the policy is paused or
gone, has to find sound.
"""

import json
import shlex

from machine import Trouble, wait
from recording import LEFT, RATE, RIGHT, SHORTEST_SILENCE

SOUNDS = "/usr/share/sounds"
HDA, USB = "alsa_output.pci-0000_00_05.0.analog-stereo", "alsa_output.usb-QEMU_QEMU_USB_Audio_HS1-00.analog-stereo"
#: The longest quantum that a desktop's PipeWire uses by itself; pw-play asks for it.
QUANTUM = 2048
#: For so long silence is looked at.
LONG = 3 * RATE
#: When the music has faded out after a call has begun. It takes 515 ms, and longer in an emulator that is late.
FADE = 3 * RATE // 2
#: A sleeping thread is no late thread; one that has waited for a processor for so long was late, in seconds.
LATE = 0.1

SCENES = {}


def scene(function):
    SCENES[function.__name__.replace("_", "-")] = function
    return function


class Stage:
    """The machine with the packages installed, and what was found."""

    def __init__(self, machine):
        self.machine, self.user, self.root = machine, machine.user, machine.root
        self.hda, self.usb = machine.hda, machine.usb
        #: (scene, what was expected, what HDA has played, what USB has played, verdict)
        self.rows = []
        self.name = ""
        self.is_plugged = True
        self.root.run("mkdir -p /mnt/packages /mnt/upgrade; mount -o ro /dev/vdb /mnt/packages")
        self.before = self.files()

    # Packages

    def files(self):
        """All files of the machine, but for those that change by themselves and the package manager's own."""
        left_out = " -o ".join(f"-path {path}" for path in (
            "/var/lib/dpkg", "/var/log", "/var/cache", "/var/lib/systemd", "/var/tmp", "/home", "/root", "/mnt"))
        return set(self.root.run(f"find / -xdev \\( {left_out} \\) -prune -o -print", 120).splitlines())

    def install(self, folder):
        """Installs the packages, and restarts PipeWire, as its user would."""
        self.root.run(f"dpkg -i {folder}/*.deb", 300)
        self.restart("pipewire")

    def purge(self):
        """Removes the packages, with their configuration. What is loaded of them runs on."""
        names = self.root.run("for file in /mnt/packages/*.deb; do dpkg-deb --field $file Package; done").split()
        self.root.run(f"dpkg --purge {' '.join(names)}", 300)

    def restart(self, service):
        self.user.run(f"systemctl --user restart {service}", 120)
        self.serves()

    def serves(self):
        wait("the module, and an output", lambda: self.user.ask("audio-session route --json")[0] == 0, 120)

    # Results

    def check(self, expected, verdict, hda="", usb=""):
        """verdict: True, False, or None where it could not be judged."""
        row = (self.name, expected, str(hda), str(usb), {True: "passed", False: "FAILED", None: "not judged"}[verdict])
        self.rows.append(row)
        print(" | ".join(row), flush=True)

    def silent(self, expected, cards, more=True, **words):
        """cards: {"hda" or "usb": (side, first frame, end)}: of these, no frame may sound. words: what is said of others."""
        counts = self.counts(cards)
        is_silent = all(sounding == 0 for sounding, _ in counts.values())
        # Silence of which nothing was recorded is none.
        is_there = any(frames > 0 for _, frames in counts.values())
        self.check(expected, is_silent and is_there and more, **words, **self.texts(counts))

    def heard(self, expected, cards):
        """As silent, but each of them has to sound: a control."""
        counts = self.counts(cards)
        self.check(expected, all(sounding > 0 for sounding, _ in counts.values()), **self.texts(counts))

    def counts(self, cards):
        found = {}
        for card, (side, start, end) in cards.items():
            samples = getattr(self, card).samples(side, start, end)
            found[card] = (len(samples) - samples.count(0), len(samples))
        return found

    @staticmethod
    def texts(counts):
        return {card: f"{sounding} of {frames} frames" for card, (sounding, frames) in counts.items()}

    def continuous(self, expected, card, side, start, end, late):
        """late: what the emulator had waited for a processor before."""
        recording = getattr(self, card)
        gaps = recording.gaps(side, start, end)
        missing = sum(frames for _, frames in gaps)
        waited = self.machine.late() - late
        verdict = True if missing <= QUANTUM + SHORTEST_SILENCE else None if waited > LATE else False
        text = f"{recording.sounding(side, start, end)} of {end - start} frames, {missing} missing"
        if verdict is None:
            text += f" (the emulator waited {waited:.1f} s)"
        self.check(expected, verdict, **{card: text})

    # Sound

    def choose(self, sink):
        """Makes a card the default output, as a user does in the settings."""
        self.is_there(sink)
        self.user.run(f"pactl set-default-sink {sink}")
        wait(f"{sink} as the default", lambda: self.user.run("pactl get-default-sink").strip() == sink)

    def is_there(self, sink):
        wait(sink, lambda: sink in self.user.ask("pactl list short sinks")[1], 90)

    def start(self, unit, command):
        self.user.run(f"systemd-run --user --quiet --collect --unit={unit} {command}")

    def stop(self, *units):
        self.user.ask(f"systemctl --user stop {' '.join(units)}")

    def music(self, card):
        """Music begins on a card, and is heard there."""
        self.choose({"hda": HDA, "usb": USB}[card])
        self.start("music", f"pw-play --media-role Music {SOUNDS}/music.wav")
        self.plays("music", card, LEFT)

    def call(self, seconds=4):
        sound = "call" if seconds == 4 else "long-call"
        self.start("call", f"paplay --property=media.role=phone {SOUNDS}/{sound}.wav")

    def busy(self):
        """HDA plays silence of a stream that the policy leaves alone, so whatever comes there is heard at once."""
        self.is_there(HDA)
        start = self.hda.count()
        self.start("busy", f"pw-play --media-role test --target {HDA} {SOUNDS}/silence.wav")
        self.goes_on("hda", start, RATE)

    def plays(self, what, card, side):
        recording = getattr(self, card)
        start = recording.count()

        def is_new():
            return recording.count() > start + RATE // 4 and recording.is_playing(side)

        wait(f"{what} on {card}", is_new, 90)

    def goes_on(self, card, start, frames):
        """Waits until a card has played so many frames more, and QEMU has written them."""
        recording = getattr(self, card)
        wait(f"{frames} frames on {card}", lambda: recording.count() >= start + frames, 90)
        return recording.count()

    def quiet(self):
        """No programs, the headset plugged in, the policy in force."""
        self.stop("music", "call", "busy", "ambient")
        if not self.is_plugged:
            self.plug()
        self.user.run("audio-session resume")
        wait("an end of all streams", lambda: not self.streams())

    def streams(self):
        return json.loads(self.user.run("audio-session status --json"))["streams"]

    def is_silenced(self, cause=None):
        """Whether the policy has stopped the music."""
        return any(stream["treatment"] == "corked" and not stream["running"] and cause in (None, stream["cause"])
                   for stream in self.streams() if stream["description"] == "music")

    def plug(self):
        self.machine.plug()
        self.is_plugged = True
        self.is_there(USB)

    def pull(self):
        self.machine.pull()
        self.is_plugged = False
        wait("an end of the headset", lambda: USB not in self.user.run("pactl list short sinks"), 90)

    def call_silences(self, card):
        """A call over music that plays on a card, and music again. Returns the call's first frame, and (first frame, end) of
        the time in which there may be no music: from the end of its fade to the end of the call."""
        recording = getattr(self, card)
        start = recording.count()
        self.call()
        wait("the call", lambda: recording.sounding(RIGHT, start) > 0, 90)
        wait("the end of the call", lambda: self.user.ask("systemctl --user is-active call")[0] != 0, 90)
        self.plays("the music after the call", card, LEFT)
        heard = recording.stretches(RIGHT, start)
        first, end = heard[0][0], heard[-1][0] + heard[-1][1]
        return first, (first + FADE, end)


@scene
def play(stage):
    """Music plays for 20 seconds on each card."""
    for card in ("hda", "usb"):
        stage.quiet()
        stage.music(card)
        late, start = stage.machine.late(), getattr(stage, card).count()
        end = stage.goes_on(card, start, 20 * RATE)
        stage.continuous(f"music on {card} without gaps", card, LEFT, start, end, late)


@scene
def call(stage):
    """A call begins and ends while music plays."""
    for card in ("hda", "usb"):
        stage.quiet()
        stage.music(card)
        late = stage.machine.late()
        begin, (first, end) = stage.call_silences(card)
        stage.silent("no music from 1.5 s after the call's begin to its end, and music after it",
                     {card: (LEFT, first, end)}, more=end - first > RATE)
        stage.continuous("the call without gaps", card, RIGHT, begin, end, late)
    stage.quiet()
    stage.user.run("audio-session pause 1h")
    stage.music("hda")
    _, (first, end) = stage.call_silences("hda")
    stage.heard("control, policy paused: music and call", {"hda": (LEFT, first - FADE, end)})


def plugged_in_again(stage, start):
    """The headset is back: the music goes on there, and was not heard on HDA since the start."""
    stage.plug()
    stage.plays("the music", "usb", LEFT)
    end = stage.goes_on("hda", stage.hda.count(), RATE)
    stage.silent("plugged in again: it goes on on USB, and is not heard on HDA", {"hda": (LEFT, start, end)})


def pulled(stage, is_busy, is_control=False):
    stage.quiet()
    if is_control:
        stage.user.run("audio-session pause 1h")
    if is_busy:
        stage.busy()
    stage.music("usb")
    start = stage.hda.count()
    stage.pull()
    if not is_control:
        wait("the music to be stopped", lambda: stage.is_silenced("route-disconnected"))
    if not is_busy:
        stage.busy()
    end = stage.goes_on("hda", stage.hda.count(), LONG)
    if is_control:
        stage.heard("control, policy paused: the music goes on on HDA", {"hda": (LEFT, start, end)})
        return
    stage.silent("pulled: the music is not heard on HDA", {"hda": (LEFT, start, end)})
    plugged_in_again(stage, start)


@scene
def pull(stage):
    """The headset is pulled under music while the other card is at rest, and plugged in again."""
    pulled(stage, is_busy=False)
    pulled(stage, is_busy=False, is_control=True)


@scene
def pull_busy(stage):
    """The same while the other card plays something else."""
    pulled(stage, is_busy=True)
    pulled(stage, is_busy=True, is_control=True)


@scene
def pull_call(stage):
    """The headset is pulled during a call over music: the call goes on, the music does not."""
    stage.quiet()
    stage.busy()
    stage.music("usb")
    stage.call(60)
    stage.plays("the call", "usb", RIGHT)
    wait("the music to be stopped", stage.is_silenced)
    start = stage.hda.count()
    stage.pull()
    stage.plays("the call", "hda", RIGHT)
    end = stage.goes_on("hda", stage.hda.count(), LONG)
    stage.heard("pulled during a call: the call goes on on HDA", {"hda": (RIGHT, start, end)})
    stage.silent("and the music is not heard", {"hda": (LEFT, start, end)})
    stage.stop("call")
    end = stage.goes_on("hda", stage.hda.count(), LONG)
    stage.silent("nor is it after the call", {"hda": (LEFT, start, end)})
    plugged_in_again(stage, start)


@scene
def restart(stage):
    """Each service is restarted while music plays."""
    for service in ("pipewire", "wireplumber", "pipewire-pulse"):
        stage.quiet()
        stage.music("usb")
        start = stage.hda.count()
        stage.restart(service)
        # pw-play ends when it loses PipeWire, and when it is linked to nothing because the session manager ends.
        since = stage.usb.count()
        played = wait(f"music after a restart of {service}", lambda: (
            "is over" if stage.user.ask("systemctl --user is-active music")[0] != 0
            else "goes on" if stage.usb.count() > since + RATE and stage.usb.is_playing(LEFT) else None), 120)
        if played == "is over":
            stage.quiet()
            stage.music("usb")
            played = "can be played again"
        stage.busy()
        stage.silent(f"{service} restarted: the music is not heard on HDA", {"hda": (LEFT, start, stage.hda.count())},
                     usb=f"the music {played}")
        _, (first, end) = stage.call_silences("usb")
        stage.silent(f"{service} restarted: a call silences the music", {"usb": (LEFT, first, end)}, more=end - first > RATE)


@scene
def lock(stage):
    """The screen is locked: ambient sound falls silent, music does not."""
    set_locked = ("busctl call org.freedesktop.login1 /org/freedesktop/login1/session/auto org.freedesktop.login1.Session "
                  "SetLockedHint b ")
    stage.quiet()
    stage.music("hda")
    stage.start("ambient", f"audio-session run --category ambient -- pw-play {SOUNDS}/long-call.wav")
    stage.plays("ambient sound", "hda", RIGHT)
    start = stage.hda.count()
    end = stage.goes_on("hda", start, RATE)
    stage.heard("control, unlocked: ambient sound", {"hda": (RIGHT, start, end)})
    stage.user.run(set_locked + "true")
    wait("silence", lambda: not stage.hda.sounding(RIGHT, stage.hda.count() - RATE // 2))
    late, start = stage.machine.late(), stage.hda.count()
    end = stage.goes_on("hda", start, LONG)
    stage.silent("locked: no ambient sound", {"hda": (RIGHT, start, end)})
    stage.continuous("locked: music goes on", "hda", LEFT, start, end, late)
    stage.user.run(set_locked + "false")
    stage.plays("ambient sound", "hda", RIGHT)
    stage.check("unlocked: ambient sound goes on", True)


#: The frames of the card's ring, over which the card goes on when nobody writes into it any more.
RING = 32768
SLEEPS = 3
#: Stops all programs of users at the moment at which the module lets the machine sleep: argument 1 is its lock.
_STANDSTILL = """
import os, sys, time
while os.path.exists(sys.argv[1]):
    time.sleep(0.001)
open("/sys/fs/cgroup/user.slice/cgroup.freeze", "w").write("1")
"""


def slept(stage):
    """Lets the machine fall asleep while music plays, and wakes it. Returns a frame since which all programs stood still.

    From then on the kernel, too, stops nothing but programs, for five seconds. So the card goes on for long, and it does not
    matter how slow the emulator is.
    """
    count = "cat /sys/power/suspend_stats/success"
    stage.music("hda")
    before = int(stage.root.run(f"echo freezer >/sys/power/pm_test; {count}"))
    lock = stage.root.run("grep --devices=skip -l '^WHO=Audio' /run/systemd/inhibit/*").strip()
    stage.root.run(f"systemd-run --quiet --collect python3 -c {shlex.quote(_STANDSTILL)} {lock}")
    stage.root.run("systemctl suspend")

    def answers(command, is_right):
        # An answer may be lost where the kernel stops the agent, too.
        try:
            status, output = stage.root.ask(command, 5)
            return status == 0 and is_right(output)
        except TimeoutError:
            return False

    wait("a standstill", lambda: answers("cat /sys/fs/cgroup/user.slice/cgroup.events", lambda text: "frozen 1" in text))
    start = stage.hda.count()
    stage.goes_on("hda", start, 2 * RING)
    wait("waking", lambda: answers(count, lambda text: int(text) > before), 180)
    stage.plays("the music after waking", "hda", LEFT)
    return start


@scene
def sleep(stage):
    """The machine falls asleep while music plays: the kernel stops programs before cards, which repeat their ring meanwhile."""
    for number in range(SLEEPS):
        stage.quiet()
        start = slept(stage)
        stage.silent(f"sleep {number + 1}: the card's ring of {RING} frames, twice, while programs stand still",
                     {"hda": (LEFT, start, start + 2 * RING)})
    stage.quiet()
    stage.user.run("audio-session pause 1h")
    start = slept(stage)
    stage.heard("control, policy paused: the ring", {"hda": (LEFT, start, start + 2 * RING)})


@scene
def users(stage):
    """Who sits at the seat logs out under music, and somebody else logs in."""
    stage.quiet()
    stage.music("hda")
    for old, new in (("alice", "bob"), ("bob", "alice")):
        stage.root.run(f"echo SEAT_USER={new} >/etc/seat-user; loginctl terminate-user {old}")
        wait(f"{new} at the seat", lambda: stage.user.answers() and stage.user.run("id -un").strip() == new, 180)
        wait(f"an end of {old}'s programs", lambda: stage.root.ask(f"pgrep -u {old}")[0] == 1, 180)
        start = stage.hda.count()
        stage.serves()
        stage.busy()
        stage.silent(f"{old} has logged out and {new} in: no music", {"hda": (LEFT, start, stage.hda.count())})
        stage.quiet()
        stage.music("hda")
        _, (first, end) = stage.call_silences("hda")
        stage.silent(f"a call of {new} silences the music of {new}", {"hda": (LEFT, first, end)}, more=end - first > RATE)
    stage.quiet()


@scene
def upgrade(stage):
    """The packages are replaced by a later version while music plays."""
    stage.quiet()
    stage.music("hda")
    late, start = stage.machine.late(), stage.hda.count()
    stage.root.run("dpkg -i /mnt/packages/later/*.deb", 300)
    end = stage.goes_on("hda", stage.hda.count(), RATE)
    stage.continuous("music goes on during the upgrade", "hda", LEFT, start, end, late)
    _, (first, end) = stage.call_silences("hda")
    stage.silent("a call silences it by the version that still runs", {"hda": (LEFT, first, end)}, more=end - first > RATE)
    stage.quiet()
    stage.restart("pipewire")
    stage.music("hda")
    _, (first, end) = stage.call_silences("hda")
    stage.silent("and by the new version after a restart", {"hda": (LEFT, first, end)}, more=end - first > RATE)


@scene
def removal(stage):
    """The packages are purged while music plays, and installed again."""
    stage.quiet()
    stage.music("hda")
    late, start = stage.machine.late(), stage.hda.count()
    stage.purge()
    end = stage.goes_on("hda", stage.hda.count(), RATE)
    stage.continuous("music goes on during the removal", "hda", LEFT, start, end, late)
    left = sorted(stage.files() - stage.before)
    stage.check("no file is left" + "".join(f"\n{path}" for path in left[:20]), not left)
    stage.stop("music")
    stage.user.run("systemctl --user restart pipewire", 120)
    stage.check("the service is gone", stage.user.ask("busctl --user status org.AudioSession1")[0] != 0)
    stage.music("hda")
    _, (first, end) = stage.call_silences("hda")
    stage.heard("control, without the module: music and call", {"hda": (LEFT, first - FADE, end)})
    stage.stop("music")
    stage.install("/mnt/packages")


@scene
def readme(stage):
    """Who sits at the seat types the commands of the README's first page, without the packages."""
    stage.quiet()
    stage.purge()
    stage.user.run("systemctl --user restart pipewire", 120)
    stage.choose(HDA)
    status, output = stage.user.ask("/mnt/packages/sources/Tests/bin/readme --machine", 900)
    verdicts = [line.split(maxsplit=1)[0] for line in output.splitlines() if line[:1] not in ("", " ")]
    left_out = sum(line.startswith("not run ") for line in output.splitlines())
    stage.check(f"{verdicts.count('ok')} commands of README.md work, {left_out} are left out" + (f"\n{output}" if status != 0 else ""),
                status == 0 and "ok" in verdicts)
    stage.user.run("rm -r ~/.config/audio-session ~/.config/systemd/user/pipewire.service.d; systemctl --user daemon-reload")
    stage.install("/mnt/packages")
