"""A peer that never stops asking: COUNT calls of the manager, RATE in a second, answers taken but not waited for, unless
500 are due: of more than 1,024 some are refused, and a busy machine does not answer at that rate.

    flood.py COUNT RATE METHOD

Prints how many were sent, answered and refused, and in what time.
"""

import sys
import time

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
from gi.repository import GLib

count, rate, method = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
connection = dbus.SessionBus().get_connection() if hasattr(dbus.SessionBus(), "get_connection") else dbus.SessionBus()
context = GLib.MainContext.default()
# What D-Bus takes for no time limit at all: a limit is a source of the main loop, and with thousands of them open, as on
# a busy machine, each turn of the loop would take longer than the calls it is there for.
unlimited = 0x7FFFFFFF / 1000
answers = {"method_return": 0, "error": 0}


def answered(message):
    answers["error" if isinstance(message, dbus.lowlevel.ErrorMessage) else "method_return"] += 1


start = time.monotonic()
for number in range(count):
    message = dbus.lowlevel.MethodCallMessage(
        "org.AudioSession1", "/org/AudioSession1", "org.AudioSession1.Manager", method)
    connection.send_message_with_reply(message, answered, timeout_s=unlimited)
    while time.monotonic() - start < number / rate:
        context.iteration(False)
    while number - sum(answers.values()) > 500:
        context.iteration(True)
    if number % 100 == 0:
        context.iteration(False)
sent = time.monotonic() - start
while answers["method_return"] + answers["error"] < count and time.monotonic() - start < sent + 60:
    context.iteration(True)
total = time.monotonic() - start
print(
    f"sent {count} in {sent:.2f} s, answered {answers['method_return']}, refused {answers['error']}, after {total:.2f} s",
    flush=True)
