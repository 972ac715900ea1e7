"""A private, silent desktop with one of the sound servers and the module in it, for commands written in Python.

The program private-desktop (PrivateDesktopProgram.swift) starts and ends the servers, with TestKit's configuration; this is
its client. What a command starts itself ends with it, also when it is killed.
"""

import collections
import contextlib
import ctypes
import fcntl
import functools
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
PIPEWIRE_MODULE = "libpipewire-module-audio-session"
PULSEAUDIO_MODULE = "module-audio-session"
SINK = "test-sink"
#: The Python for which Debian has the bindings of D-Bus.
SYSTEM_PYTHON = "/usr/bin/python3"
#: After so many seconds, what is waited for hangs.
HUNG = 120

_libc = ctypes.CDLL(None, use_errno=True)
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


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


@functools.cache
def program(name):
    """A program of this package: from the folder that AUDIO_SESSION_PROGRAMS names, or built here."""
    if folder := os.environ.get("AUDIO_SESSION_PROGRAMS"):
        return pathlib.Path(folder, name)
    if not shutil.which("swift"):
        return PACKAGE / ".build/debug" / name
    build = ["swift", "build", "--package-path", PACKAGE, *os.environ.get("AUDIO_SESSION_BUILD_FLAGS", "").split()]
    done = subprocess.run([*build, "--product", name], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(done.stdout + done.stderr)
    folder = subprocess.run([*build, "--show-bin-path"], capture_output=True, text=True, check=True).stdout.strip()
    return pathlib.Path(folder, name)


def package_flags(*packages):
    """What a compiler needs to know of libraries."""
    found = subprocess.run(["pkg-config", "--cflags", "--libs", *packages], capture_output=True, text=True)
    if found.returncode != 0:
        raise Failure(f"{found.stderr.strip()}\ninstall/dependencies --tests installs it")
    # Warnings are for what is ours.
    return [flag.replace("-I", "-isystem", 1) if flag.startswith("-I") else flag for flag in found.stdout.split()]


def build(result, sources, *flags, compiler="cc"):
    """Compiles C unless the result is newer than its sources, once for all that ask for it at the same time."""
    result.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{result}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        newest = max(pathlib.Path(source).stat().st_mtime for source in sources)
        if result.exists() and result.stat().st_mtime > newest:
            return result
        # Renamed into place, so that a process that has the old one mapped is not disturbed.
        fresh = result.with_name(f".{result.name}.new")
        command = [
            compiler, "-g", "-O1", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o", fresh, *sources, *flags]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(done.stderr)
        fresh.rename(result)
    return result


def build_card():
    """The sound card of PipeWire that does not exist."""
    return build(PACKAGE / ".build/test-programs/fixture-card", sorted((PACKAGE / "Tests/FixtureCard").glob("*.c")),
                 "-Wno-missing-field-initializers", *package_flags("libpipewire-0.3"), "-lm")


def pulse_release():
    return subprocess.run(["pulseaudio", "--version"], capture_output=True, text=True).stdout.split()[1]


def is_alive(process):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    return False


class Desktop:
    """A session bus, a sound server with one silent sink, and what belongs to it.

    The bus is there from the beginning. The parts, which can be killed and started one by one, are those of private-desktop: bus,
    daemon, and in PipeWire sink, manager and front-end.
    """

    def __init__(self, has_module=True, extra_modules=(), daemon_variables=None, daemon_prefix=(), module_folders=(), only_folder=None,
                 options=()):
        """
        has_module: whether our module is loaded when the server starts
        extra_modules: further modules, PipeWire's names or lines of PulseAudio's load-module
        daemon_variables, daemon_prefix: for the sound server alone
        module_folders, only_folder: where modules are, beside the built ones, or in their place
        options: further ones of private-desktop
        """
        self.has_module, self.daemon_variables = has_module, dict(daemon_variables or {})
        modules = [*extra_modules, *[self.MODULE] * has_module]
        # The variables are read at each start of the daemon.
        prefix = ["sh", "-c", 'exec env $(cat "$HOME/.daemon-variables") "$@"', "sh", *daemon_prefix]
        words = [program("private-desktop"), "--server", self.KIND, "--start", "bus", *options]
        folders = [only_folder] if only_folder else [module_folder(), *module_folders] if has_module or module_folders else []
        for option, values in (("module-folder", folders), ("module", modules), ("prefix", prefix)):
            words += [word for value in values for word in (f"--{option}", value)]
        self.others = []
        # In a session of its own, so that an interrupt from the keyboard comes to this program alone, which ends the other.
        self.server = subprocess.Popen(
            list(map(str, words)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        state = self._read()
        self.folder, self.environment = pathlib.Path(state["folder"]), state["environment"]
        self.home, self.run, self.logs = self.folder / "home", self.folder / "run", self.folder / "log"
        self.configuration = self.home / ".config"

    def _read(self):
        line = self.server.stdout.readline()
        state = json.loads(line) if line else {"error": "private-desktop has ended"}
        if "error" in state:
            raise Failure(state["error"])
        self.processes = state.get("processes", getattr(self, "processes", {}))
        return state

    def ask(self, *request):
        """Has private-desktop do something."""
        if request[0] == "start":
            variables = self.STANDARD_VARIABLES | self.daemon_variables
            (self.home / ".daemon-variables").write_text("\n".join(f"{name}={value}" for name, value in variables.items()))
        self.server.stdin.write(" ".join(request) + "\n")
        self.server.stdin.flush()
        return self._read()

    def lateness(self):
        """For how many milliseconds at most the machine was late, since this was asked the last time."""
        return self.ask("state")["late"]

    # Files

    def write(self, path, text):
        """Writes a file of the configuration, in one go, as an editor does."""
        path = self.configuration / path
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        fresh.write_text(text + "\n")
        fresh.rename(path)

    def log(self, program=None):
        """What the daemon, or another part, has written in all its lives."""
        paths = sorted(self.logs.glob(f"*-{program or self.KIND}.log"), key=lambda path: int(path.name.split("-")[0]))
        return "".join(path.read_text(errors="replace") for path in paths)

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

    def end(self, child, how=signal.SIGTERM):
        """Ends what was spawned, or what private-desktop has not started."""
        child.send_signal(signal.SIGCONT)
        child.send_signal(how)
        self.wait(f"the end of {child.args[0]}", lambda: child.poll() is not None, needs_daemon=False)
        if child in self.others:
            self.others.remove(child)

    def end_group(self, child):
        """Ends what was spawned with all that it has started; what does not end in 8 seconds is killed."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(8)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        if child in self.others:
            self.others.remove(child)

    @property
    def daemon(self):
        """The process id of the sound server."""
        return self.processes.get("daemon")

    def lives(self, part="daemon"):
        return is_alive(self.processes.get(part, 0))

    def check_daemon(self):
        if self.daemon and not is_alive(self.daemon):
            raise Failure(f"{self.KIND} has ended: {self.ask('state')['ended'].get('daemon')}")

    def tool(self, *command, check=True):
        """Runs a client and returns what it prints."""
        text = shlex.join(map(str, command))
        try:
            done = subprocess.run(
                [str(word) for word in command], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=HUNG, errors="replace")
        except subprocess.TimeoutExpired:
            raise Failure(f"{text} hangs") from None
        if check and done.returncode != 0:
            raise Failure(f"{text}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def wait(self, what, condition, needs_daemon=True, seconds=HUNG):
        """Waits until a condition holds, and returns what it answers."""
        end, problem = time.monotonic() + seconds, ""
        while True:
            # At least once after the limit.
            is_last = time.monotonic() > end
            try:
                if answer := condition():
                    return answer
            except (Failure, ValueError, OSError) as failure:
                problem = f": {failure}"
            if needs_daemon:
                self.check_daemon()
            if is_last:
                raise Failure(f"waited {seconds} s for {what} in vain{problem}")
            time.sleep(0.05)

    # The module

    def call(self, method, *arguments, interface="org.AudioSession1.Manager"):
        """Calls the service of the module, and returns its answer as JSON has it."""
        text = self.tool(
            "busctl", f"--address=unix:path={self.run}/bus", f"--timeout={HUNG}", "--json=short", "call", "org.AudioSession1",
            "/org/AudioSession1", interface, method, *arguments)
        return json.loads(text)["data"] if text.strip() else None

    def serves(self):
        """Whether the module's service answers."""
        return self.call("DumpState") is not None

    def answers(self):
        """Whether the daemon answers a client."""
        with contextlib.suppress(Failure):
            return bool(self.tool(*self.QUESTION))
        return False

    # The whole

    def start(self):
        self.ask("start", "servers")
        return self

    def stop(self, keeps=False):
        """Ends everything; the folder of logs is copied if it is to be kept."""
        for child in self.others:
            if child.poll() is None:
                child.kill()
                child.wait()
        if keeps:
            self.logs = shutil.copytree(self.logs, tempfile.mkdtemp(prefix="logs-"), dirs_exist_ok=True)
        self.server.stdin.close()
        self.server.wait()
        self.server.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class PipeWireDesktop(Desktop):
    KIND, MODULE = "pipewire", PIPEWIRE_MODULE
    STANDARD_VARIABLES = {"PIPEWIRE_DEBUG": "2,mod.audio-session:4"}
    QUESTION = ["pw-cli", "info", "0"]

    def dump(self):
        def whole():
            # It prints rubbish when an object goes while it is asked about.
            return json.loads(self.tool("pw-dump"))
        return self.wait("pw-dump", whole)

    def nodes(self):
        """The properties of each node, and what is set of it."""
        for item in self.dump():
            properties = (item.get("info") or {}).get("props") or {}
            if item["type"].endswith(":Node"):
                values = {}
                for part in (item["info"].get("params") or {}).get("Props", []):
                    values = part | values
                yield item, properties, values

    def default_sink(self):
        for item in self.dump():
            for entry in item.get("metadata", []) if item["type"].endswith("Metadata") else []:
                if entry["key"] == "default.audio.sink":
                    return entry["value"].get("name")
        return None

    def has_loaded(self):
        return any(
            item["type"].endswith(":Module") and item["info"]["name"] == PIPEWIRE_MODULE for item in self.dump())

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
        for item, properties, values in self.nodes():
            kind = properties.get("media.class", "")
            if not kind.startswith("Stream/") or not kind.endswith("/Audio"):
                continue
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
        return {
            properties["node.name"]: (
                [round(value, 4) for value in values.get("channelVolumes", [])], values.get("mute", False))
            for _, properties, values in self.nodes() if properties.get("media.class") in ("Audio/Sink", "Audio/Source")
        }

    def set_volume(self, stream, factor):
        self.tool("wpctl", "set-volume", stream["id"], f"{factor ** (1 / 3):.5f}")

    def set_mute(self, stream, is_muted):
        self.tool("wpctl", "set-mute", stream["id"], int(is_muted))


class PulseAudioDesktop(Desktop):
    KIND, MODULE = "pulseaudio", PULSEAUDIO_MODULE
    #: Without it, the daemon executes itself again, and loses what runs it and what is loaded into it.
    STANDARD_VARIABLES = {"LD_BIND_NOW": "1"}
    QUESTION = ["pactl", "info"]

    def listed(self, what):
        return json.loads(self.tool("pactl", "--format=json", "list", what))

    def has_loaded(self):
        return any(PULSEAUDIO_MODULE in line.split() for line in self.tool("pactl", "list", "short", "modules").splitlines())

    def capture_command(self, rate=48000, latency=1024):
        return ["parecord", f"--device={SINK}.monitor", "--raw", "--format=float32le", f"--rate={rate}", "--channels=2",
                "--latency-msec=20", "--client-name=test-capture"]

    @staticmethod
    def factors(volume):
        return [round((value["value"] / 65536) ** 3, 4) for _, value in sorted(volume.items())]

    def streams(self):
        return [
            {"id": item["index"], "process": int(item["properties"].get("application.process.id", 0)),
             "name": item["properties"].get("application.name", ""), "is_capture": is_capture, "runs": not item["corked"],
             "volumes": self.factors(item["volume"]), "mute": item["mute"], "in_force": [], "is_muted_softly": False,
             "is_linked": True}
            for what, is_capture in (("sink-inputs", False), ("source-outputs", True)) for item in self.listed(what)
        ]

    def devices(self):
        return {item["name"]: (self.factors(item["volume"]), item["mute"]) for what in ("sinks", "sources") for item in self.listed(what)}

    def _set(self, what, stream, value):
        self.tool("pactl", f"set-{'source-output' if stream['is_capture'] else 'sink-input'}-{what}", stream["id"], value)

    def set_volume(self, stream, factor):
        self._set("volume", stream, round(factor ** (1 / 3) * 65536))

    def set_mute(self, stream, is_muted):
        self._set("mute", stream, int(is_muted))


DESKTOPS = {"pipewire": PipeWireDesktop, "pulseaudio": PulseAudioDesktop}


class LiveBlocks:
    """The blocks of memory in use in a daemon, by shared object. For `Desktop(daemon_variables=LiveBlocks.VARIABLES)`."""

    @staticmethod
    def variables():
        library = build(PACKAGE / ".build/test-programs/live-blocks.so", [PACKAGE / "Tests/LiveBlocks/live_blocks.c"], "-shared", "-fPIC")
        return {"LD_PRELOAD": str(library)}

    @staticmethod
    def counts(desktop):
        """The number of blocks of each shared object, and of ours under the name "ours"."""
        lines = desktop.tool("sed", "/^end$/q", desktop.run / "live-blocks").splitlines()
        found = {words[2]: int(words[0]) for words in map(str.split, lines) if len(words) == 3}
        ours = sum(found.pop(name) for name in list(found) if "module-audio-session" in name)
        return found | {"ours": ours}

    @staticmethod
    def at_rest(desktop):
        """The blocks as soon as the server has come to rest, and then its descriptors, and its objects by kind."""
        def objects():
            if desktop.KIND == "pipewire":
                return dict(collections.Counter(item["type"].rpartition(":")[2] for item in desktop.dump()))
            return {what: len(desktop.listed(what)) for what in ("clients", "modules", "sinks", "sink-inputs", "source-outputs")}
        # The tool that counts has gone when it is the same twice.
        found = []
        def is_steady():
            found.append((len(os.listdir(f"/proc/{desktop.daemon}/fd")), objects()))
            return len(found) > 1 and found[-1] == found[-2]
        desktop.wait("the server to come to rest", is_steady)
        return LiveBlocks.counts(desktop), *found[-1]


@contextlib.contextmanager
def module_with_symbols(module):
    """A folder with a built module as valgrind reads it: with its symbols, without debugging information."""
    built = module_folder().parent / f"unstripped/{module}.so"
    if not built.exists():
        raise Failure(f"there is no {built}; install/build makes it")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["strip", "--strip-debug", "-o", f"{folder}/{module}.so", built], check=True)
        yield folder


def valgrind(*options):
    """The words that run a daemon under valgrind, which writes its errors to log/valgrind.xml."""
    return ["sh", "-c", 'exec valgrind --trace-children=yes --num-callers=40 --xml=yes --xml-file="$XDG_RUNTIME_DIR/valgrind.xml" '
            '--vgdb=no "$@"', "sh", f"--suppressions={pathlib.Path(__file__).parent}/valgrind.supp", *options]


def valgrind_errors(text):
    """From what valgrind has written: (errors, with the module on the stack), (bytes definitely lost, with the module)."""
    if "</valgrindoutput>" not in text:
        # The daemon has died, perhaps in the middle of an error.
        text = text[:text.rfind("</error>") + 8] + "</valgrindoutput>" if "</error>" in text else "<none/>"
    errors, lost = [0, 0], [0, 0]
    for error in xml.etree.ElementTree.fromstring(text).iter("error"):
        kind, is_ours = error.findtext("kind") or "", any("audio-session" in (found.text or "") for found in error.iter("obj"))
        # Possibly lost memory does not count, because Swift keeps pointers into the middle of its type metadata.
        if kind == "Leak_DefinitelyLost":
            lost[0] += (size := int(error.findtext("xwhat/leakedbytes")))
            lost[1] += size * is_ours
        elif not kind.startswith("Leak_"):
            errors[0] += 1
            errors[1] += is_ours
    return errors, lost


def require(*programs):
    """Fails unless all programs are there."""
    if missing := [name for name in programs if not shutil.which(name)]:
        raise Failure(f"{', '.join(missing)} missing; install/dependencies --tests installs what the tests need")


def needed_programs(server):
    """The programs of one server, or of both for None."""
    pipewire = ["pipewire", "wireplumber", "pipewire-pulse", "pw-record", "pw-dump"]
    return ["pactl", "paplay", "mpv", "busctl", "dbus-daemon", "cc", "pkg-config", *pipewire * (server != "pulseaudio"),
            *["pulseaudio"] * (server != "pipewire")]
