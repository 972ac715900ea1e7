"""Reads scenario files for playing. Assumes correct files; `audio-session simulate` reports mistakes."""

import pathlib
import re

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = (PACKAGE / "policy/scenarios", PACKAGE / "Tests/Scenarios")
#: A scenario with all kinds of events, for short runs.
EVERYDAY = pathlib.Path(__file__).parent / "everyday.scenario"
_TOKEN = re.compile(r'\s+|,|#[^\n]*|("(?:[^"\\]|\\.)*"|[{}\[\]=:]|[^\s{}\[\]=:,"#][^\s{}\[\]=:,"]*)')


def parse(text):
    """PipeWire's relaxed JSON, without the outer braces, as dictionaries, lists and texts."""
    tokens = [found.group(1) for found in _TOKEN.finditer(text) if found.group(1)]
    place = 0

    def value():
        nonlocal place
        token = tokens[place]
        place += 1
        if token == "{":
            return members("}")
        if token == "[":
            items = []
            while tokens[place] != "]":
                items.append(value())
            place += 1
            return items
        return token[1:-1] if token.startswith('"') else token

    def members(end):
        nonlocal place
        found = {}
        while place < len(tokens) and tokens[place] != end:
            key = value()
            if tokens[place] in "=:":
                place += 1
            found[key] = value()
        place += 1
        return found

    return members(None)


def write(value):
    """Writes a value that `parse` has returned as text."""
    if isinstance(value, dict):
        return "{ " + " ".join(f'"{key}" = {write(item)}' for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[ " + " ".join(map(write, value)) + " ]"
    return f'"{value}"'


def policy_text(policy):
    """The text of a policy file for the policy of a scenario."""
    if isinstance(policy, dict):
        return "\n".join(f'"{key}" = {write(value)}' for key, value in policy.items())
    return f'preset = "{policy}"'


def seconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(ms|s|min|h)?", text).groups()
    return float(number) * {"ms": 0.001, "s": 1, "min": 60, "h": 3600, None: 1}[unit]


class Scene:
    """One scenario: its streams, sessions and events."""

    ACTIONS = (
        "play", "pause", "stop", "kill", "volume", "mute", "move", "open", "category", "mode", "activate", "deactivate", "cancel",
        "close", "begin", "end", "sleep", "lock", "silent", "do-not-disturb", "mute-input", "unmute-input", "plug", "unplug",
        "route", "policy",
    )

    def __init__(self, path):
        self.name = path.stem
        story = parse(path.read_text())
        self.policy = story.get("policy", "desktop")
        self.streams, self.sessions = story.get("streams", {}), story.get("sessions", {})
        self.interruptions = story.get("interruptions", {})
        self.events = []
        for event in story["events"]:
            # In an event with a category, the mode is a detail of that action.
            action = next(name for name in self.ACTIONS if name in event and not (name == "mode" and "category" in event))
            self.events.append((seconds(event["at"]), action, event[action], event))
        self.events.sort(key=lambda event: event[0])

    @property
    def needs_card(self):
        return any(action in ("plug", "unplug", "route") for _, action, _, _ in self.events)

    def is_paused(self, stream):
        return any(action == "pause" and what == stream for _, action, what, _ in self.events)

    def is_muted_by_policy(self):
        return "mute" in write(self.policy) or any(
            action == "policy" and "mute" in write(what) for _, action, what, _ in self.events)

    def application(self, name):
        """The application of a stream or session, as identified by its properties."""
        own = self.streams.get(name) or self.sessions.get(name) or {}
        if "session" in own:
            own = self.sessions[own["session"]]
        return own.get("application.process.binary") or own.get("application.name") or name

    def text(self, event):
        _, action, what, details = event
        more = details.get("to")
        what = what if isinstance(what, str) else write(what)
        return f"{action} {what}" + (f" to {more if isinstance(more, str) else write(more)}" if more else "")


def every_scene():
    return [Scene(path) for folder in FOLDERS for path in sorted(folder.glob("*.scenario"))]
