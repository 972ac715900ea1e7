"""The library from Python, without any binding: a player that is interrupted once.

  LIBRARY=FILE example.py

Prints what it hears. The test of this example interrupts it by the name of its socket, STAGE.
"""

import ctypes
import os
import select
import socket

library = ctypes.CDLL(os.environ.get("LIBRARY", "libaudiosession.so.1"))
listener_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)


def code(text):
    """Four characters as the number that they are."""
    return int.from_bytes(text.encode(), "big")


def check(status):
    if status:
        raise OSError(status.to_bytes(4, "big").decode())


@listener_type
def interrupted(data, state):
    global heard
    heard += 1
    if state == 1:
        print("pause")
        return
    kind, size = ctypes.c_uint32(), ctypes.c_uint32(4)
    check(library.AudioSessionGetProperty(code("type"), ctypes.byref(size), ctypes.byref(kind)))
    if kind.value == code("irsm"):
        check(library.AudioSessionSetActive(1))
        print("play")


check(library.AudioSessionInitialize(None, None, interrupted, None))
category = ctypes.c_uint32(code("medi"))
check(library.AudioSessionSetProperty(code("acat"), 4, ctypes.byref(category)))
check(library.AudioSessionSetActive(1))
# Callbacks run here, and not on a thread of the library.
descriptor = library.AudioSessionGetPollFD()

if "STAGE" in os.environ:
    with socket.socket(socket.AF_UNIX) as stage:
        stage.connect(os.environ["STAGE"])
        for line in (b"interrupt\n", b"end true\n"):
            stage.sendall(line)
            stage.recv(100)
heard = 0
while heard < 2:
    select.select([descriptor], [], [])
    check(library.AudioSessionDispatch())
check(library.AudioSessionUninitialize())
