"""Follows the page on porting a player as its reader does, and compares what is printed with what the page shows.

  porting.py PAGE LIBRARY     in a home of its own, with the C library in the folder LIBRARY; to the end of step 3

Tests/bin/readme follows the whole page, on a private desktop where the module is installed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "Sources/CAudioSession/examples/player-phone.c"
#: The parts of both programs, each up to the next.
PARTS = ["/* MARK: What plays */", "/* MARK: The session */", "/* MARK: The program */"]
#: What is said of headphones the live test phonePlayerInC shows; it has a card.
HEADPHONES = "the headphones have gone"
#: After so many seconds, what is waited for hangs.
HUNG = 60


class Mistake(Exception):
    """The page does not say what is."""


def expect(condition, mistake):
    if not condition:
        raise Mistake(mistake)


def blocks(text):
    """The blocks of the page, in order: number of the step, language, text."""
    step, language, lines = 0, None, []
    for line in text.splitlines():
        if heading := re.match(r"## (\d)", line):
            step = int(heading[1])
        elif line.startswith("```"):
            if language is not None:
                yield step, language, "\n".join(lines) + "\n"
            language, lines = None if language is not None else line[3:], []
        elif language is not None:
            lines.append(line)


def part(program, name):
    """A part of a program, without the next one."""
    begin = program.index(name)
    later = [program.find(other, begin + 1) for other in PARTS if program.find(other, begin + 1) > 0]
    return program[begin:min(later, default=len(program))]


def commands(block):
    """The commands of a block, each with what is printed."""
    for command, continued, printed in re.findall(r"^\$ (.*\n)((?:> .*\n)*)((?:(?![$>] ).*\n)*)", block, re.M):
        yield (command + re.sub("^> ", "", continued, flags=re.M)).strip(), printed


def matches(said, shown, any_number=False):
    """Whether something printed is as shown, where … stands for anything."""
    pattern = re.escape(shown.strip()).replace("…", r"(?:.|\n)*")
    if any_number:
        # Columns are as wide as they have to be, and a moment passes.
        pattern = pattern.replace(r"this\ moment", ".*")
        pattern = re.sub(r"(?:\\ )+", " +", re.sub(r"\d+", r"\\d+", pattern))
    return re.fullmatch(pattern, re.sub("[‘’]", "'", said).strip()) is not None


class Player:
    """The player, which plays until it is told to stop."""

    def __init__(self, command, run_in, environment):
        self.lines = 0
        self.output = pathlib.Path(run_in, "said")
        with open(self.output, "w") as output:
            self.child = subprocess.Popen(
                ["bash", "-c", f"exec env {command}"], cwd=run_in, env=environment, stdin=subprocess.PIPE, stdout=output,
                stderr=output, text=True)

    def type(self, word):
        self.child.stdin.write(word + "\n")
        self.child.stdin.flush()

    def says(self, shown):
        """Waits for what it says next."""
        wanted, end = shown.count("\n"), time.monotonic() + HUNG
        while True:
            is_last = time.monotonic() > end or self.child.poll() is not None
            lines = self.output.read_text().splitlines()[self.lines:]
            if len(lines) >= wanted or is_last:
                said = "\n".join(lines[:wanted])
                expect(matches(said, shown), f"it says\n{said}\nand not\n{shown}")
                self.lines += wanted
                return
            time.sleep(0.05)

    def has_said_all(self):
        return len(self.output.read_text().splitlines()) == self.lines

    def stop(self):
        if self.child.poll() is None:
            self.type("stop")
        try:
            self.child.wait(HUNG)
        finally:
            self.child.kill()


class Reader:
    """Whoever ports the player, in a folder of their own."""

    def __init__(self, page, folder, environment, report, has_desktop):
        self.text = pathlib.Path(page).read_text()
        self.blocks = list(blocks(self.text))
        self.folder, self.report, self.has_desktop = folder, report, has_desktop
        self.environment = environment | {"LC_ALL": "C.UTF-8"}
        self.result = RESULT.read_text()
        self.program = next(text for _, language, text in self.blocks if language == "c")
        #: Commands that are there for later ones.
        self.prepared = []
        self.player = None

    def compare(self):
        """What the page shows of programs, with the result."""
        session = part(self.program, PARTS[1])
        expect(session == part(self.result, PARTS[1]), f"its session is not that of {RESULT.name}")
        for _, language, text in self.blocks:
            if language == "c" and text != self.program:
                expect(text in self.result, f"this is not in {RESULT.name}:\n{text}")
        for path in re.findall(r"`(Sources/[^`]*)`", self.text):
            expect((ROOT / path).exists(), f"there is no {path}")

    def edit(self, step):
        """What the reader does in an editor in a step."""
        file = self.folder / "player.c"
        program = file.read_text()
        if step == 2:
            program = program.replace(part(program, PARTS[0]), part(self.result, PARTS[0]))
            program = program.replace("#include <stdio.h>", "#include <pulse/pulseaudio.h>\n#include <stdio.h>")
        elif step == 3:
            program = program.replace(part(program, PARTS[2]), part(self.result, PARTS[2]))
            report = r"^static void report.*\n"
            program = program.replace(*(re.search(report, text, re.M)[0] for text in (program, self.result)))
            expect(self.result.endswith(program), f"the steps do not lead to {RESULT.name}")
        file.write_text(program)

    def run(self, command):
        done = subprocess.run(
            ["bash", "-c", "\n".join([*self.prepared, command])], cwd=self.folder, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=HUNG)
        return done.returncode, done.stdout

    def type(self, command, shown):
        if re.match(r"export |\w+\(\)", command):
            self.prepared.append(command)
        elif re.search(r"(^| )\./player", command):
            if self.player:
                self.player.stop()
            self.player = Player(command, self.folder, self.environment)
            self.player.says(shown)
        else:
            status, said = self.run(command)
            if "-c player.c" in command:
                self.compare_lines(said)
            else:
                expect(status == 0, f"status {status}: {said}")
            expect(matches(said, shown, command.startswith("audio-session")), f"it prints\n{said}and not\n{shown}")
            if "explain" in command:
                self.settle()

    def settle(self):
        """A call that was so short that the player may have heard of it, or not, is over for the player."""
        end = time.monotonic() + HUNG
        while not re.search(r"player .* active ", self.run("audio-session list")[1]):
            expect(time.monotonic() < end, "it is not active again")
        if not self.player.has_said_all():
            self.player.says("the interruption begins\nthe interruption ends\nplays\n")

    def compare_lines(self, said):
        """The lines that the compiler complains of are those that the page names, and the session is between them."""
        numbers = [int(line) for line in re.findall(r"^player\.c:(\d+):.*(?:error|warning):", said, re.M)]
        named = re.search(r"lines (\d+) to (\d+) and (\d+)[^.]*\. The session, lines (\d+) to (\d+)", self.text.replace("\n", " "))
        expect(named, "the page names no lines of the compiler's messages")
        first, last, loop, begin, end = map(int, named.groups())
        expect(min(numbers) == first and all(number <= last for number in numbers[:-1]) and numbers[-1] == loop,
               f"the compiler complains of the lines {numbers}")
        before = self.program[:self.program.index(PARTS[1])].count("\n")
        expect((begin, end) == (before + 1, before + part(self.program, PARTS[1]).count("\n")), "the session has other lines")

    def hear(self, text):
        """What the player says without a command."""
        if text.startswith("does not play"):
            call = subprocess.Popen(["audio-session", "interrupt", "begin", "phone"], env=self.environment,
                                    stdout=subprocess.DEVNULL)
            try:
                self.player.says("the interruption begins\n")
                self.player.type("play")
                self.player.says(text)
            finally:
                call.terminate()
                call.wait(HUNG)
            self.player.says("the interruption ends\nplays\n")
        elif HEADPHONES not in text:
            self.player.says(text)

    def change(self, text):
        """A change that the page proposes can be made, and the program compiles."""
        gone, come = (re.search(rf"^\{sign}(.*\n)", text, re.M)[1] for sign in "-+")
        program = (self.folder / "player.c").read_text()
        session = part(program, PARTS[1])
        expect(session.count(gone) == 1, f"this is not in the session's part once: {gone}")
        (self.folder / "changed.c").write_text(program.replace(session, session.replace(gone, come)))
        flags = "$(pkg-config --cflags --libs audiosession-compat libpulse)"
        status, said = self.run(f"cc -Wall -Wextra -Werror -o changed changed.c {flags}")
        expect(status == 0, said)

    def follow(self):
        self.compare()
        (self.folder / "player-2010.c").write_text(self.program)
        try:
            last = 0
            for step, language, text in self.blocks:
                while last < step:
                    last += 1
                    if last in (2, 3):
                        self.edit(last)
                if language == "console":
                    for command, shown in commands(text):
                        if self.has_desktop or not re.search(r"(^| )(audio-session|\./player) ", command):
                            self.type(command, shown)
                            self.report(command)
                elif language == "text" and self.has_desktop:
                    self.hear(text)
                elif language == "diff":
                    self.change(text)
        finally:
            if self.player:
                self.player.stop()


def install(home, library):
    """Has the library and its headers in a home, as install/install --user has them."""
    folder = home / ".local"
    (folder / "lib/pkgconfig").mkdir(parents=True)
    for name in ("libaudiosession.so", "libaudiosession.so.1"):
        shutil.copy(library / name, folder / "lib" / name)
    shutil.copytree(ROOT / "Sources/CAudioSession/include", folder / "include")
    shutil.copytree(ROOT / "Sources/CAudioSession/compat", folder / "include/audiosession-compat")
    places = {"prefix": folder, "libdir": folder / "lib", "includedir": folder / "include", "version": "1.0", "runpath": ""}
    for name in ("audiosession", "audiosession-compat"):
        text = re.sub(r"@(\w+)@", lambda found: str(places[found[1]]), (ROOT / f"install/{name}.pc.in").read_text())
        (folder / f"lib/pkgconfig/{name}.pc").write_text(text)


def main():
    with tempfile.TemporaryDirectory(prefix="porting-") as scratch:
        home = pathlib.Path(scratch)
        install(home, pathlib.Path(sys.argv[2]).resolve())
        (home / "port").mkdir()
        try:
            Reader(sys.argv[1], home / "port", os.environ | {"HOME": str(home)}, print, has_desktop=False).follow()
        except Mistake as mistake:
            sys.exit(f"{sys.argv[1]}: {mistake}")


if __name__ == "__main__":
    main()
