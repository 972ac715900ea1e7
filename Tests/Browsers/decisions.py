"""What the module decides while a situation is played, in its own words."""

import json
import re
import time

from browser import PACKAGE
from desktop import Failure, module_folder


def command():
    """The command line that install/build makes beside the modules."""
    path = module_folder().parent / "commands/audio-session"
    if not path.exists():
        raise Failure(f"no {path}; install/build makes it")
    return path


def install_policy(desktop, lines):
    """The policy files that an installation has, in the folder of a user, and further lines in a file after them."""
    listed = re.findall(r'"\$here/(policy/\S+)" "\$policies/(\S+)"', (PACKAGE / "install/files").read_text())
    if not any(place.startswith("policy.conf.d/") for _, place in listed):
        raise Failure("install/files names no fragment of the policy")
    for source, place in listed:
        desktop.write(f"audio-session/{place}", (PACKAGE / source).read_text())
    if lines:
        desktop.write("audio-session/policy.conf.d/60-browsers.conf", lines)


def listed(desktop, what):
    """All sessions or streams, as the module lists them."""
    return json.loads(desktop.tool(command(), "list", what, "--json"))[what]


class Decisions:
    """Follows what is decided of the music. All other streams are the browser's."""

    def __init__(self, desktop, name, music):
        self.desktop, self.music, self.path = desktop, music, desktop.logs / f"monitor-{name}"
        # The module says times of the clock; recordings have those since the machine's start.
        self.clock = time.time() - time.monotonic()
        with open(self.path, "wb") as output:
            self.process = desktop.spawn([command(), "monitor", "--json"], stdout=output)
        desktop.wait("the module's service", lambda: self.path.stat().st_size > 0)

    def stop(self):
        self.desktop.end(self.process)

    def words(self):
        """What the browser is taken for at present and by which streams, and why the music is treated as it is."""
        sessions = {session["id"]: session["description"] for session in listed(self.desktop, "sessions")}
        uses = {}
        for stream in listed(self.desktop, "streams"):
            if stream["process"] != self.music and stream["wanted"]:
                use = "records" if stream["direction"] == "capture" else "plays"
                uses.setdefault(sessions.get(stream["session"], "no session"), set()).add(use)
        browser = "; ".join(f"{description} ({' and '.join(sorted(use))})" for description, use in uses.items())
        # "stream 1 of paplay (music) is stopped for 2 s now: …; phone has the priority …"
        explained = self.desktop.tool(command(), "explain", self.music).strip().split(";")[0]
        music = re.sub(r"^stream .*? is | since .*? ago", "", explained)
        return f"browser: {browser or 'no stream in a session'}; music: {music}"

    def stops(self, last):
        """The times in which the module has stopped or lowered the music, until a moment."""
        begin, found = None, []
        for line in self.path.read_text().splitlines():
            event = json.loads(line)
            for stream in event.get("streams", [event.get("details", {})]):
                if stream.get("process") != self.music or "treatment" not in stream:
                    continue
                moment = event["time"] / 1e6 - self.clock
                if stream["treatment"] != "untouched":
                    begin = moment if begin is None else begin
                elif begin is not None:
                    found.append((begin, moment))
                    begin = None
        return found + ([(begin, last)] if begin is not None else [])
