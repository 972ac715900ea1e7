/*
 * Replacements for parts of the Swift and C++ runtimes that a module in a sound server does not need and that take
 * 800 KB of its file. The linker redirects calls to them (--wrap, see Package.swift), or finds these symbols before
 * it searches the library. Nothing calls the originals then, so the linker leaves them out together with their
 * tables.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns no name for any Unicode character (Unicode.Scalar.Properties.name). */
intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity)
{
    (void)scalar;
    (void)buffer;
    (void)capacity;
    return 0;
}

/*
 * Replaces the crash handler for SWIFT_BACKTRACE, which would install signal handlers and start a program: a sound
 * server's signals are its own. The symbols that the rest of the runtime reads from it are defined here, so the
 * linker takes neither the handler nor its load-time initializer out of the library. All values are zero: no
 * backtraces.
 */
const uint32_t _swift_backtraceSettings[22];

bool _swift_backtrace_isThunkFunction(const char *name)
{
    (void)name;
    return false;
}

/* Replaces the decoding of C++ symbol names in a program's last error message: the raw symbol is printed. */
char *__wrap___cxa_demangle(const char *name, char *buffer, size_t *length, int *status)
{
    (void)name;
    (void)buffer;
    (void)length;
    if (status)
        *status = -2;
    return NULL;
}
