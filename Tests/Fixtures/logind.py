'''logind for tests: python-dbusmock's, with a session that can be locked and a machine that can be put to sleep.

Parameters: "user" (number), "automatic" (whether GetSession("auto") finds the session, as since 2020; else only the
user's display does), "delay" (InhibitDelayMaxUSec), "sessions" (false for a machine without any).
'''

import dbus
from gi.repository import GLib

from dbusmock import MOCK_IFACE, mockobject
from dbusmock.templates import logind
from dbusmock.templates.logind import *  # its methods become ours

USER_IFACE = 'org.freedesktop.login1.User'
SESSION_IFACE = 'org.freedesktop.login1.Session'


def load(mock, parameters):
    logind.load(mock, parameters)
    mock.user = int(parameters.get('user', 0))
    mock.asleep = False
    mock.delay = int(parameters.get('delay', 5000000))
    mock.AddProperty(MAIN_IFACE, 'InhibitDelayMaxUSec', dbus.UInt64(mock.delay))
    code = ('name = "c1" if args[0] == "auto" and %r else args[0]\n'
            'ret = dbus.ObjectPath("/org/freedesktop/login1/session/" + name)\n'
            'if ret not in objects: raise dbus.exceptions.DBusException("No such session",'
            ' name="org.freedesktop.login1.NoSuchSession")' % parameters.get('automatic', True))
    mock.AddMethod(MAIN_IFACE, 'GetSession', 's', 'o', code)
    mock.AddMethod(MAIN_IFACE, 'GetUser', 'u', 'o',
                   'ret = dbus.ObjectPath("/org/freedesktop/login1/user/%d" % args[0])')
    if parameters.get('sessions', True):
        mock.BeginSession('c1')


@dbus.service.method(MOCK_IFACE, in_signature='s', out_signature='')
def BeginSession(self, name):
    '''Somebody logs in.'''
    path = self.AddSession(name, 'seat0', self.user, 'test', True)
    user = mockobject.objects['/org/freedesktop/login1/user/%d' % self.user]
    user.props[USER_IFACE]['Display'] = dbus.Struct((name, dbus.ObjectPath(path)), signature='so')
    self.EmitSignal(MAIN_IFACE, 'SessionNew', 'so', [name, dbus.ObjectPath(path)])


@dbus.service.method(MOCK_IFACE, in_signature='s', out_signature='')
def EndSession(self, name):
    '''Somebody logs out.'''
    path = '/org/freedesktop/login1/session/' + name
    user = mockobject.objects['/org/freedesktop/login1/user/%d' % self.user]
    user.props[USER_IFACE]['Display'] = dbus.Struct(('', dbus.ObjectPath('/')), signature='so')
    self.RemoveObject(path)
    self.EmitSignal(MAIN_IFACE, 'SessionRemoved', 'so', [name, dbus.ObjectPath(path)])


@dbus.service.method(MOCK_IFACE, in_signature='sb', out_signature='')
def SetLocked(_, name, locked):
    '''What a lock screen tells logind.'''
    session = mockobject.objects['/org/freedesktop/login1/session/' + name]
    session.UpdateProperties(SESSION_IFACE, {'LockedHint': dbus.Boolean(locked, variant_level=1)})


@dbus.service.method(MOCK_IFACE, in_signature='', out_signature='')
def Sleep(self):
    '''The lid is closed: asleep as soon as nobody holds it up, or when they may not any longer.'''
    self.props[MAIN_IFACE]['PreparingForSleep'] = dbus.Boolean(True, variant_level=1)
    self.EmitSignal(MAIN_IFACE, 'PrepareForSleep', 'b', [True])
    deadline = GLib.get_monotonic_time() + self.delay

    def look():
        held = [i for i in getattr(mockobject, 'inhibitors', []) if 'sleep' in i[0] and i[3] == 'delay']
        self.asleep = not held or GLib.get_monotonic_time() >= deadline
        return not self.asleep

    GLib.timeout_add(5, look)


@dbus.service.method(MOCK_IFACE, in_signature='', out_signature='')
def Wake(self):
    '''The lid is opened.'''
    self.asleep = False
    self.props[MAIN_IFACE]['PreparingForSleep'] = dbus.Boolean(False, variant_level=1)
    self.EmitSignal(MAIN_IFACE, 'PrepareForSleep', 'b', [False])


@dbus.service.method(MOCK_IFACE, in_signature='', out_signature='b')
def IsAsleep(self):
    return self.asleep
