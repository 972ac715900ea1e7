"""Plays a scenario with real clients on a private desktop, and judges what is left of the user's settings afterwards."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PACKAGE / "Tests/PrivateDesktop"))
from desktop import SINK, SYSTEM_PYTHON, Failure, build, package_flags, pulse_release  # noqa: E402
from listening import AMPLITUDE, make_tone  # noqa: E402
from scenes import policy_text  # noqa: E402

BUILT = PACKAGE / ".build/faults"
HERE = pathlib.Path(__file__).parent
#: The recording's rate: the highest tone that a scene has is at 6 kHz.
RATE = 16000
TONE_SECONDS = 90
#: How much of its sound a stream may lose or repeat over an interruption, in seconds. What is below the threshold while a
#: stream fades counts as not heard, a machine that has other work corks later, and the windows are uncertain.
MOST_SKIPPED = 0.8
#: What is quieter than this, of what a stream has without anybody's volume, counts as silence.
SILENCE = 0.01


def build_helpers():
    """What has to be compiled: the ear, the module that breaks things, the card."""
    build(BUILT / "hear", [HERE / "hear.c"], "-O2", "-lm")
    for number in range(8):
        if not (path := BUILT / f"tone-{number}.wav").exists():
            # The frequency says which second of it is heard; hear.c reads it.
            make_tone(path.with_suffix(".new"), 500 + 700 * number, "both", TONE_SECONDS, slope=5).rename(path)


def build_pipewire_helpers():
    build(BUILT / "libpipewire-module-test-faults.so", [HERE / "pipewire-faults.c"], "-shared", "-fPIC",
          "-Wno-missing-field-initializers", *package_flags("libpipewire-0.3"))
    folder = PACKAGE / "Tests/FixtureCard"
    build(BUILT / "fixture-card", sorted(folder.glob("*.c")), "-Wno-missing-field-initializers",
          *package_flags("libpipewire-0.3"), "-lm")


def pulse_helper_folder():
    release = pulse_release()
    folder = PACKAGE / ".build/modules/tests" / release
    if not (folder / "module-fixture-card.so").exists():
        subprocess.run([PACKAGE / "Tests/PulseCard/build", release], check=True)
    # The daemon's headers, and what they need, are there by then.
    build(folder / "module-test-faults.so", [HERE / "pulseaudio-faults.c"], "-shared", "-fPIC", "-Wno-missing-field-initializers",
          "-Wno-unused-parameter", "-DPA_MODULE_NAME=module_test_faults", f"-I{PACKAGE}/.build/pulse-card/{release}", "-isystem",
          str(PACKAGE / f".build/pulseaudio/{release}/src"))
    return folder


class Ear:
    """Records what the sink plays into a file, and anew when the recording ends."""

    def __init__(self, desktop, count):
        self.desktop, self.count, self.segments, self.process = desktop, count, [], None
        self.listen()

    def listen(self):
        """Begins a recording, and waits until there is sound in the file."""
        self.end()
        path = self.desktop.folder / f"heard-{time.monotonic_ns()}.raw"
        with open(path, "wb") as output:
            self.process = self.desktop.spawn(self.desktop.capture_command(RATE, 480), stdout=output)
        self.desktop.wait("the recording", lambda: path.stat().st_size > 0, 15)
        # When the file's first frame was played, about.
        self.segments.append((path, time.monotonic() - path.stat().st_size / 8 / RATE))

    def end(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.desktop.others.remove(self.process)
            self.process = None

    def discard(self):
        self.end()
        for path, _ in self.segments:
            path.unlink(missing_ok=True)

    def grows(self):
        path = self.segments[-1][0]
        size = path.stat().st_size
        end = time.monotonic() + 2
        while time.monotonic() < end:
            if path.stat().st_size > size:
                return True
            time.sleep(0.02)
        return False

    def read(self, segment=-1, seconds=0):
        """For each 50 ms of a recording: the moment, then for each stream its level and position."""
        path, begin = self.segments[segment]
        text = subprocess.run(
            [BUILT / "hear", path, str(RATE), str(seconds), str(self.count)], capture_output=True, text=True).stdout
        lines = []
        for line in text.splitlines():
            values = list(map(float, line.split()))
            pairs = [(values[index] / AMPLITUDE, values[index + 1]) for index in range(1, len(values), 2)]
            lines.append((begin + values[0], pairs))
        return lines

    def level(self, number):
        """How loud a stream was in the last moment, where 1 is as it was made."""
        lines = self.read(seconds=0.25)
        return min(pairs[number][0] for _, pairs in lines) if lines else 0.0

    def is_at(self, number, level):
        lines = self.read(seconds=0.3)
        return bool(lines) and all(abs(pairs[number][0] - level) < 0.1 * max(level, 0.1) for _, pairs in lines[-3:])


class Application:
    """A program with a connection to the bus, which holds sessions and starts players."""

    def __init__(self, desktop, name, number):
        self.desktop, self.name, self.paths, self.cookies = desktop, name, {}, {}
        self.socket = desktop.run / f"app-{number}"
        self.socket.unlink(missing_ok=True)
        script = PACKAGE / "Tests/Fixtures/session-application.py"
        self.process = desktop.spawn([SYSTEM_PYTHON, script, self.socket])
        self.players = []
        desktop.wait(f"the application {name}", lambda: self.socket.exists() and self.ask("get", "/", "x", is_tried=True), 20)

    def lives(self):
        return self.process.poll() is None

    def ask(self, *request, is_tried=False, seconds=10):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            connection.connect(str(self.socket))
            connection.sendall(json.dumps(request).encode() + b"\n")
            data = b""
            while not data.endswith(b"\n"):
                part = connection.recv(65536)
                if not part:
                    raise Failure(f"{self.name} has ended")
                data += part
        answer = json.loads(data)
        if "error" in answer and not is_tried:
            raise Failure(f"{request[0]}: {answer['error']}: {answer['message']}")
        return answer if is_tried else answer["ok"]


class Player:
    """A program that plays or records one stream."""

    def __init__(self, stage, name, process, number, is_capture, button):
        self.name, self.process, self.number, self.is_capture, self.button = name, process, number, is_capture, button
        self.begin, self.end = time.monotonic(), None
        self.wants, self.factor, self.is_muted, self.was_muted = True, 1.0, False, False
        self.is_pulse = False

    def lives(self):
        return self.end is None and os.path.exists(f"/proc/{self.process}/fd") and alive(self.process)


def alive(process):
    with contextlib.suppress(OSError):
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    return False


class Stage:
    """One playing of one scene."""

    def __init__(self, desktop, scene):
        self.desktop, self.scene = desktop, scene
        self.applications, self.players, self.past = {}, {}, []
        self.numbers = {name: index for index, name in enumerate(scene.streams)}
        self.devices = desktop.devices()
        self.cards, self.card_count, self.app_count, self.ear = {}, 0, 0, None
        self.is_bus_stalled = False
        self.unlinked = 0
        #: Whether the session manager has been started again.
        self.has_restored = False

    def begin(self):
        self.ear = Ear(self.desktop, len(self.scene.streams))

    # What happens

    def perform(self, event):
        """Makes something happen. What cannot happen any more, because who would do it is gone, does not."""
        _, action, what, details = event
        with contextlib.suppress(Failure, OSError, ValueError, KeyError, subprocess.SubprocessError):
            getattr(self, "do_" + action.replace("-", "_"))(what, details)
            return True
        return False

    def needs_bus(self, event):
        return event[1] not in ("play", "pause", "stop", "volume", "mute", "policy") or (
            event[1] == "play" and "session" in self.scene.streams[event[2]])

    def application(self, name):
        known = self.applications.get(name)
        if known is None or not known.lives():
            self.app_count += 1
            known = self.applications[name] = Application(self.desktop, name, self.app_count)
        return known

    def do_play(self, name, _):
        player = self.players.get(name)
        if player is not None and player.lives():
            if player.button:
                self.press(player, False)
            return
        own = self.scene.streams[name]
        number, is_capture = self.numbers[name], own.get("direction") == "capture"
        role, properties = own.get("media.role"), {}
        for key, value in own.items():
            if key not in ("media.role", "application.name", "application.process.binary", "session", "direction"):
                properties[key] = value
        whose = self.scene.application(name)
        session = own.get("session")
        application = None
        if session is not None:
            application = self.application(whose)
            if session in application.paths:
                properties["audio-session.id"] = application.paths[session].rsplit("/", 1)[1]
        if role:
            properties["media.role"] = role
        properties["application.name"] = own.get("application.name", whose)
        tone = BUILT / f"tone-{number}.wav"
        button, is_native = None, self.desktop.KIND == "pipewire" and number % 2 == 0
        if is_capture:
            command = ["pw-record", "/dev/null"] if is_native else ["parecord", "--raw", "/dev/null"]
        elif self.scene.is_paused(name):
            button = self.desktop.run / f"mpv-{time.monotonic_ns()}"
            command = ["mpv", "--no-config", "--really-quiet", f"--ao={'pipewire' if is_native else 'pulse'}",
                       f"--input-ipc-server={button}", str(tone)]
        elif is_native:
            command = ["pw-cat", "--playback", "--media-role", role or "Music", str(tone)]
        else:
            command = ["pacat", "--playback", "--file-format=wav", "--latency-msec=60", str(tone)]
        variables = {
            "PULSE_PROP": " ".join(f"{key}='{value}'" for key, value in properties.items()),
            "PIPEWIRE_PROPS": json.dumps(properties),
        }
        if application is not None:
            process = application.ask("start", command, variables)
        else:
            process = self.desktop.spawn(command, variables).pid
        player = self.players[name] = Player(self, name, process, number, is_capture, button)
        player.is_pulse = not is_native
        self.past.append(player)
        # What its user makes of it; the server remembers that for streams of its kind.
        player.factor = self.factor(role)
        own = self.desktop.wait(f"the stream {name}", lambda: self.shown(player), 20)
        self.settle(own, player)

    def settle(self, shown, player):
        """The user's volume, and not muted, whatever the server remembers of the role."""
        self.desktop.set_volume(shown, player.factor)
        self.desktop.set_mute(shown, False)
        self.remember(player)

    def remember(self, player):
        """Notes what the server may give to any stream of the role from now on."""
        remembered = self.desktop.__dict__.setdefault("remembered", {})
        factors, mutes = remembered.setdefault(self.role(player), ({1.0}, {False}))
        factors.add(player.factor)
        mutes.add(player.is_muted)

    @staticmethod
    def factor(role):
        """The user's volume, one for each role, as servers remember one for each role."""
        return 0.5 + (sum(map(ord, (role or "").lower())) % 40) / 100

    def shown(self, player):
        """What the server shows of a player's stream, as soon as it has volumes."""
        return next((one for one in self.desktop.streams() if one["process"] == player.process and one["volumes"]), None)

    def shown_now(self, player):
        return self.shown(player) or self._no_stream(player)

    @staticmethod
    def _no_stream(player):
        raise Failure(f"{player.name} has no stream")

    def press(self, player, is_paused):
        end = time.monotonic() + 5
        while not player.button.exists() and time.monotonic() < end:
            time.sleep(0.02)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(player.button))
            connection.sendall(json.dumps({"command": ["set_property", "pause", is_paused]}).encode() + b"\n")
            connection.recv(4096)
        player.wants = not is_paused

    def do_pause(self, name, _):
        self.press(self.players[name], True)

    def do_stop(self, name, _, how=signal.SIGTERM):
        player = self.players.pop(name)
        player.end = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            os.kill(player.process, how)

    def do_kill(self, name, _):
        whose = self.scene.application(name)
        for other in [other for other in self.players if self.scene.application(other) == whose]:
            self.do_stop(other, None, signal.SIGKILL)
        application = self.applications.pop(whose, None)
        if application is not None:
            application.process.kill()
            application.process.wait()

    def do_volume(self, name, details):
        player = self.players[name]
        factor = float(details["to"].rstrip("%")) / 100
        self.desktop.set_volume(self.shown_now(player), factor)
        player.factor = factor
        self.remember(player)

    def do_mute(self, name, _):
        player = self.players[name]
        self.desktop.set_mute(self.shown_now(player), not player.is_muted)
        player.is_muted = not player.is_muted
        player.was_muted = True
        self.remember(player)

    def session(self, name):
        application = self.application(self.scene.application(name))
        return application, application.paths[name]

    def do_open(self, name, _):
        application = self.application(self.scene.application(name))
        application.paths[name] = application.ask("open", {"display-name": name})

    def do_category(self, name, details):
        application, path = self.session(name)
        application.ask("session", path, "SetCategory", details["to"], details.get("options", []), details.get("mode", ""))

    def do_mode(self, name, details):
        application, path = self.session(name)
        application.ask("session", path, "SetMode", details["to"])

    def do_activate(self, name, details):
        application, path = self.session(name)
        application.ask("session", path, "Activate", details.get("flags", []))

    def do_deactivate(self, name, details):
        application, path = self.session(name)
        application.ask("session", path, "Deactivate", details.get("flags", []))

    def do_cancel(self, name, _):
        application, path = self.session(name)
        application.ask("session", path, "CancelActivation")

    def do_close(self, name, _):
        application, path = self.session(name)
        application.ask("session", path, "Close")
        del application.paths[name]

    def interrupter(self, name):
        own = self.scene.interruptions[name]
        return self.application(own.get("application.process.binary", name)), own

    def do_begin(self, name, _):
        application, own = self.interrupter(name)
        application.cookies[name] = application.ask(
            "manager", "BeginInterruption", own["kind"], {"display-name": own.get("display-name", name)})

    def do_end(self, name, _):
        application, _ = self.interrupter(name)
        application.ask("manager", "EndInterruption", application.cookies.pop(name))

    def do_silent(self, is_on, _):
        self.application("shell").ask("set", "Silent", is_on == "on")

    def do_do_not_disturb(self, is_on, _):
        self.application("shell").ask("set", "DoNotDisturb", is_on == "on")

    def do_policy(self, policy, _):
        self.desktop.write("audio-session/policy.conf", policy_text(policy))

    def do_sleep(self, *_):
        raise Failure("there is no logind here")

    do_lock = do_sleep

    def do_route(self, name, _):
        self.do_plug(name, None)

    def card(self, name):
        """The card of an output that comes and goes."""
        known = self.cards.get(name)
        if known is None:
            self.card_count += 1
            known = self.cards[name] = self.desktop.run / f"card-{time.monotonic_ns()}"
            kind = "hdmi" if name.startswith("hdmi") else "bluetooth" if name.startswith("bluetooth") else "usb"
            if self.desktop.KIND == "pipewire":
                self.desktop.spawn([BUILT / "fixture-card", kind, known], {"FIXTURE_CARD": "absent"})
            else:
                self.desktop.tool("pactl", "load-module", "module-fixture-card", f"kind={kind}", f"socket={known}", "absent=yes")
            self.desktop.wait("the card", lambda: self.tell(known, "state"), 10)
        return known

    @staticmethod
    def tell(card, line):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            connection.connect(str(card))
            connection.sendall(line.encode() + b"\n")
            return connection.recv(65536)

    def do_plug(self, name, _):
        self.tell(self.card(name), "appear")

    def do_unplug(self, name, _):
        if name in self.cards:
            self.tell(self.cards[name], "vanish")

    # The end

    def end_applications(self):
        """All who hold sessions or have begun interruptions leave; their players play on."""
        for application in self.applications.values():
            application.process.kill()
            application.process.wait()
            self.desktop.others.remove(application.process)
        self.applications = {}

    def clean(self):
        """Ends whoever is left."""
        self.end_applications()
        self.clean_players()
        for child in list(self.desktop.others):
            if child is not self.ear.process if self.ear else True:
                child.kill()
                child.wait()
                self.desktop.others.remove(child)
        if self.ear:
            self.ear.discard()

    def clean_players(self):
        for player in self.past:
            if alive(player.process):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(player.process, signal.SIGKILL)

    def forget_pulse_clients(self):
        """Their server has gone, and they with it."""
        self.forget(lambda player: player.is_pulse)

    def forget(self, condition):
        for name, player in list(self.players.items()):
            if condition(player):
                self.do_stop(name, None, signal.SIGKILL)

    def judge(self, by_sound=True):
        """What is not as it was. The module is gone by now; whoever is left plays as its user wants it. Without sound, what the
        server says of the volumes in force has to do."""
        losses = []
        for card in self.cards.values():
            # All is played where it is recorded.
            self.tell(card, "vanish")
        for player in list(self.players.values()):
            if time.monotonic() - player.begin > TONE_SECONDS - 5:
                # It may have come to the end of its file.
                self.do_stop(player.name, None)
                continue
            if player.lives() and (self.shown(player) or not self.has_restored):
                continue
            if self.has_restored:
                # Clients end with an error when nobody finds them an output in time, see restart_manager.
                self.unlinked += 1
                self.do_stop(player.name, None, signal.SIGKILL)
            else:
                losses.append(f"{player.name} has ended")
        survivors = [player for player in self.players.values() if player.lives()]

        def look():
            shown = {one["process"]: one for one in self.desktop.streams()}
            # A session manager that starts gives a stream the volume that it remembers of the role, whosever it was.
            if self.has_restored:
                for player in survivors:
                    self.accept_restored(player, shown.get(player.process))
            return [loss for player in survivors for loss in self.settings_lost(player, shown.get(player.process))]

        try:
            self.desktop.wait("settings", lambda: not look(), 6)
        except Failure:
            losses += look()
        devices = self.desktop.devices()
        for name, before in self.devices.items():
            if devices.get(name) != before:
                losses.append(f"the device {name} was {before} and is {devices.get(name)}")
        if not by_sound:
            return losses + [
                f"{player.name} is at {shown['in_force']} in force" for player in survivors if (shown := self.shown(player))
                and shown["runs"] and any(value < player.factor - 0.01 for value in shown["in_force"])]
        if not self.ear.grows():
            # Whatever has ended the recording, others are to be heard now.
            with contextlib.suppress(Failure):
                self.ear.listen()
        for player in survivors:
            if player.is_capture:
                continue
            level = player.factor if player.wants and not player.is_muted else 0.0
            try:
                self.desktop.wait("sound", lambda: self.ear.is_at(player.number, level), 8)
            except Failure:
                shown = self.shown(player)
                if shown is not None and not shown["is_linked"]:
                    # The session manager has not linked it, see restart_manager; the rest of it was looked at.
                    self.unlinked += 1
                    continue
                losses.append(f"{player.name} is heard at {self.ear.level(player.number):.3f} and not at {level:.3f}")
        return losses

    def accept_restored(self, player, shown):
        """Takes what users have said of any stream of a role for what they have said of this one."""
        factors, mutes = self.desktop.remembered[self.role(player)]
        if shown is None:
            return
        for factor in factors:
            if shown["volumes"] and all(abs(value - factor) <= 0.01 for value in shown["volumes"]):
                player.factor = factor
        if shown["mute"] in mutes:
            player.is_muted = shown["mute"]

    def role(self, player):
        return self.scene.streams[player.name].get("media.role", "").lower()

    @staticmethod
    def settings_lost(player, shown):
        if shown is None:
            return [f"{player.name} has no stream"]
        losses = []
        if not shown["volumes"] or any(abs(value - player.factor) > 0.01 for value in shown["volumes"]):
            losses.append(f"{player.name}'s volume is {shown['volumes']} and not {player.factor:.2f}")
        if shown["mute"] != player.is_muted:
            losses.append(f"{player.name}'s mute is {shown['mute']}")
        # What is in force, where the server says so: the volume, or nothing while it is muted.
        if shown["is_muted_softly"] and not player.is_muted:
            losses.append(f"{player.name} is muted in force")
        return losses

    def skips(self):
        """By stream: the largest piece of its sound, in seconds, that was lost (or repeated, if negative) over a silence."""
        found = {}
        if self.scene.needs_card:
            # What is heard on a card that comes and goes is not recorded here.
            return found
        for segment in range(len(self.ear.segments)):
            lines = self.ear.read(segment)
            for player in self.past:
                if player.is_capture or player.was_muted:
                    continue
                last, before, steady = None, None, 0
                for moment, pairs in lines:
                    level, position = pairs[player.number]
                    if level < SILENCE or moment < player.begin or (player.end and moment > player.end - 0.1):
                        before, steady = None, 0
                        continue
                    # A click has a frequency too, but not one that goes on as the sound does.
                    steady = steady + 1 if before is not None and abs(position - before - 0.05) < 0.035 else 0
                    before = position
                    if steady < 2:
                        continue
                    if last is not None and moment - last[0] > 0.25:
                        skipped = position - last[1] - 0.15
                        if abs(skipped) > abs(found.get(player.name, 0)):
                            found[player.name] = skipped
                    last = moment, position
        return found
