/*
 * Replaces the Swift runtime's crash handler for SWIFT_BACKTRACE, which would install signal handlers and start a
 * program: a sound server's signals are its own. The linker finds these symbols, which the rest of the runtime reads,
 * before it searches the library, so it takes neither the handler nor its load-time initializer out of it. All values
 * are zero: no backtraces.
 */
#include <stdbool.h>
#include <stdint.h>

const uint32_t _swift_backtraceSettings[22];

bool _swift_backtrace_isThunkFunction(const char *name)
{
    (void)name;
    return false;
}
