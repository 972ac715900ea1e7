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

With the argument "library=PATH", its session is that of the library for C, and it is told by that library's callbacks. It can
have one session then, and call SetCategory, SetMode, Activate, Deactivate and Close of it.

With the argument "traced", all that it is told of a session is printed once more, with whose it is, as JSON:
event PATH ["signal", NAME, [ARGUMENT …]], ["changed", NAME, VALUE], ["answer", METHOD, VALUE] or
["error", METHOD, [NAME, TEXT]].
"""

import ctypes
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
library = None


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
    if verb == "open" and library:
        return library.open()
    if verb == "open":
        return call(MANAGER, NAME + ".Manager", "OpenSession", arguments or [{}])
    if verb == "session":
        try:
            if library:
                answer = library.call(arguments[1], arguments[2:])
            else:
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
            if library and name == "Active" and not value:
                library.became_inactive(path)
            else:
                trace(path, "changed", name, plain(value))


class Library:
    """The session of the library for C."""

    CATEGORIES = {
        "ambient": b"ambi", "solo-ambient": b"solo", "playback": b"medi", "record": b"reca", "play-and-record": b"plar",
        "audio-processing": b"proc",
    }
    MODES = {"default": b"dflt", "voice-chat": b"vcct", "video-recording": b"vrcd", "measurement": b"msmt"}
    OPTIONS = {
        "mix-with-others": b"cmix", "duck-others": b"duck", "default-to-speaker": b"cspk", "allow-bluetooth-input": b"cblu",
    }
    ERRORS = {b"!act": "InsufficientPriority", b"!cat": "IncompatibleCategory", b"nohw": "NoHardware", b"?cat": "NoCategory"}

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.interrupted = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)(self.hear_interruption)
        listener = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)
        self.rerouted = listener(self.hear_route)
        self.library.AudioSessionValueGetMember.restype = ctypes.c_void_p
        self.library.AudioSessionValueGetMember.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        self.library.AudioSessionValueGetNumber.restype = ctypes.c_double
        self.library.AudioSessionValueGetNumber.argtypes = [ctypes.c_void_p]
        self.path = None
        self.is_untold = False

    @staticmethod
    def number(characters):
        return ctypes.c_uint32(int.from_bytes(characters, "big"))

    def do(self, method, *arguments):
        status = ctypes.c_uint32(getattr(self.library, method)(*arguments)).value.to_bytes(4, "big")
        if status != bytes(4):
            name = self.ERRORS.get(status, "ModeNotChangeable")
            raise dbus.DBusException("the library answers " + repr(status), name=f"{NAME}.Error.{name}")

    def set(self, characters, value):
        self.do("AudioSessionSetProperty", self.number(characters), ctypes.c_uint32(4), ctypes.byref(value))

    def open(self):
        # The library does not say which session it has: it is the one that is there now and was not before.
        before = self.paths()
        self.do("AudioSessionInitialize", None, None, self.interrupted, None)
        self.do("AudioSessionAddPropertyListener", self.number(b"roch"), self.rerouted, None)
        (self.path,) = self.paths() - before
        return self.path

    @staticmethod
    def paths():
        return {one["path"] for one in call(MANAGER, NAME + ".Manager", "ListSessions", []) if one["path"]}

    def call(self, method, arguments):
        if method == "SetCategory":
            category, options, mode = arguments
            if mode:
                self.set(b"mode", self.number(self.MODES[mode]))
            self.set(b"acat", self.number(self.CATEGORIES[category]))
            # Those that are off come first, for the options replace all former ones.
            for option, characters in sorted(self.OPTIONS.items(), key=lambda pair: pair[0] in options):
                self.set(characters, ctypes.c_uint32(option in options))
        elif method == "SetMode":
            self.set(b"mode", self.number(self.MODES[arguments[0]]))
        elif method == "Activate":
            self.do("AudioSessionSetActive", ctypes.c_ubyte(1))
            return "active"
        elif method == "Deactivate":
            flags = ctypes.c_uint32(1 if "notify-others" in arguments[0] else 0)
            self.do("AudioSessionSetActiveWithFlags", ctypes.c_ubyte(0), flags)
        elif method == "Close":
            self.do("AudioSessionUninitialize")
        else:
            raise ValueError("the library cannot " + method)
        return None

    def became_inactive(self, path):
        """The bus tells it on another connection than the library, which tells why, sooner or later."""
        self.is_untold = True

        def tell():
            if self.is_untold:
                self.is_untold = False
                trace(path, "changed", "Active", False)
            return False

        GLib.timeout_add(200, tell)

    def hear_interruption(self, data, state):
        GLib.idle_add(self.tell_interruption, state, self.should_resume() if state == 0 else None)

    def should_resume(self):
        value, size = ctypes.c_uint32(), ctypes.c_uint32(4)
        self.library.AudioSessionGetProperty(self.number(b"type"), ctypes.byref(size), ctypes.byref(value))
        return value.value == int.from_bytes(b"irsm", "big")

    def tell_interruption(self, state, should_resume):
        if state == 1:
            self.is_untold = False
            trace(self.path, "changed", "Active", False)
            trace(self.path, "signal", "InterruptionBegan", ["default", ""])
        else:
            trace(self.path, "signal", "InterruptionEnded", [should_resume])
        return False

    def hear_route(self, data, characters, size, value):
        reason = self.library.AudioSessionValueGetMember(value, b"OutputDeviceDidChange_Reason")
        GLib.idle_add(trace, self.path, "signal", "RouteChanged", [self.library.AudioSessionValueGetNumber(reason)])


for argument in sys.argv[2:]:
    if argument.startswith("library="):
        library = Library(argument.removeprefix("library="))
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
