/*
 * In place of parts of the Swift and C++ runtimes that a module in a sound server has no use for, and which are 800 KB
 * of its file. The linker sends the calls here (--wrap, see Package.swift) or finds here what it would search the library
 * for; so nothing calls the originals, and it leaves them out with their tables.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The names of all Unicode characters, for Unicode.Scalar.Properties.name: there is none. */
intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity)
{
    (void)scalar;
    (void)buffer;
    (void)capacity;
    return 0;
}

/*
 * The crash handler that SWIFT_BACKTRACE asks for, with the program that it starts: a sound server's signals are its own.
 * What the rest of the runtime looks for in it is here, so that the linker never takes it out of the library, nor what
 * would run at load to set it up. All zero: no backtraces.
 */
const uint32_t _swift_backtraceSettings[22];

bool _swift_backtrace_isThunkFunction(const char *name)
{
    (void)name;
    return false;
}

/* Readable names of C++ symbols, for what a program prints about an error that ends it: the symbols are printed as they
 * are. */
char *__wrap___cxa_demangle(const char *name, char *buffer, size_t *length, int *status)
{
    (void)name;
    (void)buffer;
    (void)length;
    if (status)
        *status = -2;
    return NULL;
}
