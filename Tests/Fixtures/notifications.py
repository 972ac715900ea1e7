'''org.freedesktop.Notifications for tests: keeps what it is shown, and says it as text, a line for each that is there.'''

BUS_NAME = 'org.freedesktop.Notifications'
MAIN_OBJ = '/org/freedesktop/Notifications'
MAIN_IFACE = 'org.freedesktop.Notifications'
SYSTEM_BUS = False


def load(mock, parameters):
    mock.notes = {}
    mock.last = 0
    mock.AddMethods(MAIN_IFACE, [
        ('Notify', 'susssasa{sv}i', 'u',
         'self.last += 0 if args[1] in self.notes else 1\n'
         'ret = args[1] if args[1] in self.notes else self.last\n'
         'self.notes[ret] = "%s: %s" % (args[3], args[4])'),
        ('CloseNotification', 'u', '', 'self.notes.pop(args[0], None)'),
        ('Shown', '', 's', 'ret = " | ".join(text for _, text in sorted(self.notes.items()))'),
    ])
