/* Names the library, so that its pkg-config flags reach the shims, and has what the example of a player needs. */
#include <pulse/error.h>
#include <pulse/simple.h>
#include <pulse/version.h>
