"""What a card of the machine has played, read from the file that QEMU writes while it goes on.

The music is on the left and a call is on the right (tones.py). The file has frames only for the time in which the card runs.
"""

import array

RATE = 48000
LEFT, RIGHT = 0, 1
#: A sine goes through zero, but it does not stay there for so many frames.
SHORTEST_SILENCE = 64
_HEADER = 44
_FRAME = 4


class Recording:
    def __init__(self, path):
        self.path = path

    def begin_anew(self):
        self.path.unlink(missing_ok=True)

    def count(self):
        """The number of frames so far. The last 1,023 may still be in QEMU."""
        try:
            return max(0, self.path.stat().st_size - _HEADER) // _FRAME
        except FileNotFoundError:
            return 0

    def samples(self, side, start=0, end=None):
        """One channel from a frame on, up to another one or to the end."""
        try:
            with open(self.path, "rb") as file:
                file.seek(_HEADER + start * _FRAME)
                data = file.read(-1 if end is None else max(0, end - start) * _FRAME)
        except FileNotFoundError:
            return array.array("h")
        return array.array("h", data[:len(data) // _FRAME * _FRAME])[side::2]

    def sounding(self, side, start=0, end=None):
        """The number of frames that are not zero."""
        samples = self.samples(side, start, end)
        return len(samples) - samples.count(0)

    def stretches(self, side, start=0, end=None):
        """[(first frame, number of frames)] of what sounds, with silence of SHORTEST_SILENCE and more between them."""
        found, silence = [], bytes(2 * SHORTEST_SILENCE)
        samples = self.samples(side, start, end)
        data, at, size = samples.tobytes(), 0, len(samples)
        while at < size:
            # A block of silence is passed in one step.
            if data[2 * at:2 * (at + SHORTEST_SILENCE)] == silence:
                at += SHORTEST_SILENCE
            elif samples[at] == 0:
                at += 1
            else:
                first = at
                while (gap := data.find(silence, 2 * at)) >= 0 and gap % 2:
                    at = gap // 2 + 1
                at = size if gap < 0 else gap // 2
                last = at
                while samples[last - 1] == 0:
                    last -= 1
                found.append((start + first, last - first))
        return found

    def gaps(self, side, start=0, end=None):
        """[(first frame, number of frames)] of the silence between the first and the last sound."""
        sound = self.stretches(side, start, end)
        return [(a + n, b - a - n) for (a, n), (b, _) in zip(sound, sound[1:])]

    def is_playing(self, side, frames=RATE // 4):
        """Whether the latest part sounds to its end."""
        end = self.count()
        return end >= frames and not self.gaps(side, end - frames) and self.sounding(side, end - frames) > frames * 0.9
