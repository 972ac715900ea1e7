"""What comes out of a private desktop's sink, and tones to play there."""

import array
import math
import os
import statistics
import threading
import wave

RATE = 48000
#: How loud tones are made, of full scale: some of them fit into one sink.
AMPLITUDE = 0.1
#: What is measured at once, in frames: a tenth of a second.
WINDOW = RATE // 10


def make_tone(path, frequency, side, seconds, slope=0.0):
    """Writes a tone to a file, on the left, the right or both; its frequency may rise by so many Hz a second."""
    frames = array.array("h")
    for index in range(int(RATE * seconds)):
        moment = index / RATE
        value = round(32767 * AMPLITUDE * math.sin(math.tau * (frequency + slope * moment / 2) * moment))
        frames.extend((value * (side != "right"), value * (side != "left")))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(frames.tobytes())
    return path


def level(samples, frequency):
    """How loud a tone is in samples of one channel, where 1 is as it was made."""
    # Goertzel.
    turn, before, last = 2 * math.cos(math.tau * frequency / RATE), 0.0, 0.0
    for value in samples:
        before, last = last, value + turn * last - before
    power = before * before + last * last - turn * before * last
    return 2 * math.sqrt(max(power, 0)) / max(len(samples), 1) / AMPLITUDE


class Listener:
    """Records what the sink plays, and keeps the last seconds of it."""

    KEPT = RATE * 8 * 4

    def __init__(self, desktop):
        self.desktop, self.data, self.lock = desktop, bytearray(), threading.Lock()
        #: The frames that have arrived so far.
        self.count = 0
        self.process = desktop.spawn(desktop.capture_command(RATE), stdout=-1)
        threading.Thread(target=self._read, daemon=True).start()
        desktop.wait("the recording", lambda: self.count)

    def _read(self):
        while part := os.read(self.process.stdout.fileno(), 65536):
            with self.lock:
                self.data += part
                # Whole frames.
                del self.data[:max(0, len(self.data) - self.KEPT) // 8 * 8]
                self.count += len(part) / 8

    def listen(self, frames=WINDOW):
        """Both channels of so many frames that are recorded from now on."""
        end = self.count + frames
        self.desktop.wait("more of the recording", lambda: self.count >= end)
        with self.lock:
            samples = array.array("f", bytes(self.data[:len(self.data) // 8 * 8]))
        return samples[0::2][-frames:], samples[1::2][-frames:]

    def level(self, frequency):
        """How loud a tone is in the next tenth of a second, on either side."""
        return max(level(side, frequency) for side in self.listen())

    def median(self, frequency, seconds=2):
        """How loud a tone is in the most of a time: a machine that loses sound loses a moment."""
        sides = self.listen(int(RATE * seconds))
        return statistics.median(
            max(level(side[place:place + WINDOW], frequency) for side in sides) for place in range(0, len(sides[0]), WINDOW))

    def hears(self, frequency, expected, tolerance=0.1):
        """Whether a tone is at a level now."""
        return abs(self.level(frequency) - expected) <= tolerance * max(expected, 0.1)

    def wait_for(self, frequency, expected):
        self.desktop.wait(f"{frequency} Hz at {expected}", lambda: self.hears(frequency, expected))

    def stop(self):
        self.desktop.end(self.process)
