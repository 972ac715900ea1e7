#!/usr/bin/python3
'''A media player without sound, that does what a test needs one to do.

    player.py NAME [BEHAVIOUR…]

NAME follows org.mpris.MediaPlayer2. on the session bus. It begins playing. BEHAVIOURs:
    lies      answers to Pause, and goes on playing
    hangs     does not answer to Pause, until Wake is called on the interface org.test.Player
    fails     answers to Pause with an error
    late      pauses after its answer, when Wake is called
    silent    does not announce what it does
    vague     announces that its status has changed, but not to what
    fixed     says that it cannot be paused
    broken    has a status that there is none of
    unready   fails to say its status when it is asked for the first time
On org.test.Player: Do(status) is what the user does, Calls() lists what was called, Wake() ends hanging and being late.
'''

import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

PLAYER = 'org.mpris.MediaPlayer2.Player'
TEST = 'org.test.Player'


class Player(dbus.service.Object):
    def __init__(self, bus, behaviours):
        super().__init__(bus, '/org/mpris/MediaPlayer2')
        self.behaviours = behaviours
        self.status = 'Dancing' if 'broken' in behaviours else 'Playing'
        self.calls = []
        self.held = []

    def become(self, status):
        if status == self.status:
            return
        self.status = status
        if 'vague' in self.behaviours:
            self.PropertiesChanged(PLAYER, dbus.Dictionary({}, signature='sv'), ['PlaybackStatus'])
        elif 'silent' not in self.behaviours:
            self.PropertiesChanged(PLAYER, {'PlaybackStatus': status}, dbus.Array([], signature='s'))

    @dbus.service.method(PLAYER, async_callbacks=('answer', 'fail'))
    def Pause(self, answer, fail):
        self.calls.append('Pause')
        if 'hangs' in self.behaviours:
            self.held.append(answer)
            return
        if 'fails' in self.behaviours:
            fail(dbus.DBusException('not now', name='org.test.Error.NotNow'))
            return
        if not {'lies', 'late'} & set(self.behaviours) and self.status == 'Playing':
            self.become('Paused')
        answer()

    @dbus.service.method(PLAYER)
    def Play(self):
        self.calls.append('Play')
        self.become('Playing')

    @dbus.service.method(PLAYER)
    def PlayPause(self):
        self.calls.append('PlayPause')
        self.become('Paused' if self.status == 'Playing' else 'Playing')

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature='ss', out_signature='v')
    def Get(self, interface, name):
        if interface == PLAYER and name == 'PlaybackStatus':
            if 'unready' in self.behaviours:
                self.behaviours.remove('unready')
                raise dbus.DBusException('not there yet', name='org.freedesktop.DBus.Error.UnknownObject')
            return self.status
        if interface == PLAYER and name == 'CanPause':
            return 'fixed' not in self.behaviours
        raise dbus.DBusException('no such property', name='org.freedesktop.DBus.Error.UnknownProperty')

    @dbus.service.signal(dbus.PROPERTIES_IFACE, signature='sa{sv}as')
    def PropertiesChanged(self, interface, changed, invalidated):
        pass

    @dbus.service.method(TEST, in_signature='s')
    def Do(self, status):
        self.become(status)

    @dbus.service.method(TEST, out_signature='s')
    def Calls(self):
        return ' '.join(self.calls)

    @dbus.service.method(TEST)
    def Wake(self):
        self.become('Paused')
        for answer in self.held:
            answer()
        self.held = []


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
session = dbus.SessionBus()
name = dbus.service.BusName('org.mpris.MediaPlayer2.' + sys.argv[1], session, do_not_queue=True)
player = Player(session, sys.argv[2:])
GLib.MainLoop().run()
