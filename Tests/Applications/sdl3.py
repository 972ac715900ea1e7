"""Plays a file as a game does, through SDL 3, which the library tcod for games has with it: sdl3.py FILE."""

import sys
import time
import wave

import numpy
from tcod.sdl.audio import get_default_playback

with wave.open(sys.argv[1]) as file:
    rate, channels = file.getframerate(), file.getnchannels()
    sound = numpy.frombuffer(file.readframes(file.getnframes()), numpy.int16).reshape(-1, channels)
with get_default_playback().open() as device:
    stream = device.new_stream(sound.dtype, channels, rate)
    stream.queue_audio(sound)
    stream.flush()
    while stream.queued_samples:
        time.sleep(0.1)
