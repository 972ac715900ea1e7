"""What comes out of a private desktop's sink, and tones to play there."""

import array
import math
import os
import threading
import time
import wave

RATE = 48000
#: How loud tones are made, of full scale: some of them fit into one sink.
AMPLITUDE = 0.1


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


class Listener:
    """Records what the sink plays, and keeps the last second of it."""

    def __init__(self, desktop):
        self.desktop, self.data, self.lock = desktop, bytearray(), threading.Lock()
        self.arrived = 0.0
        self.process = desktop.spawn(desktop.capture_command(RATE), stdout=-1)
        threading.Thread(target=self._read, daemon=True).start()
        desktop.wait("the recording", lambda: self.arrived)

    def _read(self):
        while part := os.read(self.process.stdout.fileno(), 65536):
            with self.lock:
                self.data += part
                del self.data[:-RATE * 8]
                self.arrived = time.monotonic()

    def level(self, frequency):
        """How loud a tone has been in the last tenth of a second, where 1 is as it was made, on either side."""
        with self.lock:
            data = bytes(self.data[-RATE * 8 // 10:])
        samples = array.array("f", data[:len(data) // 8 * 8])
        best = 0.0
        for side in (samples[0::2], samples[1::2]):
            # Goertzel.
            turn, before, last = 2 * math.cos(math.tau * frequency / RATE), 0.0, 0.0
            for value in side:
                before, last = last, value + turn * last - before
            power = before * before + last * last - turn * before * last
            best = max(best, 2 * math.sqrt(max(power, 0)) / max(len(side), 1) / AMPLITUDE)
        return best

    def hears(self, frequency, level, tolerance=0.1):
        """Whether a tone is there at a level now."""
        return time.monotonic() - self.arrived < 0.5 and abs(self.level(frequency) - level) <= tolerance * max(level, 0.1)

    def wait_for(self, frequency, level, seconds=15):
        self.desktop.wait(f"{frequency} Hz at {level}", lambda: self.hears(frequency, level), seconds)

    def stop(self):
        self.process.kill()
        self.process.wait()
