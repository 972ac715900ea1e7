/* Only names the library, so that its pkg-config flags reach the shims. */
#include <pulse/version.h>
