"""What happened in a situation, in the order in which it did: what its user did, what the players and the module said on the bus,
what became of streams, and what was heard."""

import json
import re
import time

from decisions import command
from sound import SILENCE

#: What a line says of a stream beside its number.
SHOWN = ("wanted", "running", "treatment", "cause")


class Timeline:
    def __init__(self, desktop, name):
        self.desktop, self.marks, self.recordings = desktop, [], []
        self.paths = {kind: desktop.logs / f"{kind}-{name}" for kind in ("bus", "monitor")}
        self.processes = [
            self._follow("bus", ["busctl", f"--address=unix:path={desktop.run}/bus", "monitor", "--json=short",
                                 "--match=path='/org/mpris/MediaPlayer2'", "--match=path='/org/freedesktop/DBus'"]),
            self._follow("monitor", [command(), "monitor", "--json"]),
        ]
        self.log_begins = len(desktop.log())
        desktop.wait("the monitors", lambda: all(path.stat().st_size > 0 for path in self.paths.values()))

    def _follow(self, kind, words):
        with open(self.paths[kind], "wb") as output:
            return self.desktop.spawn(words, stdout=output)

    def mark(self, text):
        """Says what is done now."""
        self.marks.append((time.time(), "user", text))

    def end(self):
        for process in self.processes:
            self.desktop.end(process)

    def lines(self):
        """The whole, with seconds since the first mark."""
        events = sorted([*self.marks, *self._bus(), *self._streams(), *self._sounds()])
        first = self.marks[0][0] if self.marks else 0
        return [f"{moment - first:8.3f}  {source:8}  {text}" for moment, source, text in events if moment > first - 1]

    def log(self):
        """What the module has logged meanwhile."""
        lines = [line for line in self.desktop.log()[self.log_begins:].splitlines() if "audio-session" in line]
        return [re.sub(r"\[ *shim.c: *\d+ cpw_log\(\)\] |I: \[pulseaudio\] audio-session: |mod.audio-session \| ", "", line)
                for line in lines]

    def _bus(self):
        for line in self.paths["bus"].read_text(errors="replace").splitlines():
            try:
                message = json.loads(line)
            except ValueError:
                continue
            text = self._words(message)
            if text:
                yield message["timestamp-realtime"] / 1e6, "bus", text

    @staticmethod
    def _words(message):
        member, data = message.get("member"), (message.get("payload") or {}).get("data") or []
        if member in ("Get", "GetAll", "Introspect", None) or message.get("path") == "/org/freedesktop/DBus" and (
                member != "NameOwnerChanged" or "mpris" not in data[0]):
            return None
        if member == "PropertiesChanged":
            values = {key: value["data"] for key, value in data[1].items() if key in ("PlaybackStatus", "CanPause", "CanPlay")}
            return f"{message['sender']} says {values}" if values else None
        return f"{message['sender']} → {message.get('destination', 'all')} {member} {data if data else ''}".strip()

    def _streams(self):
        known = {}
        for line in self.paths["monitor"].read_text().splitlines():
            event = json.loads(line)
            for stream in event.get("streams", [event.get("details", {})]):
                number = stream.get("id")
                if event["kind"] == "stream-removed":
                    yield event["time"] / 1e6, "stream", f"{number} is gone"
                elif "treatment" in stream:
                    shown = {key: stream.get(key) for key in SHOWN}
                    if known.get(number) != shown:
                        whose = f" of {stream['application']} ({stream['process']}), {stream['description']}"
                        text = " ".join(f"{key}={value}" for key, value in shown.items())
                        yield event["time"] / 1e6, "stream", f"{number}{'' if number in known else whose}: {text}"
                        known[number] = shown

    def _sounds(self):
        for recording in self.recordings:
            was = {}
            for row in recording.read():
                for what, level in (("the music", row.music), ("the call", row.call)):
                    state = "silent" if level <= SILENCE / 2 else "low" if level < 0.3 * was.get(f"{what} loudest", 1) else "loud"
                    if state == "loud":
                        was[f"{what} loudest"] = max(was.get(f"{what} loudest", 0), level)
                    if was.get(what, "silent") != state:
                        place = f" at its second {row.position:.1f}" if what == "the music" and state != "silent" else ""
                        yield recording.began + row.moment, "sound", f"{recording.name}: {what} is {state} ({level:.3f}){place}"
                    was[what] = state
