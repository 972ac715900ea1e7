"""A private, silent desktop with one of the sound servers and the module in it, for commands written in Python.

It shares nothing with the desktop of whoever runs it: other sockets, other home, other buses. What it starts ends with it, also
when the program that started it is killed.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
PIPEWIRE_MODULE = "libpipewire-module-audio-session"
PULSEAUDIO_MODULE = "module-audio-session"
SINK = "test-sink"
#: The Python for which Debian has the bindings of D-Bus.
SYSTEM_PYTHON = "/usr/bin/python3"

_libc = ctypes.CDLL(None, use_errno=True)
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def processor_wait(process, thread="*"):
    """For how many seconds a thread of a process, or all of them together, has waited for a processor; 0 if it is gone."""
    waited = 0.0
    for file in pathlib.Path(f"/proc/{process}/task").glob(f"{thread}/schedstat"):
        with contextlib.suppress(OSError):
            waited += int(file.read_text().split()[1]) / 1e9
    return waited


class Failure(Exception):
    """Something that a command needs does not work."""


class Unplayable(Exception):
    """What was to be shown cannot be shown, and the module has nothing to do with it."""


def module_folder():
    """Where the built modules are."""
    folder = pathlib.Path(os.environ.get("AUDIO_SESSION_MODULES", PACKAGE / ".build/modules")).resolve()
    for name in (PIPEWIRE_MODULE, PULSEAUDIO_MODULE):
        if not (folder / f"{name}.so").exists():
            raise Failure(f"no {name}.so in {folder}; install/build makes it")
    return folder


def package_flags(*packages):
    """What a compiler needs to know of libraries."""
    found = subprocess.run(["pkg-config", "--cflags", "--libs", *packages], capture_output=True, text=True)
    if found.returncode != 0:
        raise Failure(f"{found.stderr.strip()}\ninstall/dependencies --tests installs it")
    # Warnings are for what is ours.
    return [flag.replace("-I", "-isystem", 1) if flag.startswith("-I") else flag for flag in found.stdout.split()]


def build(result, sources, *flags):
    """Compiles C unless the result is newer than its sources, once for all that ask for it at the same time."""
    result.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{result}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        newest = max(pathlib.Path(source).stat().st_mtime for source in sources)
        if result.exists() and result.stat().st_mtime > newest:
            return result
        # Renamed into place, so that a process that has the old one mapped is not disturbed.
        fresh = result.with_name(f".{result.name}.new")
        command = ["cc", "-g", "-O1", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o", fresh, *sources, *flags]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(done.stderr)
        fresh.rename(result)
    return result


def _library_folder(pattern):
    """The folder of a server's own modules."""
    for root in ("/usr/lib", "/usr/lib64", "/usr/local/lib"):
        found = sorted(pathlib.Path(root).glob(pattern)) + sorted(pathlib.Path(root).glob(f"*/{pattern}"))
        if found:
            return found[0].parent
    raise Failure(f"cannot find {pattern}")


def pulse_release():
    text = subprocess.run(["pulseaudio", "--version"], capture_output=True, text=True).stdout
    return text.split()[1]


class Desktop:
    """A session bus, a sound server with one silent sink, and what belongs to it."""

    #: The parts that can be started and killed one by one, in the order of their start.
    PARTS = ()

    def __init__(self, has_module=True, extra_modules=(), daemon_variables=None, daemon_prefix=(), module_folders=(),
                 shares_memory=False):
        """
        has_module: whether our module is loaded when the server starts
        extra_modules: further modules, PipeWire's names or lines of PulseAudio's load-module
        daemon_variables, daemon_prefix: for the sound server alone
        shares_memory: whether PulseAudio exchanges sound with its clients in memory, as it does on desktops
        """
        self.has_module, self.extra_modules = has_module, list(extra_modules)
        self.shares_memory = shares_memory
        self.daemon_variables, self.daemon_prefix = dict(daemon_variables or {}), list(daemon_prefix)
        self.module_folders = [str(module_folder()), *map(str, module_folders)]
        # Short, because the path of a socket may have 107 bytes at most.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="as-", dir="/tmp"))
        self.processes, self.others, self.readers = {}, [], []
        self.home, self.run = self.folder / "home", self.folder / "run"
        self.configuration = self.home / ".config"
        for path in (self.run / "pulse", self.configuration, self.folder / "tmp", self.folder / "logs"):
            path.mkdir(parents=True, mode=0o700)
        self.run.chmod(0o700)
        common = {
            "HOME": self.home, "XDG_CONFIG_HOME": self.configuration, "XDG_STATE_HOME": self.home / ".local/state",
            "XDG_DATA_HOME": self.home / ".local/share", "XDG_CACHE_HOME": self.home / ".cache", "XDG_RUNTIME_DIR": self.run,
            "PIPEWIRE_RUNTIME_DIR": self.run, "PULSE_RUNTIME_PATH": self.run / "pulse",
            "PULSE_SERVER": f"unix:{self.run}/pulse/native", "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.run}/bus",
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.run}/system-bus", "TMPDIR": self.folder / "tmp", "LANG": "C.UTF-8",
        }
        self.environment = {"PATH": os.environ["PATH"]} | {key: str(value) for key, value in common.items()}

    # Files

    def write(self, path, text):
        """Writes a file of the configuration, in one go, as an editor does."""
        path = self.configuration / path
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        fresh.write_text(text + "\n")
        fresh.rename(path)

    def log(self, name=None):
        path = self.folder / "logs" / (name or self.DAEMON)
        return path.read_text(errors="replace") if path.exists() else ""

    # Processes

    def spawn(self, command, environment=None, **options):
        parent = os.getpid()

        def end_with_parent():
            _libc.prctl(_END_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | options
        child = subprocess.Popen(
            [str(word) for word in command], env=self.environment | (environment or {}), start_new_session=True,
            preexec_fn=end_with_parent, **options)
        self.others.append(child)
        return child

    def start_part(self, name, command, environment=None):
        with open(self.folder / "logs" / name, "ab") as output:
            self.processes[name] = self.spawn(command, environment, stdout=output, stderr=output)
        self.others.remove(self.processes[name])

    def lives(self, name=None):
        child = self.processes.get(name or self.DAEMON)
        return child is not None and child.poll() is None

    def kill(self, name):
        """Kills a part without a word."""
        child = self.processes.pop(name)
        child.kill()
        child.wait()

    @property
    def daemon(self):
        return self.processes.get(self.DAEMON)

    def tool(self, *command, seconds=20, check=True):
        """Runs a client and returns what it prints."""
        try:
            done = subprocess.run(
                [str(word) for word in command], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=seconds, errors="replace")
        except subprocess.TimeoutExpired:
            raise Failure(f"{' '.join(map(str, command))} had no answer within {seconds} s") from None
        if check and done.returncode != 0:
            raise Failure(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def answer_time(self, expected, *command, seconds=20):
        """How many seconds the daemon took to give a client an answer with this text; nothing if it did not.

        Without the time for which the client or the daemon's main thread waited for a processor that others had.
        """
        begin, waited = time.monotonic(), processor_wait(self.daemon.pid, self.daemon.pid)
        client = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            errors="replace")
        limit = threading.Timer(seconds, client.kill)
        limit.start()
        output = client.stdout.read()
        # It has ended, and is not gone yet.
        os.waitid(os.P_PID, client.pid, os.WEXITED | os.WNOWAIT)
        took = time.monotonic() - begin
        others = processor_wait(client.pid) + processor_wait(self.daemon.pid, self.daemon.pid) - waited
        limit.cancel()
        client.wait()
        client.stdout.close()
        return max(took - others, 0.0) if expected in output else None

    def wait(self, what, condition, seconds=30, every=0.05, needs_daemon=True):
        """Waits until a condition holds, and returns what it answers."""
        end = time.monotonic() + seconds
        while True:
            with contextlib.suppress(Failure, ValueError, OSError):
                if answer := condition():
                    return answer
            if needs_daemon and self.daemon is not None and self.daemon.poll() is not None:
                raise Failure(f"{self.DAEMON} has ended ({status_text(self.daemon.returncode)})")
            if time.monotonic() > end:
                raise Failure(f"waited {seconds} s for {what} in vain")
            time.sleep(every)

    # The bus

    def start_bus(self):
        path = self.run / "bus"
        path.unlink(missing_ok=True)
        self.start_part("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={path}"])
        self.wait("the bus", path.exists, needs_daemon=False)

    def call(self, method, *arguments, interface="org.AudioSession1.Manager", seconds=10):
        """Calls the service of the module, and returns its answer as JSON has it."""
        text = self.tool(
            "busctl", f"--address=unix:path={self.run}/bus", f"--timeout={seconds}", "--json=short", "call", "org.AudioSession1",
            "/org/AudioSession1", interface, method, *arguments, seconds=seconds + 5)
        return json.loads(text)["data"] if text.strip() else None

    def serves(self):
        """Whether the module's service answers."""
        return self.call("DumpState", seconds=5) is not None

    # The whole

    def start(self):
        self.start_bus()
        self.start_servers()
        return self

    def start_servers(self):
        for part in self.PARTS:
            if part != "bus" and not self.lives(part):
                getattr(self, f"start_{part.replace('-', '_')}")()

    def stop_servers(self, kills_daemon=False):
        """Ends all but the buses; the files stay."""
        if kills_daemon and self.lives():
            self.kill(self.DAEMON)
        for part in reversed(self.PARTS):
            if part != "bus" and part in self.processes:
                end(self.processes.pop(part))

    def stop(self, keeps=False):
        for child in self.others:
            if child.poll() is None:
                child.kill()
                child.wait()
        for part in reversed(self.PARTS):
            if part in self.processes:
                end(self.processes.pop(part))
        if not keeps:
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class PipeWireDesktop(Desktop):
    KIND, DAEMON, MODULE = "pipewire", "pipewire", PIPEWIRE_MODULE
    PARTS = ("bus", "pipewire", "sink", "manager", "front-end")

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        folders = ":".join([*self.module_folders, str(_library_folder("pipewire-0.3/libpipewire-module-rt.so"))])
        self.environment["PIPEWIRE_MODULE_DIR"] = folders
        modules = list(self.extra_modules) + ([PIPEWIRE_MODULE] if self.has_module else [])
        self.write("pipewire/pipewire.conf.d/10-test.conf", """
            context.properties = { default.clock.rate = 48000 }""")
        for number, module in enumerate(modules):
            self.write(f"pipewire/pipewire.conf.d/5{number}-module.conf", f"context.modules = [ {{ name = {module} }} ]")
        # Not the machine's own hardware.
        self.write("wireplumber/main.lua.d/60-private.lua", """
            alsa_monitor.enabled = false
            v4l2_monitor.enabled = false
            libcamera_monitor.enabled = false""")
        self.write("wireplumber/bluetooth.lua.d/60-private.lua", "bluez_monitor.enabled = false")
        self.write("wireplumber/wireplumber.conf.d/60-private.conf", """
            wireplumber.profiles = {
                main = { hardware.audio = disabled, hardware.bluetooth = disabled, hardware.video-capture = disabled }
            }""")

    def start_pipewire(self):
        variables = {"PIPEWIRE_DEBUG": "2,mod.audio-session:3"} | self.daemon_variables
        self.start_part("pipewire", [*self.daemon_prefix, "pipewire"], variables)
        self.wait("the daemon", lambda: "id " in self.tool("pw-cli", "ls", "Node", check=False))

    def start_sink(self):
        """The sink is a client's, as those of hardware are the session manager's: one that the daemon has itself is not
        taken up by a session manager that is started again."""
        log = self.folder / "logs/sink"
        properties = (
            f'factory.name = "support.null-audio-sink" node.name = "{SINK}" media.class = "Audio/Sink" audio.rate = 48000 '
            'audio.channels = 2 audio.position = "FL,FR"')
        with open(log, "ab") as output:
            # It is there as long as this client, and the client as long as its input is open.
            sink = self.processes["sink"] = self.spawn(["pw-cli"], stdin=subprocess.PIPE, stdout=output, stderr=output)
        self.others.remove(sink)
        sink.stdin.write(f"create-node adapter {{ {properties} }}\n".encode())
        sink.stdin.flush()
        self.wait("the sink", lambda: SINK in self.tool("pw-cli", "ls", "Node", check=False))

    def kill_manager(self):
        """With the session manager go the sinks."""
        self.kill("manager")
        self.kill("sink")

    def start_manager(self):
        if not self.lives("sink"):
            self.start_sink()
        self.start_part("manager", ["wireplumber"])
        self.wait("the session manager", self.default_sink)

    def restart_manager(self):
        """WirePlumber 0.4 does not always come to terms with streams that are there when it starts ("1 pending linkable(s)
        not activated in 20sec. This should never happen"), with or without the module; then it is killed again."""
        for _ in range(4):
            self.start_sink()
            self.start_part("manager", ["wireplumber"])
            with contextlib.suppress(Failure):
                return self.wait("the session manager", self.default_sink, 8)
            self.kill_manager()
        raise Unplayable("the session manager does not start again")

    def start_front_end(self):
        self.start_part("front-end", ["pipewire-pulse"])
        self.wait("the server of PulseAudio's clients", lambda: "Default Sink: " in self.tool("pactl", "info"))

    def dump(self):
        def whole():
            # It prints rubbish when an object goes while it is asked about.
            return json.loads(self.tool("pw-dump"))
        return self.wait("pw-dump", whole, every=0.02)

    def default_sink(self):
        for item in self.dump():
            for entry in item.get("metadata", []) if item["type"].endswith("Metadata") else []:
                if entry["key"] == "default.audio.sink":
                    return entry["value"].get("name")
        return None

    def has_loaded(self):
        return any(
            item["type"].endswith(":Module") and item["info"]["name"] == PIPEWIRE_MODULE for item in self.dump())

    def answers(self):
        """How many seconds the daemon took to answer a client; nothing if it did not."""
        return self.answer_time("id:", "pw-cli", "info", "0")

    def capture_command(self, rate=48000, latency=1024):
        return ["pw-record", "--target", SINK, "--latency", str(latency), "--format", "f32", "--rate", str(rate), "--channels", "2",
                "-P", "{ stream.capture.sink = true node.name = test-capture application.name = test-capture "
                "state.restore-props = false state.restore-target = false node.dont-reconnect = true }", "-"]

    def streams(self):
        """What the server shows of each stream: the user's volumes and mute, and what is in force."""
        dump = self.dump()
        clients = {item["id"]: item["info"]["props"] for item in dump if item["type"].endswith(":Client")}
        links = [item["info"] for item in dump if item["type"].endswith(":Link") and item.get("info")]
        linked = {link["output-node-id"] for link in links} | {link["input-node-id"] for link in links}
        found = []
        for item in dump:
            properties = (item.get("info") or {}).get("props") or {}
            kind = properties.get("media.class", "")
            if not item["type"].endswith(":Node") or not kind.startswith("Stream/") or not kind.endswith("/Audio"):
                continue
            values = {}
            for part in (item["info"].get("params") or {}).get("Props", []):
                values = part | values
            properties = clients.get(properties.get("client.id"), {}) | properties
            process = properties.get("application.process.id") or properties.get("pipewire.sec.pid")
            found.append({
                "id": item["id"], "process": int(process or 0), "name": properties.get("node.name", ""),
                "is_capture": kind.startswith("Stream/Input"), "runs": item["info"]["state"] == "running",
                "volumes": [round(value, 4) for value in values.get("channelVolumes", [])], "mute": values.get("mute", False),
                "in_force": [round(value, 4) for value in values.get("softVolumes", [])],
                "is_muted_softly": values.get("softMute", False), "is_linked": item["id"] in linked,
            })
        return found

    def devices(self):
        """What the user has set of sinks and sources."""
        found = {}
        for item in self.dump():
            properties = (item.get("info") or {}).get("props") or {}
            if item["type"].endswith(":Node") and properties.get("media.class") in ("Audio/Sink", "Audio/Source"):
                values = {}
                for part in (item["info"].get("params") or {}).get("Props", []):
                    values = part | values
                found[properties["node.name"]] = (
                    [round(value, 4) for value in values.get("channelVolumes", [])], values.get("mute", False))
        return found

    def set_volume(self, stream, factor):
        self.tool("wpctl", "set-volume", stream["id"], f"{factor ** (1 / 3):.5f}")

    def set_mute(self, stream, is_muted):
        self.tool("wpctl", "set-mute", stream["id"], int(is_muted))


class PulseAudioDesktop(Desktop):
    KIND, DAEMON, MODULE = "pulseaudio", "pulseaudio", PULSEAUDIO_MODULE
    PARTS = ("bus", "pulseaudio")
    #: What the daemon of a stock desktop has loaded, as far as it is about streams and devices.
    EARLY = (
        "module-device-restore", "module-stream-restore", "module-card-restore", "module-augment-properties",
        "module-switch-on-port-available",
    )
    LATE = (
        "module-default-device-restore", "module-intended-roles", "module-suspend-on-idle", "module-position-event-sounds",
        "module-role-cork", "module-filter-heuristics", "module-filter-apply",
    )

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.write("pulse/daemon.conf", "default-sample-format = float32le\ndefault-sample-rate = 48000\nrlimit-rttime = -1")
        self.own_folder = _library_folder("pulse-*/modules/module-null-sink.so")

    def start_pulseaudio(self):
        lines = [
            *self.EARLY, f"module-null-sink sink_name={SINK} format=float32le rate=48000 channels=2",
            f"module-native-protocol-unix socket={self.run}/pulse/native auth-anonymous=1", *self.LATE, *self.extra_modules,
            *([PULSEAUDIO_MODULE] if self.has_module else []),
        ]
        folders = ":".join([*self.module_folders, str(self.own_folder)])
        self.start_part("pulseaudio", [
            *self.daemon_prefix, "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
            f"--disable-shm={'no' if self.shares_memory else 'yes'}", "--log-target=stderr", "--log-level=info", f"--dl-search-path={folders}",
            *[f"--load={line}" for line in lines],
        ], self.daemon_variables)
        self.wait("the daemon", lambda: f"Default Sink: {SINK}" in self.tool("pactl", "info"))

    def listed(self, what):
        return json.loads(self.tool("pactl", "--format=json", "list", what))

    def has_loaded(self):
        return any(PULSEAUDIO_MODULE in line.split() for line in self.tool("pactl", "list", "short", "modules").splitlines())

    def answers(self):
        return self.answer_time("Server Name", "pactl", "info")

    def capture_command(self, rate=48000, latency=1024):
        return ["parecord", f"--device={SINK}.monitor", "--raw", "--format=float32le", f"--rate={rate}", "--channels=2",
                "--latency-msec=20", "--client-name=test-capture"]

    def streams(self):
        found = []
        for what, is_capture in (("sink-inputs", False), ("source-outputs", True)):
            for item in self.listed(what):
                properties = item["properties"]
                volumes = [round((value["value"] / 65536) ** 3, 4) for _, value in sorted(item["volume"].items())]
                found.append({
                    "id": item["index"], "process": int(properties.get("application.process.id", 0)),
                    "name": properties.get("application.name", ""), "is_capture": is_capture, "runs": not item["corked"],
                    "volumes": volumes, "mute": item["mute"], "in_force": [], "is_muted_softly": False, "is_linked": True,
                })
        return found

    def devices(self):
        return {
            item["name"]: ([round((value["value"] / 65536) ** 3, 4) for _, value in sorted(item["volume"].items())], item["mute"])
            for what in ("sinks", "sources") for item in self.listed(what)
        }

    def set_volume(self, stream, factor):
        kind = "source-output" if stream["is_capture"] else "sink-input"
        self.tool("pactl", f"set-{kind}-volume", stream["id"], round(factor ** (1 / 3) * 65536))

    def set_mute(self, stream, is_muted):
        kind = "source-output" if stream["is_capture"] else "sink-input"
        self.tool("pactl", f"set-{kind}-mute", stream["id"], int(is_muted))


DESKTOPS = {"pipewire": PipeWireDesktop, "pulseaudio": PulseAudioDesktop}


def status_text(status):
    return signal.Signals(-status).name if status < 0 else f"status {status}"


def end(child):
    """Ends a process, politely first."""
    if child.poll() is None:
        child.send_signal(signal.SIGCONT)
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
    child.wait()


def require(*programs):
    """Fails unless all programs are there."""
    if missing := [name for name in programs if not shutil.which(name)]:
        raise Failure(f"{', '.join(missing)} missing; install/dependencies --tests installs what the tests need")
