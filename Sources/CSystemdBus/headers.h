/* sd-bus, whose functions Swift calls as they are; those with a list of arguments have a twin without. */
#include <systemd/sd-bus.h>
