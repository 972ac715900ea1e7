"""Applications whose sessions live random lives, each with a connection of its own to the bus. For Tests/bin/soak.

    sessions.py COUNT SEED

Each application opens a session, sets its category, activates and deactivates it, and closes it or just leaves the bus.
When the standard input ends, all leave the bus, and the program prints the numbers of calls answered, answered with an
error, and not answered, and of sessions opened.
"""

import random
import sys

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

NAME, ROOT = "org.AudioSession1", "/org/AudioSession1"
CATEGORIES = ["ambient", "solo-ambient", "playback", "record", "play-and-record"]
OPTIONS = {"playback": ["mix-with-others", "duck-others"], "play-and-record": ["mix-with-others", "default-to-speaker"]}
count, chance = int(sys.argv[1]), random.Random(int(sys.argv[2]))
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
answers = errors = lost = opened = 0
applications = []


class Application:
    def __init__(self):
        self.bus, self.path = dbus.SessionBus(private=True), None
        self.bus.set_exit_on_disconnect(False)
        self.later()

    def later(self):
        self.timer = GLib.timeout_add(chance.randrange(10, 400), self.step)

    def call(self, path, interface, method, signature, *arguments, then=None):
        def answered(*values):
            global answers
            answers += 1
            if then:
                then(*values)
            self.later()

        def failed(error):
            global answers, errors, lost
            # LimitsExceeded, for too many sessions at a time, is a proper answer, too.
            if error.get_dbus_name().startswith(NAME) or error.get_dbus_name().endswith(".LimitsExceeded"):
                answers, errors = answers + 1, errors + 1
            else:
                lost += 1
                print(error.get_dbus_name(), error.get_dbus_message(), file=sys.stderr, flush=True)
            self.later()

        self.bus.call_async(NAME, path, interface, method, signature, arguments, answered, failed, timeout=60)

    def session(self, method, signature, *arguments):
        self.call(self.path, NAME + ".Session", method, signature, *arguments)

    def take_path(self, path):
        global opened
        self.path, opened = path, opened + 1

    def step(self):
        if self.path is None:
            properties = {"display-name": dbus.String("soaked", variant_level=1)}
            self.call(ROOT, NAME + ".Manager", "OpenSession", "a{sv}", properties, then=self.take_path)
            return False
        what = chance.random()
        if what < 0.35:
            category = chance.choice(CATEGORIES)
            options = dbus.Array([name for name in OPTIONS.get(category, []) if chance.random() < 0.5], signature="s")
            self.session("SetCategory", "sass", category, options, "")
        elif what < 0.65:
            self.session("Activate", "as", dbus.Array([], signature="s"))
        elif what < 0.85:
            # Without this flag, interrupted applications would wait for their users, and there are none here.
            self.session("Deactivate", "as", dbus.Array(["notify-others"], signature="s"))
        elif what < 0.95:
            self.call(self.path, NAME + ".Session", "Close", "")
            self.path = None
        else:
            self.bus.close()
            applications.remove(self)
            applications.append(Application())
        return False


def leave(*_):
    for application in applications:
        GLib.source_remove(application.timer)
        application.bus.close()
    loop.quit()
    return False


applications = [Application() for _ in range(count)]
GLib.io_add_watch(sys.stdin, GLib.IO_HUP | GLib.IO_IN, leave)
loop = GLib.MainLoop()
loop.run()
print(answers, errors, lost, opened)
