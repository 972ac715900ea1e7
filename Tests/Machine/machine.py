"""A whole machine: Debian 13 in QEMU's software emulation, with two sound cards whose output is recorded.

One card is built in (HDA). The other one is a USB headset, which is plugged in and pulled by QEMU's monitor.
"""

import contextlib
import ctypes
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from recording import Recording

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
FOLDER = PACKAGE / ".build/machine"
HEADSET = "usb-audio,id=headset,audiodev=usb,bus=xhci.0,port=1,serial=HS1"

_libc = ctypes.CDLL(None, use_errno=True)
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class Trouble(Exception):
    """Something that a scene needs does not work or does not come."""


def wait(what, condition, seconds=60):
    """Returns what a condition returns as soon as that is true. The emulator is slow, so the time is generous."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise Trouble(f"waited {seconds} s for {what}")
        time.sleep(0.05)


def make_image():
    """Makes the disk, unless the one that is there was made by the same commands."""
    sources = [PACKAGE / "Tests/Machine" / name for name in ("image", "agent.py", "tones.py")]
    names = subprocess.run([PACKAGE / "install/dependencies", "--names", "live"], capture_output=True, text=True, check=True)
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in sources) + names.stdout.encode()).hexdigest()
    file = FOLDER / "made-by"
    if file.exists() and file.read_text() == stamp and (FOLDER / "disk.ext4").exists():
        return
    print("Making the disk of the machine in .build/machine, which takes some minutes", flush=True)
    file.unlink(missing_ok=True)
    if subprocess.run([PACKAGE / "Tests/Machine/image", FOLDER]).returncode != 0:
        raise Trouble("the disk could not be made")
    file.write_text(stamp)


class Port:
    """One of the machine's sockets, which speaks in lines."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.rest = b""

    def send(self, message):
        self.socket.settimeout(60)
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def line(self, seconds):
        end = time.monotonic() + seconds
        while b"\n" not in self.rest:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self.socket.settimeout(left)
            part = self.socket.recv(65536)
            if not part:
                raise Trouble("the machine has ended")
            self.rest += part
        line, self.rest = self.rest.split(b"\n", 1)
        return line


class Guest:
    """Runs commands inside the machine, as root or as who sits at the seat."""

    def __init__(self, path):
        self.port = Port(path)
        self.number = 0

    def ask(self, command, seconds=60):
        """Returns (status, output)."""
        self.number += 1
        self.port.send({"id": self.number, "command": command, "timeout": seconds})
        while True:
            with contextlib.suppress(ValueError):
                answer = json.loads(self.port.line(seconds + 20))
                if answer["id"] == self.number:
                    return answer["status"], answer["output"]

    def run(self, command, seconds=60):
        """Returns what a command prints; it must not fail."""
        status, output = self.ask(command, seconds)
        if status != 0:
            raise Trouble(f"{command}\nfailed with {status}: {output.strip()}")
        return output

    def answers(self):
        """Whether somebody is there to run commands."""
        self.number += 1
        try:
            self.port.send({"id": self.number, "command": "true", "timeout": 5})
            while True:
                with contextlib.suppress(ValueError):
                    if json.loads(self.port.line(3))["id"] == self.number:
                        return True
        except TimeoutError:
            return False


class Machine:
    """A machine that runs. Its disk is as it was made at each start: what a run writes is dropped."""

    def __init__(self, packages):
        """packages: a folder of Debian packages, to be found in /mnt/packages."""
        self.run = pathlib.Path(tempfile.mkdtemp(prefix="machine-", dir="/tmp"))
        disk = self.run / "packages.ext4"
        with open(disk, "wb") as file:
            file.truncate(256 << 20)
        subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-d", packages, disk], check=True)
        self.hda, self.usb = Recording(self.run / "hda.wav"), Recording(self.run / "usb.wav")

        def card(name):
            return f"wav,id={name},path={self.run}/{name}.wav,out.frequency=48000,out.channels=2,out.format=s16"

        def port(name):
            return ["-chardev", f"socket,id={name},path={self.run}/{name}.socket,server=on,wait=off",
                    "-device", f"virtserialport,chardev={name},name={name}"]

        command = [
            "qemu-system-x86_64", "-name", "machine", "-machine", "q35", "-accel", "tcg,thread=multi,tb-size=512",
            "-cpu", "max", "-smp", "2", "-m", "1536", "-nodefaults", "-no-user-config", "-display", "none", "-vga", "none",
            "-kernel", FOLDER / "vmlinuz", "-initrd", FOLDER / "initrd",
            "-append", "root=/dev/vda rw console=tty0 console=ttyS0 net.ifnames=0 quiet",
            "-drive", f"file={FOLDER}/disk.ext4,format=raw,if=virtio,cache=unsafe,snapshot=on",
            "-drive", f"file={disk},format=raw,if=virtio,readonly=on",
            "-chardev", f"file,id=console,path={self.run}/console.log", "-serial", "chardev:console",
            "-qmp", f"unix:{self.run}/monitor.socket,server=on,wait=off",
            "-device", "virtio-serial-pci", *port("user"), *port("root"),
            "-audiodev", card("hda"), "-device", "intel-hda,addr=5", "-device", "hda-duplex,audiodev=hda",
            "-audiodev", card("usb"), "-device", "qemu-xhci,id=xhci", "-device", HEADSET,
        ]
        def before_start():
            _libc.prctl(_END_WITH_PARENT, signal.SIGKILL)
            # A machine that waits for a processor loses sound. The kernel may weigh processes only within their session, and
            # sessions by a file of their own.
            os.setsid()
            os.nice(-15)
            with contextlib.suppress(OSError):
                pathlib.Path("/proc/self/autogroup").write_text("-15")

        with open(self.run / "qemu.log", "w") as log:
            # What it drops at its end is in its own folder, and it ends with this program.
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=os.environ | {"TMPDIR": str(self.run)},
                preexec_fn=before_start)
        try:
            self.root, self.user = (self._guest(name) for name in ("root", "user"))
            self.monitor = Port(self.run / "monitor.socket")
            self.monitor.line(10)
            self._command("qmp_capabilities")
        except BaseException:
            self.end()
            raise

    def _guest(self, name):
        path = self.run / f"{name}.socket"
        wait("QEMU", lambda: path.exists() or self._ended())
        guest = Guest(path)
        wait(f"the machine to start ({name})", lambda: guest.answers() or self._ended(), 300)
        return guest

    def _ended(self):
        if self.process.poll() is not None:
            raise Trouble(f"QEMU has ended: {(self.run / 'qemu.log').read_text()}")

    def end(self):
        self.process.kill()
        self.process.wait()
        for name in ("console.log", "qemu.log", "hda.wav", "usb.wav"):
            with contextlib.suppress(OSError):
                shutil.copy(self.run / name, FOLDER / name)
        shutil.rmtree(self.run, ignore_errors=True)

    def _command(self, name, **arguments):
        self.monitor.send({"execute": name, "arguments": arguments})
        while True:
            answer = json.loads(self.monitor.line(60))
            if "error" in answer:
                raise Trouble(f"QEMU: {answer['error']}")
            if "return" in answer:
                return answer["return"]

    def plug(self):
        # Each plug begins its recording anew.
        self.usb.begin_anew()
        self._command("human-monitor-command", **{"command-line": f"device_add {HEADSET}"})

    def pull(self):
        self._command("human-monitor-command", **{"command-line": "device_del headset"})

    def late(self):
        """For how many seconds the emulator has waited for a processor since its start, all threads together."""
        waited = 0.0
        for file in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):
                waited += int(file.read_text().split()[1]) / 1e9
        return waited
