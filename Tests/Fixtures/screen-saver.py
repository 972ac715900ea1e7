'''org.freedesktop.ScreenSaver for tests, on the session bus.'''

BUS_NAME = 'org.freedesktop.ScreenSaver'
MAIN_OBJ = '/org/freedesktop/ScreenSaver'
MAIN_IFACE = 'org.freedesktop.ScreenSaver'
SYSTEM_BUS = False


def load(mock, parameters):
    mock.is_active = bool(parameters.get('active', False))
    mock.AddMethods(MAIN_IFACE, [
        ('GetActive', '', 'b', 'ret = self.is_active'),
        ('SetActive', 'b', 'b', 'self.is_active = bool(args[0]); ret = True\n'
                                'self.EmitSignal("", "ActiveChanged", "b", [self.is_active])'),
    ])
