/* PipeWire's headers for Swift, and thin shims for what Swift cannot call: macros, inline functions, variadics.
 * Nothing here decides anything. */
#ifndef CPIPEWIRE_H
#define CPIPEWIRE_H

#include <pipewire/impl.h>

#endif
