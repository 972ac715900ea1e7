'''callaudiod for tests, on the session bus: SelectMode changes AudioMode, and says so as the real one does.'''

BUS_NAME = 'org.mobian_project.CallAudio'
MAIN_OBJ = '/org/mobian_project/CallAudio'
MAIN_IFACE = 'org.mobian_project.CallAudio'
SYSTEM_BUS = False


def load(mock, parameters):
    mock.AddProperties(MAIN_IFACE, {'AudioMode': __import__('dbus').UInt32(parameters.get('mode', 0))})
    mock.AddMethods(MAIN_IFACE, [
        ('SelectMode', 'u', 'b', 'self.UpdateProperties("org.mobian_project.CallAudio", '
                                 '{"AudioMode": dbus.UInt32(args[0])}); ret = True'),
    ])
