"""Reads the measurements of probe.c."""

import collections
import mmap
import struct
import subprocess

RECORDS, SAMPLES, DEPTH = 1 << 16, 1 << 13, 30
TURN, SAMPLE = struct.Struct("5Q"), struct.Struct(f"{DEPTH + 2}Q")

# Moments in nanoseconds of the monotonic clock, lengths in milliseconds.
Turn = collections.namedtuple("Turn", "begin wall cpu ours stretch")


class Probe:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def turns(self, begin, end):
        """The recorded turns that began between two moments; turns of less than 0.2 ms are not recorded."""
        count = struct.unpack_from("Q", self.memory, 8)[0]
        found = []
        for index in range(max(0, count - RECORDS), count):
            began, *lengths = TURN.unpack_from(self.memory, 24 + index % RECORDS * TURN.size)
            if begin <= began < end:
                found.append(Turn(began, *(length / 1e6 for length in lengths)))
        return found

    def stacks(self, turns):
        """The samples of some turns: stacks of code addresses in the module's file, the innermost first."""
        wanted = {turn.begin for turn in turns}
        count = struct.unpack_from("Q", self.memory, 16)[0]
        for index in range(max(0, count - SAMPLES), count):
            turn, *places = SAMPLE.unpack_from(
                self.memory, 24 + RECORDS * TURN.size + index % SAMPLES * SAMPLE.size)
            if turn in wanted:
                yield places[:places.index(0)]


def profile(stacks, library, most=14):
    """Lines with the library's functions that were running (in) or had called those (under); needs symbols."""
    inside, under, names = collections.Counter(), collections.Counter(), {}
    stacks = list(stacks)
    places = sorted({place for stack in stacks for place in stack})
    if not places:
        return []
    # A return address follows its call, so look up the address before it.
    answer = subprocess.run(
        ["llvm-symbolizer", f"--obj={library}", "--functions=linkage", "--no-inlines", "--output-style=GNU"],
        input="\n".join(hex(place - 1) for place in places), capture_output=True, text=True)
    for place, name in zip(places, answer.stdout.splitlines()[::2]):
        names[place] = name
    for stack in stacks:
        inside[names[stack[0]]] += 1
        for name in {names[place] for place in stack}:
            under[name] += 1
    every = "\n".join([*inside, *under])
    plain = subprocess.run(["swift", "demangle", "--simplified", "--compact"], input=every, capture_output=True, text=True)
    shown = dict(zip(every.split("\n"), plain.stdout.split("\n")))
    lines = [f"    {count / len(stacks):4.0%}  under  {shown.get(name, name)[:130]}" for name, count in under.most_common(most)]
    return lines + [f"    {count / len(stacks):4.0%}  in     {shown.get(name, name)[:130]}" for name, count in inside.most_common(most // 2)]
