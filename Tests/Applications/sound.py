"""What is heard of a program and of a call beside it: recordings of the sink, and of the plugs of a card."""

import fcntl
import math
import signal
import statistics
import subprocess
import sys
import time

from desktop import PACKAGE, Failure
from listening import AMPLITUDE, make_tone

sys.path.insert(0, str(PACKAGE / "Tests/Faults"))
from stage import BUILT as EAR, RATE, SILENCE, build_ear  # noqa: E402

BUILT = PACKAGE / ".build/applications"
#: hear.c follows a rising tone for 86 s: the music begins at 500 Hz and rises, so its frequency is its position. The call stays
#: at a frequency of the second tone that hear.c knows.
SECONDS, CALL_FREQUENCY = 85, 1400
#: How loud the noise of a telephone's call is at most, which breaks and is stretched when a packet is late.
TELEPHONE_NOISE = 0.05
MUSIC, CALL = BUILT / "music.wav", BUILT / "call.wav"
#: What a plug of PulseAudio's card writes.
CARD_RATE = 48000


def make_sounds():
    """Writes the music, also as programs want it that play no other kind of file, and the call's sound, and builds what measures
    them; returns both files."""
    build_ear()
    BUILT.mkdir(parents=True, exist_ok=True)
    with open(BUILT / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make_files(MUSIC, CALL)
    return MUSIC, CALL


def make_files(music, call):
    if not music.exists():
        make_tone(music.with_suffix(".new"), 500, "both", SECONDS, slope=5).rename(music)
    if not call.exists():
        make_tone(call.with_suffix(".new"), CALL_FREQUENCY, "both", 240).rename(call)
    for kind in ("mp3", "ogg"):
        if not (coded := music.with_suffix(f".{kind}")).exists():
            fresh = coded.with_name(f"new.{kind}")
            subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i", music, "-q:a", "2", fresh], check=True)
            fresh.rename(coded)


class Heard:
    """What is heard in a twentieth of a second: how loud the music is, at which of its seconds, and how loud the call is."""

    def __init__(self, moment, music, position, call):
        self.moment, self.music, self.position, self.call = moment, music, position, call


class Recording:
    """What comes out somewhere, from now on. Moments are seconds of the recording."""

    def __init__(self, desktop, name, rate=RATE):
        self.desktop, self.name, self.rate = desktop, name, rate
        self.path = desktop.folder / f"heard-{name}-{time.monotonic_ns()}.raw"
        self.process = None

    def begin(self, command=None):
        """Begins it, with a program that writes it, or once something else writes it."""
        if command:
            with open(self.path, "wb") as output:
                self.process = self.desktop.spawn(command, stdout=output)
        return self

    def wait_until_begun(self):
        self.desktop.wait(f"the recording of {self.name}", lambda: self.path.exists() and self.path.stat().st_size > 0)
        #: The time of the clock at its first frame, roughly.
        self.began = time.time() - self.now()
        return self

    def end(self):
        if self.process is not None:
            self.desktop.end(self.process, signal.SIGKILL)
            self.process = None

    def now(self):
        return self.path.stat().st_size / 8 / self.rate

    def wait_for(self, seconds):
        """Waits until it is longer by so much."""
        end = self.now() + seconds
        self.desktop.wait(f"the recording of {self.name}", lambda: self.now() >= end)

    def read(self, since=0):
        """What was heard from a moment on."""
        length = max(self.now() - since, 0.2)
        first = max(self.now() - length, 0)
        text = subprocess.run(
            [EAR / "hear", self.path, str(self.rate), str(length), "2"], capture_output=True, text=True).stdout
        lines = [list(map(float, line.split())) for line in text.splitlines()]
        return [Heard(values[0], values[1] / AMPLITUDE, values[2], values[3] / AMPLITUDE)
                for values in lines if values[0] >= first]

    def last(self, seconds=0.3):
        """What is heard now."""
        return self.read(self.now() - seconds)[-4:]

    def comes(self, condition, seconds):
        """Whether a condition holds before the recording is longer by so much; what ends this wait is no clock."""
        end = self.now() + seconds
        while True:
            is_last = self.now() >= end
            if condition():
                return True
            if is_last:
                return False
            self.desktop.check_daemon()
            if self.process is not None and self.process.poll() is not None:
                raise Failure(f"the recording of {self.name} has ended")
            time.sleep(0.05)


def moments_heard(rows, full, silence=SILENCE):
    """The moments in which the music is heard. A gap in the call is heard at all frequencies for a moment, and is no music: the
    call is not as loud then as it is."""
    level = statistics.median(row.call for row in rows) if rows else 0
    whole = [abs(row.call - level) < max(level / 100, 2 * SILENCE) for row in rows]
    heard = [row.music > silence * full for row in rows]
    calls = [row.call > SILENCE for row in rows]
    found = []
    for index, row in enumerate(rows):
        near = range(max(index - 2, 0), min(index + 3, len(rows)))
        is_music = sum(heard[other] for other in near) > 2 or not any(calls[other] for other in near)
        if heard[index] and is_music and all(whole[other] for other in near):
            found.append(row.moment)
    return found


def last_heard(rows, full, silence):
    return max(moments_heard(rows, full, silence), default=rows[0].moment)


def is_silent(rows, full, silence):
    return bool(rows) and all(row.music <= silence * full for row in rows)


def decibels(factor):
    return 20 * math.log10(max(factor, 1e-6))


def skipped(rows, full):
    """How many seconds of the music have been lost (negative: heard twice) over the longest silence among the rows; None if there
    is no music before it or after it."""
    # What is louder is another sound, such as the tone with which a telephone hangs up.
    loud = [row for row in rows if 0.7 * full < row.music < 1.3 * full]
    gaps = [(after.moment - before.moment, before.moment, after.moment) for before, after in zip(loud, loud[1:])]
    if not gaps or max(gaps)[0] < 0.2:
        return None
    _, begin, end = max(gaps)

    def ahead(part):
        return statistics.median(row.position - row.moment for row in part)
    before, after = [row for row in loud if row.moment <= begin], [row for row in loud if row.moment >= end]
    if len(before) < 5 or len(after) < 5:
        return None
    return ahead(after[:20]) - ahead(before[-20:]) + end - begin
