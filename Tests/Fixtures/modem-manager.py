'''ModemManager for tests: modems with voice, and calls that come in, are accepted, rejected and end.

As the real one, it says that a call's object is gone some time after it says that the call is over.
'''

import dbus

from dbusmock import MOCK_IFACE, OBJECT_MANAGER_IFACE, mockobject

BUS_NAME = 'org.freedesktop.ModemManager1'
MAIN_OBJ = '/org/freedesktop/ModemManager1'
MAIN_IFACE = 'org.freedesktop.ModemManager1'
SYSTEM_BUS = True
IS_OBJECT_MANAGER = True

VOICE_IFACE = 'org.freedesktop.ModemManager1.Modem.Voice'
CALL_IFACE = 'org.freedesktop.ModemManager1.Call'
STATES = {'unknown': 0, 'dialing': 1, 'ringing-out': 2, 'ringing-in': 3, 'active': 4, 'held': 5, 'waiting': 6,
          'terminated': 7}
DIRECTIONS = {'unknown': 0, 'incoming': 1, 'outgoing': 2}


def load(mock, parameters):
    mock.call_count = 0
    # A modem's calls are no objects of the manager.
    mock.AddMethod(OBJECT_MANAGER_IFACE, 'GetManagedObjects', '', 'a{oa{sa{sv}}}',
                   'ret = {dbus.ObjectPath(k): objects[k].props for k in objects.keys() if "/Modem/" in k}')
    for number in range(int(parameters.get('modems', 1))):
        mock.AddModem(str(number))


@dbus.service.method(MOCK_IFACE, in_signature='s', out_signature='')
def AddModem(self, number):
    '''A modem is plugged in.'''
    path = MAIN_OBJ + '/Modem/' + number
    self.AddObject(path, VOICE_IFACE, {'Calls': dbus.Array([], signature='o'), 'EmergencyOnly': False},
                   [('ListCalls', '', 'ao', 'ret = self.props["%s"]["Calls"]' % VOICE_IFACE)])
    self.EmitSignal(OBJECT_MANAGER_IFACE, 'InterfacesAdded', 'oa{sa{sv}}',
                    [dbus.ObjectPath(path), mockobject.objects[path].props])


@dbus.service.method(MOCK_IFACE, in_signature='s', out_signature='')
def RemoveModem(self, number):
    '''A modem is pulled out; nobody says what becomes of its calls.'''
    path = MAIN_OBJ + '/Modem/' + number
    for call in list(mockobject.objects[path].props[VOICE_IFACE]['Calls']):
        self.RemoveObject(call)
    self.RemoveObject(path)
    self.EmitSignal(OBJECT_MANAGER_IFACE, 'InterfacesRemoved', 'oas',
                    [dbus.ObjectPath(path), ['org.freedesktop.ModemManager1.Modem', VOICE_IFACE]])


@dbus.service.method(MOCK_IFACE, in_signature='ssss', out_signature='s')
def AddCall(self, modem, direction, number, state):
    '''A call begins; returns its path.'''
    modem = mockobject.objects[MAIN_OBJ + '/Modem/' + modem]
    path = MAIN_OBJ + '/Call/%d' % self.call_count
    self.call_count += 1
    self.AddObject(path, CALL_IFACE, {'State': dbus.Int32(STATES[state], variant_level=1),
                                      'StateReason': dbus.Int32(0),
                                      'Direction': dbus.Int32(DIRECTIONS[direction]), 'Number': number}, [])
    modem.props[VOICE_IFACE]['Calls'].append(dbus.ObjectPath(path))
    modem.EmitSignal(VOICE_IFACE, 'CallAdded', 'o', [dbus.ObjectPath(path)])
    return path


@dbus.service.method(MOCK_IFACE, in_signature='ss', out_signature='')
def SetCallState(_, path, state):
    '''A call goes on: ringing-in, active, held, terminated.'''
    call = mockobject.objects[path]
    old = call.props[CALL_IFACE]['State']
    call.props[CALL_IFACE]['State'] = dbus.Int32(STATES[state], variant_level=1)
    call.EmitSignal(CALL_IFACE, 'StateChanged', 'iiu', [old, STATES[state], 0])


@dbus.service.method(MOCK_IFACE, in_signature='s', out_signature='')
def DeleteCall(self, path):
    '''A call's object goes.'''
    for name, modem in list(mockobject.objects.items()):
        if '/Modem/' in name and path in modem.props[VOICE_IFACE]['Calls']:
            modem.props[VOICE_IFACE]['Calls'].remove(path)
            modem.EmitSignal(VOICE_IFACE, 'CallDeleted', 'o', [dbus.ObjectPath(path)])
    self.RemoveObject(path)
