"""A private desktop for Tests/bin/attacks: buses, a sound server with the probe and with or without the module, players
and a recording."""

import array
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
SINK = "attack-sink"
RATE = 48000


class Trouble(Exception):
    pass


class Desktop:
    def __init__(self, server, modules, tools):
        """A desktop with a server ("pipewire" or "pulseaudio") and the module from a folder; None for no module."""
        self.server, self.modules, self.tools = server, modules, tools
        # A short path, because a socket's path may have at most 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="as-", dir="/tmp"))
        self.children, self.daemon, self.manager = [], None, None
        home, run = self.folder / "home", self.folder / "run"
        self.configuration = home / ".config"
        for path in (run / "pulse", self.configuration, self.folder / "tmp"):
            path.mkdir(parents=True, mode=0o700)
        run.chmod(0o700)
        self.environment = {key: str(value) for key, value in {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": home, "XDG_CONFIG_HOME": self.configuration,
            "XDG_STATE_HOME": home / ".local/state", "XDG_DATA_HOME": home / ".local/share",
            "XDG_CACHE_HOME": home / ".cache", "XDG_RUNTIME_DIR": run, "PIPEWIRE_RUNTIME_DIR": run,
            "PULSE_RUNTIME_PATH": run / "pulse", "PULSE_SERVER": f"unix:{run}/pulse/native",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={run}/bus", "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={run}/system-bus",
            "TMPDIR": self.folder / "tmp",
        }.items()}
        self.probe = self.folder / "probe"
        self.log = self.folder / "daemon.log"

    # MARK: - Servers

    def write(self, path, text):
        path = self.configuration / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")

    def start(self, *command, environment=None, output=subprocess.DEVNULL, errors=subprocess.DEVNULL, is_first=False):
        """Starts a program; with is_first, under real-time scheduling, if that is allowed."""
        child = subprocess.Popen(
            [str(word) for word in command], env=self.environment | (environment or {}), stdin=subprocess.DEVNULL,
            stdout=output, stderr=errors, start_new_session=True)
        self.children.append(child)
        if is_first:
            try:
                os.sched_setscheduler(child.pid, os.SCHED_RR, os.sched_param(1))
            except PermissionError:
                pass
        return child

    def wait(self, what, condition, seconds=30):
        end = time.monotonic() + seconds
        while not (result := condition()):
            self.check()
            if time.monotonic() > end:
                tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-8:]) if self.log.exists() else ""
                raise Trouble(f"waited for {what} in vain\n{tail}")
            time.sleep(0.02)
        return result

    def check(self):
        if self.daemon is not None and self.daemon.poll() is not None:
            raise Trouble(f"the daemon has ended: {self.daemon.returncode}")

    def says(self, command, text):
        try:
            answer = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=20)
        except subprocess.TimeoutExpired:
            return False
        return text in answer.stdout

    def begin(self):
        run = self.folder / "run"
        self.start("dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={run}/bus")
        self.wait("the bus", (run / "bus").exists)
        probed = {"LD_PRELOAD": str(self.tools / "probe.so"), "ATTACK_PROBE": str(self.probe)}
        if self.server == "pipewire":
            self.begin_pipewire(probed)
        else:
            self.begin_pulseaudio(probed)

    def begin_pipewire(self, probed):
        self.write("pipewire/pipewire.conf.d/10-sink.conf", f"""
            context.properties = {{ default.clock.rate = 48000 default.clock.quantum = 1024
                                    default.clock.min-quantum = 1024 default.clock.max-quantum = 1024 }}
            context.objects = [
                {{ factory = adapter
                   args = {{ factory.name = support.null-audio-sink node.name = {SINK} media.class = Audio/Sink
                             audio.rate = 48000 audio.position = [ FL FR ] priority.session = 3000
                             object.linger = true }} }}
            ]""")
        if self.modules is not None:
            self.write("pipewire/pipewire.conf.d/50-module.conf", """
                context.modules = [ { name = libpipewire-module-audio-session } ]""")
            found = subprocess.run(
                ["pkg-config", "--variable=moduledir", "libpipewire-0.3"], capture_output=True, text=True)
            probed["PIPEWIRE_MODULE_DIR"] = f"{self.modules}:{found.stdout.strip()}"
        # Ignore the machine's own hardware.
        self.write("wireplumber/main.lua.d/60-private.lua", """
            alsa_monitor.enabled = false
            v4l2_monitor.enabled = false
            libcamera_monitor.enabled = false""")
        self.write("wireplumber/bluetooth.lua.d/60-private.lua", "bluez_monitor.enabled = false")
        self.write("wireplumber/wireplumber.conf.d/60-private.conf", """
            wireplumber.profiles = {
                main = { hardware.audio = disabled, hardware.bluetooth = disabled, hardware.video-capture = disabled }
            }""")
        with open(self.log, "w") as log:
            self.daemon = self.start("pipewire", environment=probed, output=log, errors=log, is_first=True)
        self.wait("PipeWire", lambda: self.says(["pw-cli", "ls", "Node"], SINK))
        self.manager = self.start("wireplumber")
        self.start("pipewire-pulse")
        self.wait("the default sink", lambda: self.says(["pactl", "info"], f"Default Sink: {SINK}"))

    def begin_pulseaudio(self, probed):
        # Without this variable, PulseAudio executes itself again, and loses the probe.
        probed["LD_BIND_NOW"] = "1"
        self.write("pulse/daemon.conf", "default-sample-rate = 48000\nrlimit-rttime = -1")
        socket = self.folder / "run/pulse/native"
        modules = [
            "module-device-restore", "module-stream-restore", "module-card-restore", "module-null-source source_name=no-mic",
            f"module-null-sink sink_name={SINK} rate=48000 channels=2",
            # A sink takes at most 256 streams.
            *[f"module-null-sink sink_name=more-{number} rate=48000 channels=2" for number in range(5)],
            f"module-native-protocol-unix socket={socket} auth-anonymous=1", "module-default-device-restore",
            "module-position-event-sounds",
        ]
        command = [
            "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes",
            "--log-target=stderr", "--log-level=notice",
        ]
        folders = subprocess.run(["pulseaudio", "--dump-conf"], env=self.environment, capture_output=True, text=True)
        own = [line.split("=")[1].strip() for line in folders.stdout.splitlines() if line.startswith("dl-search-path")]
        if self.modules is not None:
            modules.append("module-audio-session")
            own.insert(0, str(self.modules))
        command.append(f"--dl-search-path={':'.join(own)}")
        with open(self.log, "w") as log:
            self.daemon = self.start(
                *command, *[f"--load={module}" for module in modules], environment=probed, output=log, errors=log, is_first=True)
        self.wait("PulseAudio", lambda: self.says(["pactl", "info"], "Server Name"))
        subprocess.run(["pactl", "set-default-sink", SINK], env=self.environment, check=True)

    def end(self):
        for child in reversed(self.children):
            if child.poll() is None:
                child.send_signal(signal.SIGCONT)
                child.terminate()
        for child in self.children:
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    # MARK: - Sound

    def play(self, tone, role, name):
        """Plays a file as an application of its own, with the server's native protocol."""
        # A program name of its own, because older modules take two players of one program for one application.
        original = shutil.which("pw-cat" if self.server == "pipewire" else "pacat")
        program = self.folder / name
        if not program.exists():
            shutil.copy(os.path.realpath(original), program)
        if self.server == "pipewire":
            return self.start(
                program, "--playback", "--media-role", {"phone": "Communication", "music": "Music"}[role], "--target",
                SINK, tone, is_first=True)
        return self.start(
            program, "--playback", "--file-format=wav", f"--device={SINK}", f"--property=media.role={role}", tone, is_first=True)

    def record(self):
        if self.server == "pipewire":
            command = [
                "pw-record", "--target", SINK, "--latency", "1024", "--format", "s16", "--rate", RATE, "--channels", "2",
                "-P", "{ stream.capture.sink = true node.name = attack-capture node.dont-reconnect = true }", "-",
            ]
        else:
            command = [
                "parecord", f"--device={SINK}.monitor", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=2",
                "--latency-msec=20",
            ]
        path = self.folder / "recording"
        with open(path, "wb") as output:
            self.start(*command, output=output, is_first=True)
        return Recording(path)


class Recording:
    """A recording of the sink, as levels for each millisecond: music on the left, calls on the right."""

    BLOCK = RATE // 1000

    def __init__(self, path):
        self.path, self.left, self.right = path, array.array("f"), array.array("f")

    def read(self):
        """Reads the levels recorded since the last call."""
        size, have = self.path.stat().st_size // 4 // self.BLOCK, len(self.left)
        if size <= have:
            return
        with open(self.path, "rb") as file:
            file.seek(have * self.BLOCK * 4)
            samples = array.array("h", file.read((size - have) * self.BLOCK * 4))
        for block in range(0, len(samples), 2 * self.BLOCK):
            for channel, levels in ((0, self.left), (1, self.right)):
                part = samples[block + channel:block + 2 * self.BLOCK:2]
                levels.append((sum(value * value for value in part) / len(part)) ** 0.5)

    @property
    def length(self):
        """In milliseconds."""
        return self.path.stat().st_size // 4 // self.BLOCK if self.path.exists() else 0


def gaps(levels, usual):
    """The number of gaps of at least one millisecond in a steady tone, and their total length in ms."""
    count = total = 0
    was_away = False
    for level in levels:
        is_away = level < usual * 0.7
        count += is_away and not was_away
        total += is_away
        was_away = is_away
    return count, total
