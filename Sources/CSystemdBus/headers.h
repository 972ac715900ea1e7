/* sd-bus. Swift calls its functions directly; for each variadic function that is needed, sd-bus also has one with fixed
 * arguments. */
#include <systemd/sd-bus.h>
