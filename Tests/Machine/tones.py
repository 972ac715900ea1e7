#!/usr/bin/env python3
"""Writes the sounds that the machine plays: tones.py FOLDER

Music is on the left and a call is on the right, so each is counted alone in what a card has played.
"""

import array
import math
import pathlib
import sys
import wave

RATE = 48000


def write(path, seconds, pitch, side):
    # A whole number of periods is repeated, so each second is the same.
    second = array.array("h", bytes(RATE * 4))
    if pitch:
        for frame in range(RATE):
            # −12 dBFS
            second[2 * frame + side] = round(8231 * math.sin(2 * math.pi * pitch * frame / RATE))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        for _ in range(seconds):
            file.writeframes(second.tobytes())


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
write(folder / "music.wav", 300, 440, 0)
write(folder / "call.wav", 4, 1250, 1)
write(folder / "long-call.wav", 60, 1250, 1)
write(folder / "silence.wav", 600, None, 0)
