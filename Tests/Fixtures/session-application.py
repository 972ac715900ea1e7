"""An application that holds audio sessions, as a test tells it.

It listens on the unix socket whose path is its argument. Each line is a JSON array: what to do, then its arguments.
The answer is a line of JSON: {"ok": value} or {"error": name, "message": text}. Every signal that a session of its own
or the manager sends it is printed as a line: signal NAME ARGUMENTS; every change of a property as: changed NAME VALUE.

  ["open", {"display-name": "x"}]           opens a session; answers its path
  ["session", PATH, METHOD, ARGUMENT …]     calls a method of a session
  ["manager", METHOD, ARGUMENT …]           calls a method of the manager
  ["get", PATH, PROPERTY]                   reads a property
  ["set", PROPERTY, VALUE]                  sets a property of the manager
  ["start", [PROGRAM, ARGUMENT …], {ENV}]   starts a child; answers its process id
  ["stop", PID]                             ends that child

With a second argument, "traced", all that it is told of a session is printed once more, with whose it is, as JSON:
event PATH ["signal", NAME, [ARGUMENT …]], ["changed", NAME, VALUE], ["answer", METHOD, VALUE] or
["error", METHOD, [NAME, TEXT]].
"""

import json
import os
import signal
import socket
import subprocess
import sys

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

NAME = "org.AudioSession1"
MANAGER = "/org/AudioSession1"

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
children = {}
is_traced = "traced" in sys.argv[2:]


def trace(path, *event):
    if is_traced:
        print("event", path, json.dumps(event), flush=True)


def plain(value):
    """A value of D-Bus as JSON has it."""
    if isinstance(value, dbus.Boolean):
        return bool(value)
    if isinstance(value, (dict, dbus.Dictionary)):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, int):
        return int(value)
    return None if value is None else str(value)


def wire(value):
    """A value of JSON as D-Bus has it: empty objects and arrays get the types that the interface has."""
    if isinstance(value, dict):
        return dbus.Dictionary(value, signature="sv")
    if isinstance(value, list):
        return dbus.Array(value, signature="s")
    return value


def call(path, interface, method, arguments):
    target = dbus.Interface(bus.get_object(NAME, path, introspect=False), interface)
    signatures = {
        "SetPreference": "sv", "EndInterruption": "u", "Pause": "t", "OpenSession": "a{sv}",
        "BeginInterruption": "sa{sv}",
    }
    options = {"signature": signatures[method]} if method in signatures else {}
    return plain(target.get_dbus_method(method)(*[wire(argument) for argument in arguments], **options))


def perform(request):
    verb, arguments = request[0], request[1:]
    if verb == "open":
        return call(MANAGER, NAME + ".Manager", "OpenSession", arguments or [{}])
    if verb == "session":
        try:
            answer = call(arguments[0], NAME + ".Session", arguments[1], arguments[2:])
        except dbus.DBusException as error:
            trace(arguments[0], "error", arguments[1], [error.get_dbus_name(), error.get_dbus_message()])
            raise
        trace(arguments[0], "answer", arguments[1], answer)
        return answer
    if verb == "manager":
        return call(MANAGER, NAME + ".Manager", arguments[0], arguments[1:])
    if verb == "get":
        interface = NAME + (".Manager" if arguments[0] == MANAGER else ".Session")
        return plain(bus.get_object(NAME, arguments[0], introspect=False).Get(
            interface, arguments[1], dbus_interface="org.freedesktop.DBus.Properties"))
    if verb == "set":
        bus.get_object(NAME, MANAGER, introspect=False).Set(
            NAME + ".Manager", arguments[0], arguments[1], dbus_interface="org.freedesktop.DBus.Properties",
            signature="ssv")
        return None
    if verb == "start":
        child = subprocess.Popen(arguments[0], env={**os.environ, **(arguments[1] if len(arguments) > 1 else {})})
        children[child.pid] = child
        return child.pid
    if verb == "stop":
        child = children.pop(arguments[0])
        child.terminate()
        child.wait()
        return None
    raise ValueError("unknown request " + verb)


def serve(connection, condition):
    data = b""
    while not data.endswith(b"\n"):
        part = connection.recv(65536)
        if not part:
            connection.close()
            return False
        data += part
    try:
        answer = {"ok": perform(json.loads(data))}
    except dbus.DBusException as error:
        answer = {"error": error.get_dbus_name(), "message": error.get_dbus_message()}
    connection.sendall(json.dumps(answer).encode() + b"\n")
    return True


def accept(listener, condition):
    connection, _ = listener.accept()
    GLib.io_add_watch(connection, GLib.IO_IN | GLib.IO_HUP, serve)
    return True


def heard(*arguments, member=None, interface=None, path=None):
    if interface is not None and interface.startswith(NAME):
        print("signal", member, *[json.dumps(plain(argument)) for argument in arguments], flush=True)
        trace(path, "signal", member, [plain(argument) for argument in arguments])


def changed(interface, values, invalidated, path=None):
    if interface.startswith(NAME):
        for name, value in values.items():
            print("changed", name, json.dumps(plain(value)), flush=True)
            trace(path, "changed", name, plain(value))


bus.add_signal_receiver(changed, "PropertiesChanged", "org.freedesktop.DBus.Properties", path_keyword="path")
for interface in (".Session", ".Manager"):
    bus.add_signal_receiver(
        heard, dbus_interface=NAME + interface, member_keyword="member", interface_keyword="interface",
        path_keyword="path")
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
GLib.io_add_watch(listener, GLib.IO_IN, accept)
print("ready", flush=True)
loop = GLib.MainLoop()
signal.signal(signal.SIGTERM, lambda *_: (([c.terminate() for c in children.values()]), sys.exit(0)))
GLib.timeout_add(100, lambda: True)
loop.run()
