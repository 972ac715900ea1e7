"""Compares the manual page of the library with the library's sources.

  manual.py PAGE

Fails if the page lacks a function, a property or a constant, has one that is not there, or says another thing of its four
characters, of a property's type or of what can be done with it. Sources/CAudioSession/properties.def decides on properties,
the header on everything else.
"""

import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent / "Sources/CAudioSession"
header = (SOURCES / "include/audio_session.h").read_text()
page = pathlib.Path(sys.argv[1]).read_text()
TYPES = {"UINT32": "UInt32", "FLOAT32": "Float32", "FLOAT64": "Float64", "VALUE": "AudioSessionValueRef"}
USES = ("read", "set", "listened to")
mistakes = []


def compare(what, said, true):
    """Two sets, or two dictionaries."""
    for name in sorted(set(said) | set(true)):
        if name not in said:
            mistakes.append(f"{what}: {name} is missing")
        elif name not in true:
            mistakes.append(f"{what}: {name} does not exist")
        elif isinstance(true, dict) and said[name] != true[name]:
            mistakes.append(f"{what}: {name} is said to be {said[name]}, and is {true[name]}")


def section(title):
    return re.search(rf"^\.Sh {title}\n(.*?)(?=^\.Sh |\Z)", page, re.M | re.S)[1]


def said_properties():
    """The entries of the section: .It Dv NAME Pq Ql CODE, then .Vt TYPE and what can be done."""
    entries = re.findall(r"^\.It Dv (kAudioSessionProperty_\w+)(.*)\n(.*)$", section("PROPERTIES"), re.M)
    for name, code, line in entries:
        found = re.fullmatch(r"\.Vt (\w+) (?:, [^:]*)?: (.*)\.", line)
        kind, uses = found.groups() if found else ("", line)
        yield name, (code.removeprefix(" Pq Ql "), kind, tuple(uses.split(", ")))


properties = {
    name: (code, TYPES[kind], tuple(use for use, flag in zip(USES, flags.split(", ")) if flag == "1"))
    for name, code, kind, flags in
    re.findall(r'^PROPERTY\((\w+), "(....)", (\w+), ([01], [01], [01]), \w+\)$', (SOURCES / "properties.def").read_text(), re.M)}
compare("property", dict(said_properties()), properties)

functions = set(re.findall(r"\b(AudioSession\w+)\(", "\n".join(re.findall(r"^AUDIO_SESSION_PUBLIC .*", header, re.M))))
compare("function in the synopsis", set(re.findall(r"^\.F[no] (\w+)", section("SYNOPSIS"), re.M)), functions)
entries = "\n".join(re.findall(r"^\.It .*", section("FUNCTIONS"), re.M))
compare("described function", set(re.findall(r"\bFn (\w+)", entries)), functions)

constants = set(re.findall(r"\b(kAudio\w+) = |\bAUDIO_SESSION_TEXT\((kAudio\w+),|#define (kAudio\w+) ", header))
constants = {name for names in constants for name in names if name}
compare("constant", set(re.findall(r"\bkAudio\w+", page)), constants)
codes = dict(re.findall(r"\b(kAudio\w+) = (0x[0-9a-f]{8})\b", header))
# The characters follow their constant, in its line or the next one.
said_codes = re.findall(r"\b(kAudio\w+)(?: |\n\.)Pq Ql (\S{4})(?!\S)", page)
compare("characters", {name: "0x" + code.encode().hex() for name, code in said_codes}, codes)

if mistakes:
    sys.exit("\n".join(mistakes))
print(f"{len(properties)} properties, {len(functions)} functions, {len(constants)} constants")
