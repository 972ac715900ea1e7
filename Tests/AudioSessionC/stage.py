"""Runs a test program with a bus and a service of its own.

  stage.py LIMIT FOLDER PROGRAM [ARGUMENT …]

LIMIT is the time in s after which everything is ended, with the status 124. FOLDER is the program's home and runtime folder.
The program speaks through the socket FOLDER/stage, one command a line,
answered by a line:

  bus-stop, bus-start             the bus dies, with all connections; comes back at the same address
  stop, start                     the service dies; comes back
  freeze, thaw                    the service does nothing (SIGSTOP, SIGCONT)
  anything else                   is a command of service.py

Ends with the program's status. Only processes that were started here are ended; they also end when this program is killed,
and this program ends when whoever started it does.
"""

import ctypes
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys

limit = int(sys.argv[1])
folder = pathlib.Path(sys.argv[2])
here = pathlib.Path(__file__).resolve().parent
configuration = folder / "bus.conf"
configuration.write_text(f"""<busconfig><type>session</type><listen>unix:path={folder}/bus</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>""")
environment = {name: value for name, value in os.environ.items() if not name.startswith(("DBUS_", "XDG_"))}
environment |= {
    "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus",
    "STAGE": str(folder / "stage"),
}
plain = {name: value for name, value in environment.items() if name not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
bus = service = None
prctl = ctypes.CDLL(None).prctl
PR_SET_PDEATHSIG = 1


def start(command, **options):
    """A process that is killed when this one ends, however it ends."""
    return subprocess.Popen(command, preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL), **options)


def start_bus():
    global bus
    (folder / "bus").unlink(missing_ok=True)
    bus = start(["dbus-daemon", f"--config-file={configuration}", "--nofork", "--print-address=1"],
                stdout=subprocess.PIPE, env=plain)
    bus.stdout.readline()


def start_service():
    global service
    service = start(["/usr/bin/python3", str(here / "service.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    env=plain, text=True, bufsize=1)
    assert service.stdout.readline() == "ready\n"


def end(process):
    if process is not None and process.poll() is None:
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout) if process else ():
        try:
            stream and stream.close()
        except BrokenPipeError:
            pass


def obey(line):
    global bus, service
    if line == "bus-stop":
        end(bus)
        end(service)
    elif line == "bus-start":
        start_bus()
    elif line == "stop":
        end(service)
    elif line == "start":
        start_service()
    elif line == "freeze":
        service.send_signal(signal.SIGSTOP)
    elif line == "thaw":
        service.send_signal(signal.SIGCONT)
    else:
        service.stdin.write(line + "\n")
        return service.stdout.readline().rstrip("\n")
    return "ok"


def serve(program):
    """Answers commands until the program has ended."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(environment["STAGE"])
    listener.listen()
    child = start(program, env=environment)
    try:
        return converse(listener, child)
    finally:
        end(child)


def converse(listener, child):
    peers = []
    while child.poll() is None:
        for ready in select.select([listener, *peers], [], [], 0.05)[0]:
            if ready is listener:
                peers.append(listener.accept()[0])
            # One command at a time: whoever has sent one waits for the answer.
            elif line := ready.recv(65536).decode():
                ready.sendall((obey(line.rstrip("\n")) + "\n").encode())
            else:
                peers.remove(ready)
    return child.returncode


def give_up(number, frame):
    if number == signal.SIGALRM:
        print(f"stage.py: the program has not ended within {limit} s", file=sys.stderr)
    sys.exit(124 if number == signal.SIGALRM else 128 + number)


signal.signal(signal.SIGTERM, give_up)
signal.signal(signal.SIGALRM, give_up)
prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
signal.alarm(limit)
try:
    start_bus()
    start_service()
    status = serve(sys.argv[3:])
finally:
    end(service)
    end(bus)
sys.exit(status if status >= 0 else 128 - status)
