"""Plays a scenario with real clients on a private desktop, and checks the users' settings and the sound afterwards."""

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
from desktop import HUNG, SYSTEM_PYTHON, Failure, build, build_card, is_alive, package_flags, pulse_release  # noqa: E402
from listening import AMPLITUDE, make_tone  # noqa: E402
from scenes import policy_text  # noqa: E402

BUILT = PACKAGE / ".build/faults"
HERE = pathlib.Path(__file__).parent
#: The recording's rate; the highest tone of a scene is at 6 kHz.
RATE = 16000
TONE_SECONDS = 90
#: The sound that a stream may lose or repeat over an interruption, in seconds of the recording. The end of a fade is below the
#: threshold of hearing, clients buffer, and the analysis windows are imprecise. A scene in which the machine was late by half of
#: that is played again, before anything is judged.
MOST_SKIPPED = 0.8
MOST_LATE = MOST_SKIPPED / 2
#: A level below this part of the stream's full level counts as silence.
SILENCE = 0.01


def build_ear():
    """Compiles hear.c, with which an Ear measures."""
    build(BUILT / "hear", [HERE / "hear.c"], "-O2", "-lm")


def build_helpers():
    """Compiles hear.c, the module that causes faults, and the simulated card; makes the tones."""
    build_ear()
    for number in range(8):
        if not (path := BUILT / f"tone-{number}.wav").exists():
            # The frequency gives the position in the tone; hear.c reads it.
            make_tone(path.with_suffix(".new"), 500 + 700 * number, "both", TONE_SECONDS, slope=5).rename(path)


def build_pipewire_helpers():
    build(BUILT / "libpipewire-module-test-faults.so", [HERE / "pipewire-faults.c"], "-shared", "-fPIC",
          "-Wno-missing-field-initializers", *package_flags("libpipewire-0.3"))
    build_card()


def pulse_helper_folder():
    release = pulse_release()
    folder = PACKAGE / ".build/modules/tests" / release
    if not (folder / "module-fixture-card.so").exists():
        subprocess.run([PACKAGE / "Tests/PulseCard/build", release], check=True)
    # The card's build has fetched the daemon's headers.
    build(folder / "module-test-faults.so", [HERE / "pulseaudio-faults.c"], "-shared", "-fPIC", "-Wno-missing-field-initializers",
          "-Wno-unused-parameter", "-DPA_MODULE_NAME=module_test_faults", f"-I{PACKAGE}/.build/pulse-card/{release}", "-isystem",
          str(PACKAGE / f".build/pulseaudio/{release}/src"))
    return folder


class Ear:
    """Records the sink into a file, and into a new one whenever the recording has ended."""

    def __init__(self, desktop, count):
        self.desktop, self.count, self.segments, self.process = desktop, count, [], None
        self.listen()

    def listen(self):
        """Begins a recording, and waits until there is sound in the file."""
        self.end()
        path = self.desktop.folder / f"heard-{time.monotonic_ns()}.raw"
        with open(path, "wb") as output:
            self.process = self.desktop.spawn(self.desktop.capture_command(RATE, 480), stdout=output)
        self.desktop.wait("the recording", lambda: path.stat().st_size > 0)
        # The approximate time of the file's first frame.
        self.segments.append((path, time.monotonic() - path.stat().st_size / 8 / RATE))

    def end(self):
        if self.process is not None:
            self.desktop.end(self.process, signal.SIGKILL)
            self.process = None

    def discard(self):
        self.end()
        for path, _ in self.segments:
            path.unlink(missing_ok=True)

    def grows(self):
        """Whether there is more sound than now."""
        path = self.segments[-1][0]
        size = path.stat().st_size
        with contextlib.suppress(Failure):
            return bool(self.desktop.wait(
                "more of the recording", lambda: path.stat().st_size > size or self.process.poll() is not None)
                and self.process.poll() is None)
        return False

    def comes_to(self, number, level):
        """Whether a stream comes to a level."""
        with contextlib.suppress(Failure):
            return self.desktop.wait(f"stream {number} at {level}", lambda: self.is_at(number, level))
        return False

    def read(self, segment=-1, seconds=0):
        """For each 50 ms of a recording: the moment, then the level and position of each stream."""
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
        """The present level of a stream, where 1 is its full level."""
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
        desktop.wait(f"the application {name}", lambda: self.socket.exists() and self.ask("get", "/", "x", is_tried=True))

    def lives(self):
        return self.process.poll() is None

    def ask(self, *request, is_tried=False):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(HUNG)
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
        #: What the program has said, if that is kept.
        self.log = None

    def lives(self):
        return self.end is None and is_alive(self.process)


class Stage:
    """One run of one scene."""

    def __init__(self, desktop, scene):
        self.desktop, self.scene = desktop, scene
        self.applications, self.players, self.past = {}, {}, []
        self.numbers = {name: index for index, name in enumerate(scene.streams)}
        self.devices = desktop.devices()
        self.cards, self.card_count, self.app_count, self.ear = {}, 0, 0, None
        self.is_bus_stalled = False
        #: Whether the session manager has been started again.
        self.has_restored = False
        #: For how long a stream is waited for. Where streams are destroyed, some do not come, and none has to.
        self.patience = HUNG

    def begin(self):
        self.ear = Ear(self.desktop, len(self.scene.streams))

    # Events

    def perform(self, event):
        """Performs an event; does nothing if its client is gone."""
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
            command = ["mpv", "--no-config", "--msg-level=all=warn", f"--ao={'pipewire' if is_native else 'pulse'}",
                       f"--input-ipc-server={button}", str(tone)]
        elif is_native:
            command = ["pw-cat", "--playback", "--media-role", role or "Music", str(tone)]
        else:
            command = ["pacat", "--playback", "--file-format=wav", "--latency-msec=60", str(tone)]
        variables = {
            "PULSE_PROP": " ".join(f"{key}='{value}'" for key, value in properties.items()),
            "PIPEWIRE_PROPS": json.dumps(properties),
        }
        log = None
        if application is not None:
            process = application.ask("start", command, variables)
        else:
            log = self.desktop.logs / f"{name}-{time.monotonic_ns()}"
            with open(log, "wb") as output:
                process = self.desktop.spawn(command, variables, stderr=output).pid
        player = self.players[name] = Player(self, name, process, number, is_capture, button)
        player.is_pulse, player.log = not is_native, log
        self.past.append(player)
        # Set the user's volume, which the server remembers for streams of the role.
        player.factor = self.factor(role)
        own = self.desktop.wait(f"the stream {name}", lambda: self.shown(player), seconds=self.patience)
        self.settle(own, player)

    def settle(self, shown, player):
        """Sets the user's volume and unmutes, whatever the server has restored for the role."""
        self.desktop.set_volume(shown, player.factor)
        self.desktop.set_mute(shown, False)
        self.remember(player)

    def remember(self, player):
        """Records the volume and mute that the server may restore for streams of the role from now on."""
        remembered = self.desktop.__dict__.setdefault("remembered", {})
        factors, mutes = remembered.setdefault(self.role(player), ({1.0}, {False}))
        factors.add(player.factor)
        mutes.add(player.is_muted)

    @staticmethod
    def factor(role):
        """The user's volume for a role; one for each role, because servers remember one for each role."""
        return 0.5 + (sum(map(ord, (role or "").lower())) % 40) / 100

    def shown(self, player):
        """The server's state of a player's stream; None before it has volumes."""
        return next((one for one in self.desktop.streams() if one["process"] == player.process and one["volumes"]), None)

    def shown_now(self, player):
        return self.shown(player) or self._no_stream(player)

    @staticmethod
    def _no_stream(player):
        raise Failure(f"{player.name} has no stream")

    def press(self, player, is_paused):
        self.desktop.wait("the player's socket", player.button.exists)
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
                self.desktop.spawn([build_card(), kind, known], {"FIXTURE_CARD": "absent"})
            else:
                self.desktop.tool("pactl", "load-module", "module-fixture-card", f"kind={kind}", f"socket={known}", "absent=yes")
            self.desktop.wait("the card", lambda: self.tell(known, "state"))
        return known

    @staticmethod
    def tell(card, line):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(HUNG)
            connection.connect(str(card))
            connection.sendall(line.encode() + b"\n")
            return connection.recv(65536)

    def do_plug(self, name, _):
        self.tell(self.card(name), "appear")

    def do_unplug(self, name, _):
        if name in self.cards:
            self.tell(self.cards[name], "vanish")

    # End and judgement

    def end_applications(self):
        """Ends all applications with sessions or interruptions; their players play on."""
        for application in self.applications.values():
            self.desktop.end(application.process, signal.SIGKILL)
        self.applications = {}

    def clean(self):
        """Ends all remaining programs."""
        self.end_applications()
        self.clean_players()
        for child in list(self.desktop.others):
            if child is not self.ear.process if self.ear else True:
                self.desktop.end(child, signal.SIGKILL)
        if self.ear:
            self.ear.discard()

    def clean_players(self):
        for player in self.past:
            if is_alive(player.process):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(player.process, signal.SIGKILL)

    def forget_pulse_clients(self):
        """Forgets the clients of pipewire-pulse, which has ended."""
        self.forget(lambda player: player.is_pulse)

    def forget(self, condition):
        for name, player in list(self.players.items()):
            if condition(player):
                self.do_stop(name, None, signal.SIGKILL)

    def judge(self, by_sound=True):
        """The losses. The module has been unloaded, so every stream must play as its user wants. Without `by_sound`,
        judges by the effective volumes that the server shows."""
        losses = []
        for card in self.cards.values():
            # Remove the cards, so that all streams play on the recorded sink.
            self.tell(card, "vanish")
        for player in list(self.players.values()):
            if time.monotonic() - player.begin > TONE_SECONDS - 5:
                # The player may have reached the end of its file.
                self.do_stop(player.name, None)
                continue
            if player.lives() and (self.shown(player) or not self.has_restored):
                continue
            if self.has_restored:
                # A client ends with an error when the session manager does not link it in time.
                self.do_stop(player.name, None, signal.SIGKILL)
            else:
                losses.append(f"{player.name} has ended; it has said: {self.said(player)}")
        survivors = [player for player in self.players.values() if player.lives()]

        def look():
            shown = {one["process"]: one for one in self.desktop.streams()}
            # A restarted session manager restores the volume that it remembers for a role to all streams of the role.
            if self.has_restored:
                for player in survivors:
                    self.accept_restored(player, shown.get(player.process))
            return [loss for player in survivors for loss in self.settings_lost(player, shown.get(player.process))]

        try:
            self.desktop.wait("settings", lambda: not look())
        except Failure:
            losses += look()
        devices = self.desktop.devices()
        for name, before in self.devices.items():
            if devices.get(name) != before:
                losses.append(f"the device {name} was {before} and is {devices.get(name)}")
        if not by_sound:
            return losses + [
                f"{player.name} has the effective volume {shown['in_force']}" for player in survivors if (shown := self.shown(player))
                and shown["runs"] and any(value < player.factor - 0.01 for value in shown["in_force"])]
        if not self.ear.grows():
            # If the recording has ended, begin a new one.
            with contextlib.suppress(Failure):
                self.ear.listen()
        for player in survivors:
            if player.is_capture:
                continue
            level = player.factor if player.wants and not player.is_muted else 0.0
            shown = self.shown(player)
            if self.has_restored and shown is not None and not shown["is_linked"]:
                # The session manager has not linked the stream again. Its settings have been checked.
                continue
            if not self.ear.comes_to(player.number, level):
                losses.append(
                    f"{player.name} is heard at {self.ear.level(player.number):.3f} and not at {level:.3f}; the server "
                    f"shows {self.shown(player)}; the recording {'goes on' if self.ear.grows() else 'stands still'}; the player has said: "
                    f"{self.said(player)}")
        return losses

    @staticmethod
    def said(player):
        """The last lines of a player's output."""
        return " / ".join(player.log.read_text(errors="replace").split("\n")[-12:]) if player.log else "nothing that was kept"

    def accept_restored(self, player, shown):
        """Accepts a volume that users have set for another stream of the same role."""
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
        # A soft mute without the user's mute is a loss, where the server shows it.
        if shown["is_muted_softly"] and not player.is_muted:
            losses.append(f"{player.name} is muted by soft mute")
        return losses

    def skips(self):
        """For each stream, the largest part of its sound in seconds that was lost (negative: repeated) over a silence."""
        found = {}
        if self.scene.needs_card:
            # Sound on cards that come and go is not recorded.
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
                    # Only count positions that advance steadily: a click also gives a frequency, but only once.
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
