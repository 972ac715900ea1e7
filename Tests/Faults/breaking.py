"""The cases of Tests/bin/faults: faults after steps of scenarios, refused calls, destroyed objects."""

import contextlib
import os
import random
import signal
import time

from scenes import policy_text
from stage import BUILT, HERE, MOST_LATE, MOST_SKIPPED, Stage, build_helpers, build_pipewire_helpers, pulse_helper_folder
from desktop import DESKTOPS, PIPEWIRE_MODULE, PULSEAUDIO_MODULE, Failure, Unplayable, build

#: Without an end to its calls, a daemon that waits for the stopped bus never answers again.
PATIENCE = {"SYSTEMD_BUS_TIMEOUT": "infinity"}
#: The seconds that a scene goes on after each step that may destroy an object, because the effect may show late.
AFTERWARDS = 0.3
#: How often a session manager is started at most.
MANAGER_STARTS = 10

FAULTS = {
    "client": "the client of the step is killed",
    "bus": "the session bus is killed, and started again",
    "server": "the sound server is killed, and started again with its saved settings",
    "stall": "the session bus is stopped, until a step needs it",
    "late": "the module is loaded only after the step",
    "unload": "the module is unloaded, and loaded again",
    "manager": "the session manager is killed, and started again",
    "front-end": "pipewire-pulse is killed, and started again",
}


def faults_of(kind):
    return [name for name in FAULTS if kind == "pipewire" or name not in ("manager", "front-end")]


def prepare(kind):
    """Builds the programs and libraries that desktops need."""
    build_helpers()
    build(BUILT / "refuse.so", [HERE / "refuse.c"], "-shared", "-fPIC")
    if kind == "pipewire":
        build_pipewire_helpers()
    else:
        pulse_helper_folder()


def make_desktop(kind, variables=None):
    modules, folder = ([], pulse_helper_folder()) if kind == "pulseaudio" else (["libpipewire-module-test-faults"], BUILT)
    return DESKTOPS[kind](has_module=False, extra_modules=modules, module_folders=[folder], daemon_variables=variables)


def load(desktop, is_awaited=True):
    """Loads our module into the running daemon, and waits until its service is on the bus."""
    (desktop.run / f"audio-session-{desktop.KIND}.starting").unlink(missing_ok=True)
    if desktop.KIND == "pipewire":
        refused = desktop.log().count("faults: no ")
        (desktop.run / "faults").open("w").write(f"load {PIPEWIRE_MODULE}\n")
        desktop.wait("the module", lambda: desktop.has_loaded() or desktop.log().count("faults: no ") > refused)
    else:
        desktop.tool("pactl", "load-module", PULSEAUDIO_MODULE)
    if is_awaited and desktop.lives("bus"):
        desktop.wait("the module's service", desktop.serves)


def unload(desktop):
    if desktop.KIND == "pipewire":
        (desktop.run / "faults").open("w").write(f"unload {PIPEWIRE_MODULE}\n")
        desktop.wait("the end of the module", lambda: not desktop.has_loaded())
    elif desktop.has_loaded():
        desktop.tool("pactl", "unload-module", PULSEAUDIO_MODULE)


class Step:
    """One scene with one fault after one step, or without a fault, for comparison."""

    needs_fresh_desktop = False
    #: How late the machine may be meanwhile, in seconds, for what is heard to be judged.
    most_late = MOST_LATE
    tried = 1

    def __init__(self, kind, scene, step, fault):
        self.kind, self.scene, self.step, self.fault = kind, scene, step, fault

    def __str__(self):
        if self.fault is None:
            return f"{self.scene.name}, undisturbed"
        return f"{self.scene.name}, step {self.step + 1} ({self.scene.text(self.scene.events[self.step])}), {self.fault}"

    def make_desktop(self, kind):
        return make_desktop(kind, PATIENCE)

    def run(self, desktop):
        """Plays the scene, and returns the losses. Notes how late the machine was, in milliseconds."""
        self.late = 0
        desktop.lateness()
        chance = random.Random(f"{self}")
        scene = self.scene
        desktop.write("audio-session/policy.conf", policy_text(scene.policy))
        if self.fault != "late":
            load(desktop)
        stage = Stage(desktop, scene)
        losses = []
        try:
            stage.begin()
            for number, event in enumerate(scene.events):
                if stage.is_bus_stalled and stage.needs_bus(event):
                    losses += self.resume_bus(desktop, stage)
                stage.perform(event)
                # Wait for a random time, so that the fault strikes at different moments after the step.
                time.sleep(chance.uniform(0.05, 0.9))
                if number == self.step and self.fault:
                    self.late = max(self.late, desktop.lateness())
                    losses += self.strike(desktop, stage, event)
                    if self.fault == "server":
                        # No stream has lived through it, and clients without a server may keep the processors busy.
                        desktop.lateness()
            losses += self.resume_bus(desktop, stage)
            desktop.wait("the module's service after it", desktop.serves)
            stage.end_applications()
            unload(desktop)
            losses += stage.judge()
            if not scene.is_muted_by_policy():
                losses += [
                    f"{name} has skipped {skip:.2f} s of its sound" for name, skip in stage.skips().items()
                    if abs(skip) > MOST_SKIPPED]
            if not desktop.answers():
                losses.append("the daemon does not answer")
            self.late = max(self.late, desktop.lateness())
        except Failure as failure:
            losses.append(str(failure))
        finally:
            # Continue the stopped bus, so that it can be ended.
            if stage.is_bus_stalled:
                os.kill(desktop.processes["bus"], signal.SIGCONT)
            stage.clean()
        return losses

    # Faults

    def strike(self, desktop, stage, event):
        return getattr(self, "break_" + self.fault.replace("-", "_"))(desktop, stage, event) or []

    def break_client(self, desktop, stage, event):
        _, action, what, _ = event
        if isinstance(what, str) and what in stage.players:
            stage.do_stop(what, None, signal.SIGKILL)
        elif isinstance(what, str) and (what in self.scene.sessions or what in self.scene.streams):
            stage.do_kill(what, None)
        elif isinstance(what, str) and what in self.scene.interruptions:
            application, _ = stage.interrupter(what)
            application.process.kill()
            application.process.wait()
        elif stage.players:
            stage.do_stop(next(iter(stage.players)), None, signal.SIGKILL)

    def break_manager(self, desktop, stage, event):
        # WirePlumber 0.4 does not always come to terms with streams that are there when it starts, with or without the module,
        # and says so. Then it is killed again.
        stuck = "This should never happen"
        for _ in range(MANAGER_STARTS):
            # With the session manager go the sinks.
            desktop.ask("kill", "manager")
            desktop.ask("kill", "sink")
            count = desktop.log("wireplumber").count(stuck)
            desktop.ask("start", "manager")
            desktop.wait("the session manager", lambda: desktop.default_sink() or desktop.log("wireplumber").count(stuck) > count)
            if desktop.default_sink():
                break
            print("the session manager has not started: it is started again", flush=True)
        else:
            raise Unplayable("the session manager does not start again")
        stage.has_restored = True
        stage.ear.listen()

    def break_front_end(self, desktop, stage, event):
        desktop.ask("kill", "front-end")
        stage.forget_pulse_clients()
        desktop.ask("start", "front-end")

    def break_bus(self, desktop, stage, event):
        desktop.ask("kill", "bus")
        desktop.ask("start", "bus")
        # libdbus ends these applications when their bus goes; their streams stay.
        stage.end_applications()
        desktop.wait("the module's service on the new bus", desktop.serves)

    def break_stall(self, desktop, stage, event):
        os.kill(desktop.processes["bus"], signal.SIGSTOP)
        stage.is_bus_stalled = True
        return self.check_answers(desktop, stage)

    def check_answers(self, desktop, stage):
        if not desktop.answers():
            return ["while the bus was stopped, the daemon did not answer"]
        return [] if stage.ear.grows() else ["while the bus was stopped, the sound stopped, too"]

    def resume_bus(self, desktop, stage):
        if not stage.is_bus_stalled:
            return []
        losses = self.check_answers(desktop, stage)
        os.kill(desktop.processes["bus"], signal.SIGCONT)
        stage.is_bus_stalled = False
        return losses

    def break_late(self, desktop, stage, event):
        load(desktop)

    def break_unload(self, desktop, stage, event):
        unload(desktop)
        load(desktop)

    def break_server(self, desktop, stage, event):
        """Kills the server, and its streams with it. New streams must have their users' volumes or default ones."""
        wanted = [player for player in stage.past if "session" not in self.scene.streams[player.name]]
        desktop.ask("kill", "servers")
        stage.forget(lambda player: True)
        stage.end_applications()
        stage.cards = {}
        desktop.start()
        load(desktop)
        stage.ear.listen()
        losses = []
        for player in wanted:
            fresh = Restarted(desktop, self.scene)
            try:
                fresh.do_play(player.name, None)
            except Failure as failure:
                losses.append(f"after the restart: {failure}")
            # A server remembers one volume and mute for all streams of a role.
            factors, mutes = desktop.remembered[stage.role(player)]
            for shown in fresh.seen:
                if not all(any(abs(value - factor) < 0.01 for factor in factors) for value in shown["volumes"]):
                    losses.append(f"after the restart {player.name}'s volume is {shown['volumes']}, and none of {sorted(factors)}")
                if shown["mute"] not in mutes:
                    losses.append(f"after the restart {player.name} is muted")
            fresh.clean_players()
        return losses


class Restarted(Stage):
    """Plays streams after a restart of the server, and leaves their volumes as the server restores them."""

    def __init__(self, desktop, scene):
        super().__init__(desktop, scene)
        self.seen = []

    def settle(self, shown, player):
        self.seen.append(shown)


REFUSALS = {"memory": "an allocation, a descriptor or a watch that is requested on the module's behalf is refused"}


class Refusal:
    """The scene with all kinds of events, in a daemon in which calls on some call paths are refused."""

    needs_fresh_desktop = True
    most_late = None
    fault = "memory"
    #: The number of refusals in one run; with more, their effects could not be told apart.
    MOST = 25

    def __init__(self, kind, scene, part, parts, only=None):
        self.kind, self.scene, self.part, self.parts, self.only = kind, scene, part, parts, only
        self.ways = BUILT / f"ways-{kind}"
        self.refused, self.figures, self.crash = [], (0, 0, 0, 0), None

    def __str__(self):
        if self.only:
            return f"{self.scene.name}, refused: " + " ".join(self.refused)[:400]
        return f"{self.scene.name}, {len(self.refused)} calls refused, one after the other"

    @property
    def tried(self):
        return len(self.refused)

    def make_desktop(self, kind):
        desktop = make_desktop(kind)
        self.control = desktop.folder / "refuse"
        self.control.write_bytes(b"\0")
        self.log = desktop.folder / "refused"
        desktop.daemon_variables |= {
            "LD_PRELOAD": str(BUILT / "refuse.so"), "REFUSE_CONTROL": str(self.control), "REFUSE_WAYS": str(self.ways),
            "REFUSE_LOG": str(self.log), "REFUSE_MOST": str(self.MOST), "REFUSE_PART": f"{self.part}/{self.parts}",
        } | ({"REFUSE_ONLY": self.only, "REFUSE_MOST": "1"} if self.only else {})
        return desktop

    def run(self, desktop):
        losses = self.play(desktop)
        if self.is_alive:
            desktop.ask("stop", "daemon")
        for line in self.log.read_text().splitlines() if self.log.exists() else []:
            kind, _, rest = line.partition(" ")
            if kind == "refused":
                self.refused.append(rest)
            elif kind == "figures":
                self.figures = tuple(map(int, rest.split()))
            elif kind == "crashed":
                self.crash = rest
        if self.crash:
            losses = [f"the daemon has crashed: {self.crash}"]
        return losses

    def allow(self, allows):
        """Writes in place, because the daemon has the file mapped."""
        with open(self.control, "r+b") as file:
            file.write(b"\0" if allows else b"\1")

    def play(self, desktop):
        scene, losses = self.scene, []
        desktop.write("audio-session/policy.conf", policy_text(scene.policy))
        # A refusal during loading makes the load fail; then the module is loaded again.
        self.allow(False)
        stage = None
        self.is_alive = True
        try:
            for _ in range(self.MOST + 1):
                with contextlib.suppress(Failure):
                    load(desktop, is_awaited=False)
                desktop.check_daemon()
                if desktop.has_loaded():
                    break
            # Each refusal may end a connection to the bus, and the next one is tried 5 s later at the latest.
            desktop.wait("the module's service", desktop.serves)
            stage = Stage(desktop, scene)
            stage.begin()
            for event in scene.events:
                stage.perform(event)
                time.sleep(0.25)
            self.allow(True)
            desktop.wait("the module's service after it", desktop.serves)
            stage.end_applications()
            unload(desktop)
            losses += stage.judge()
            if not desktop.answers():
                losses.append("the daemon does not answer")
        except Failure as failure:
            losses.append(str(failure))
        finally:
            self.allow(True)
            self.is_alive = desktop.lives()
            if stage is not None:
                stage.clean()
        return losses


DESTRUCTIONS = {"destroy": "an object is destroyed inside a callback of the daemon"}
#: For each server, callbacks and the objects to destroy in them; see pipewire-faults.c and pulseaudio-faults.c.
CALLBACKS = {
    "pipewire": (
        "global-added", "global-removed", "node-info", "node-state", "node-active", "link-state", "link-info", "device-info",
        "client-info", "resource-added",
    ),
    "pulseaudio": tuple(
        f"{hook},{priority}" for hook in (
            "input-put", "input-state", "input-moved", "input-volume", "input-mute", "input-proplist", "input-unlink",
            "input-event", "client-put", "sink-put", "sink-state", "default-sink")
        for priority in ("early", "late")),
}
OBJECTS = {
    "pipewire": ("self", "client", "link", "node", "sink", "device", "module"),
    "pulseaudio": ("input", "other", "client", "module", "request"),
}


class Destruction:
    """The first half of the scene with all kinds of events, with one object destroyed in one kind of callback."""

    needs_fresh_desktop = True
    most_late = None
    fault = "destroy"
    tried = 1

    def __init__(self, kind, scene, callback, what, has_module=True):
        self.kind, self.scene, self.callback, self.what, self.has_module = kind, scene, callback, what, has_module
        self.has_struck = False

    def __str__(self):
        return f"{self.what} destroyed inside {self.callback}"

    def make_desktop(self, kind):
        return make_desktop(kind)

    def run(self, desktop):
        scene, losses = self.scene, []
        desktop.write("audio-session/policy.conf", policy_text(scene.policy))
        stage = None
        try:
            if self.has_module:
                load(desktop)
            stage = Stage(desktop, scene)
            stage.patience = 10
            stage.begin()
            for number, event in enumerate(scene.events[:10]):
                if number == 1:
                    self.arm(desktop)
                stage.perform(event)
                time.sleep(AFTERWARDS)
                desktop.check_daemon()
            if self.has_module and desktop.has_loaded():
                desktop.wait("the module's service", desktop.serves)
                stage.end_applications()
                unload(desktop)
            # A destroyed stream is gone, and its client may not notice; so do not judge it.
            stage.forget(lambda player: not stage.shown(player) or not stage.shown(player)["is_linked"])
            # A stream that lost one of its links is half as loud, and a player that opens a new stream gets the volume
            # that the server remembers for the role.
            stage.has_restored = True
            losses += stage.judge(by_sound=False) if self.has_module else []
            if not desktop.answers():
                losses.append("the daemon does not answer")
        except Failure as failure:
            losses.append(str(failure))
        finally:
            if stage is not None:
                stage.clean()
        self.has_struck = "faults: destroys" in desktop.log() or "faults: unloads" in desktop.log()
        return losses

    def arm(self, desktop):
        if self.kind == "pipewire":
            with open(desktop.run / "faults", "w") as pipe:
                pipe.write(f"destroy {self.callback} {self.what} 1\n")
        else:
            hook, priority = self.callback.split(",")
            desktop.tool("pactl", "load-module", "module-test-faults", f"hook={hook}", f"priority={priority}", f"object={self.what}")


def destructions(kind, scene):
    return [Destruction(kind, scene, callback, what) for callback in CALLBACKS[kind] for what in OBJECTS[kind]]
