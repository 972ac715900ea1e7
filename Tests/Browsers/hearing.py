"""What was heard of the music and of a film: levels over time, and whether the music went on where it was."""

import math
import statistics
import sys

from browser import PACKAGE
from listening import AMPLITUDE, make_tone

sys.path.insert(0, str(PACKAGE / "Tests/Faults"))
from stage import MOST_SKIPPED, RATE, SILENCE, Ear, build_ear  # noqa: E402

BUILT = PACKAGE / ".build/browsers"
#: The numbers by which Tests/Faults/hear.c knows tones. The music begins at 500 Hz and rises, so its frequency is its position;
#: the film stays at a frequency between 1200 and 1600 Hz.
MUSIC, FILM, STREAMS = 0, 1, 2
FILM_FREQUENCY = 1400
#: hear.c follows a rising tone for 86 s.
MUSIC_SECONDS = 85
#: In dBFS: what is printed as silence.
SILENT = -100


def make_sounds():
    """Writes the music and the film's sound, and builds what measures them; returns both files."""
    build_ear()
    BUILT.mkdir(parents=True, exist_ok=True)
    music, film = BUILT / "music.wav", BUILT / "film.wav"
    if not music.exists():
        make_tone(music.with_suffix(".new"), 500, "both", MUSIC_SECONDS, slope=5).rename(music)
    if not film.exists():
        make_tone(film.with_suffix(".new"), FILM_FREQUENCY, "both", 30).rename(film)
    return music, film


def dbfs(level):
    """A level, where 1 is as the tones are made, in decibels of full scale."""
    return 20 * math.log10(max(level * AMPLITUDE, 1e-6))


def level_text(value):
    return "silent" if value <= SILENT else f"{value:.1f}"


class Hearing(Ear):
    """A recording of the sink while one situation is played."""

    def __init__(self, desktop):
        super().__init__(desktop, STREAMS)

    def now(self):
        """The moment up to which there is a recording."""
        path, begin = self.segments[-1]
        return begin + path.stat().st_size / 8 / RATE

    def wait_until(self, moment):
        """Waits until the recording has come to a moment."""
        self.desktop.wait("the recording", lambda: self.now() >= moment)

    def median(self, stream, seconds=1):
        """The level of the last second, in dBFS."""
        return dbfs(statistics.median(pairs[stream][0] for _, pairs in self.read(seconds=seconds)))


class Absence:
    """A time in which the music was silent, and what of the music was lost by it."""

    def __init__(self, begin, end, before, after):
        """- before, after: how far the music's position was ahead of the time."""
        self.begin, self.end = begin, end
        # A music that is only silenced, and not stopped, is as far ahead after it as before.
        self.skipped = after - before + end - begin

    @property
    def is_where_it_was(self):
        return abs(self.skipped) <= MOST_SKIPPED

    def __str__(self):
        return f"{'same' if self.is_where_it_was else 'NOT THE SAME'} ({self.skipped:+.1f} s)"


def absences(rows, stops):
    """When the music was silent, between two times in which it was at its full level. A silence of less than half a second, while
    nothing was done to the music, is the machine's, which was too late for sound."""
    loud = [index for index, (_, pairs) in enumerate(rows) if pairs[MUSIC][0] > 0.9]
    found = []
    for former, index in zip(loud, loud[1:]):
        # A gap in another sound is heard at all frequencies for a moment, so what is silent may not be so all the time.
        silent = [moment for moment, pairs in rows[former + 1:index] if pairs[MUSIC][0] <= SILENCE]
        if silent:
            is_done = any(first < rows[index][0] and rows[former][0] < last for first, last in stops)
            if silent[-1] - silent[0] > (0.1 if is_done else 0.5):
                found.append((silent[0], silent[-1]))
    # What is known of the position between two absences is from the time between them.
    borders = [rows[0][0], *(border for absence in found for border in absence), rows[-1][0]]
    ahead = [
        statistics.median(rows[index][1][MUSIC][1] - rows[index][0] for index in loud if first <= rows[index][0] <= last)
        for first, last in zip(borders[::2], borders[1::2])
    ]
    return [Absence(*absence, *ahead[number:number + 2]) for number, absence in enumerate(found)]
