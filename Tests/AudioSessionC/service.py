"""A service org.AudioSession1 that does as a test says, in place of the one in the sound server.

Reads commands from its standard input, one a line, and answers each with one line:

  calls                         what was called since the last time: METHOD(ARGUMENTS), separated by ;
  sessions                      how many sessions are open
  fail METHOD ERROR             the next call of METHOD fails with org.AudioSession1.Error.ERROR
  set PROPERTY JSON             changes a property of the last session and announces it; of the manager: Manager.PROPERTY
  interrupt [REASON [NAME]]     interrupts the last session
  interrupt-in METHOD           the same, before the next call of METHOD is answered
  end true|false                ends the interruption
  route REASON TYPE TYPE        the last session's output changes from a type to another
  lost, reset                   ServicesLost, ServicesReset
  liar NAME                     sends PropertiesChanged, InterruptionBegan and ServicesLost of the session from a connection
                                that is not the service, to the connection that owns the session
  odd                           sends signals with wrong types, and properties with values of wrong types
"""

import json
import os
import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.AudioSession1"
MANAGER = NAME + ".Manager"
SESSION = NAME + ".Session"
PROPERTIES = dbus.PROPERTIES_IFACE

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
loop = GLib.MainLoop()
calls = []
failures = {}
interrupted = set()
sessions = {}


def wire(value):
    """JSON as D-Bus has it."""
    if isinstance(value, bool):
        return dbus.Boolean(value)
    if isinstance(value, int):
        return dbus.UInt32(value)
    if isinstance(value, float):
        return dbus.Double(value)
    if isinstance(value, list):
        return dbus.Array([wire(item) for item in value], signature="a{sv}" if all(map(is_map, value)) else "s")
    if isinstance(value, dict):
        return dbus.Dictionary({key: wire(item) for key, item in value.items()}, signature="sv")
    return dbus.String(value)


def is_map(value):
    return isinstance(value, dict)


def plain(value):
    if isinstance(value, dbus.Boolean):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(plain(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{plain(item)}" for key, item in value.items()) + "}"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


class Refused(dbus.DBusException):
    def __init__(self, name):
        super().__init__(f"{name} as the test says")
        self._dbus_error_name = name if "." in name else f"{NAME}.Error.{name}"


def interrupt(session, reason="default", by="Telephone"):
    session.change("Active", False)
    session.change("OutputOverride", "none")
    session.tell("InterruptionBegan", "ss", reason, by)


def note(method, *arguments):
    if method in interrupted:
        interrupted.remove(method)
        interrupt(list(sessions.values())[-1])
    calls.append(f"{method}({','.join(plain(argument) for argument in arguments)})")
    if method in failures:
        raise Refused(failures.pop(method))


class Served(dbus.service.Object):
    """An object with properties."""

    def __init__(self, path, interface, properties):
        super().__init__(bus, path)
        self.path = path
        self.interface = interface
        self.properties = {name: wire(value) for name, value in properties.items()}

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        note("GetAll", interface.rsplit(".", 1)[1])
        return dbus.Dictionary(self.properties, signature="sv")

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass

    def change(self, name, value):
        value = wire(value)
        if self.properties.get(name) != value or name not in self.properties:
            self.properties[name] = value
            self.PropertiesChanged(self.interface, {name: value}, [])


class Session(Served):
    def __init__(self, path, owner):
        self.owner = owner
        super().__init__(path, SESSION, {
            "Category": "solo-ambient", "Active": False, "Interrupted": False, "OutputOverride": "none",
            "CurrentRoute": {"inputs": [], "outputs": [{"type": "BuiltInSpeaker", "id": "speaker"}]},
            "OtherAudioPlaying": False, "SampleRate": 48000.0, "BufferDuration": 0.02, "InputGain": 1.0,
            "InputGainAvailable": False,
        })

    @dbus.service.method(SESSION, in_signature="sass")
    def SetCategory(self, category, options, mode):
        note("SetCategory", category, options, mode)
        self.change("OutputOverride", "none")

    @dbus.service.method(SESSION, in_signature="s")
    def SetMode(self, mode):
        note("SetMode", mode)

    @dbus.service.method(SESSION, in_signature="as", out_signature="s")
    def Activate(self, flags):
        note("Activate", flags)
        self.change("Active", True)
        return "active"

    @dbus.service.method(SESSION, in_signature="as")
    def Deactivate(self, flags):
        note("Deactivate", flags)
        self.change("Active", False)

    @dbus.service.method(SESSION, in_signature="s")
    def OverrideOutput(self, port):
        note("OverrideOutput", port)
        self.change("OutputOverride", str(port))

    @dbus.service.method(SESSION, in_signature="sv")
    def SetPreference(self, name, value):
        note("SetPreference", name, value)
        if name == "input-gain":
            self.change("InputGain", float(value))

    @dbus.service.method(SESSION)
    def Close(self):
        note("Close")
        close(self)

    def tell(self, member, signature, *arguments, sender=bus, interface=SESSION):
        """A signal to the session's owner alone, as the service sends them."""
        message = dbus.lowlevel.SignalMessage(self.path, interface, member)
        message.set_destination(self.owner)
        message.append(*arguments, signature=signature)
        sender.send_message(message)


class Manager(Served):
    count = 0

    @dbus.service.method(MANAGER, in_signature="a{sv}", out_signature="o", sender_keyword="sender")
    def OpenSession(self, properties, sender):
        note("OpenSession", properties)
        Manager.count += 1
        path = f"/org/AudioSession1/session/{Manager.count}"
        sessions[path] = Session(path, sender)
        return dbus.ObjectPath(path)

    @dbus.service.signal(MANAGER, signature="")
    def ServicesReset(self):
        pass


def close(session):
    session.remove_from_connection()
    sessions.pop(session.path, None)


def owner_changed(name, former, now):
    for session in [session for session in sessions.values() if session.owner == name and not now]:
        close(session)


MICROPHONE = {"type": "BuiltInMic", "id": "microphone", "name": "Microphone"}
SPEAKER = {"type": "BuiltInSpeaker", "id": "speaker", "name": "Speaker"}
manager = Manager("/org/AudioSession1", MANAGER, {
    "AvailableInputs": [MICROPHONE, {"type": "USBAudio", "id": "usb-in", "name": "Interface"}],
    "AvailableOutputs": [SPEAKER, {"type": "USBAudio", "id": "usb-out", "name": "Interface"}],
    # What a later service may have.
    "Later": 1,
})
manager.properties["Odd"] = dbus.Dictionary({1: "number"}, signature="us")


def route(type_name):
    return wire({"inputs": [], "outputs": [{"type": type_name, "id": type_name.lower(), "name": type_name}]})


def obey(word, *rest):
    last = list(sessions.values())[-1] if sessions else None
    if word == "calls":
        text = ";".join(calls)
        calls.clear()
        return text
    if word == "sessions":
        return str(len(sessions))
    if word == "fail":
        failures[rest[0]] = rest[1]
    elif word == "set":
        name, value = rest[0], json.loads(" ".join(rest[1:]))
        (manager if name.startswith("Manager.") else last).change(name.removeprefix("Manager."), value)
    elif word == "interrupt":
        interrupt(last, *rest)
    elif word == "interrupt-in":
        interrupted.add(rest[0])
    elif word == "end":
        last.tell("InterruptionEnded", "b", rest[0] == "true")
    elif word == "route":
        last.change("OutputOverride", "none")
        last.change("CurrentRoute", json.loads(json.dumps(route(rest[2]))))
        last.tell("RouteChanged", "ua{sv}a{sv}", dbus.UInt32(int(rest[0])), route(rest[1]), route(rest[2]))
    elif word == "lost":
        last.tell("ServicesLost", "")
    elif word == "reset":
        close(last)
        manager.ServicesReset()
    elif word == "liar":
        liar = dbus.bus.BusConnection(os.environ["DBUS_SESSION_BUS_ADDRESS"])
        last.tell("InterruptionBegan", "ss", "default", "Liar", sender=liar)
        last.tell("ServicesLost", "", sender=liar)
        last.tell("PropertiesChanged", "sa{sv}as", SESSION, {"SampleRate": dbus.Double(1)},
                  dbus.Array([], signature="s"), sender=liar, interface=PROPERTIES)
        liar.flush()
        # Asked and answered, so that its signals have been passed on before.
        liar.get_is_connected() and liar.list_names()
    elif word == "odd":
        last.tell("InterruptionBegan", "u", dbus.UInt32(1))
        last.tell("InterruptionEnded", "s", "x")
        last.tell("RouteChanged", "s", "x")
        last.tell("RouteChanged", "ua{sv}a{sv}", dbus.UInt32(99), wire({"outputs": 3}), wire({"outputs": "x"}))
        for name, value in {"SampleRate": "x", "InputGain": [], "CurrentRoute": 3, "OutputVolume": float("nan")}.items():
            last.change(name, value)
        manager.change("AvailableInputs", [{"type": 3}, {"id": 4.0}, {}])
        manager.change("AvailableOutputs", "none")
        deep = dbus.String("x")
        for _ in range(20):
            deep = dbus.Dictionary({"x": deep}, signature="sv")
        last.change_raw("OutputVolume", deep)
    else:
        return f"unknown command {word}"
    return "ok"


def change_raw(self, name, value):
    self.PropertiesChanged(self.interface, {name: value}, [])


Session.change_raw = change_raw


def command(source, condition):
    line = sys.stdin.readline()
    if not line:
        loop.quit()
        return False
    try:
        answer = obey(*line.split())
    except Exception as error:  # the test sees it and fails
        answer = f"error {error!r}"
    # What was sent lies in the bus before the answer.
    bus.flush()
    print(answer, flush=True)
    return True


bus.add_signal_receiver(owner_changed, "NameOwnerChanged", "org.freedesktop.DBus")
name = dbus.service.BusName(NAME, bus, do_not_queue=True)
GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, command)
print("ready", flush=True)
loop.run()
