// What PipeWire's own JSON reader sees in a configuration file, piece by piece.
#ifndef SPA_EVENTS_H
#define SPA_EVENTS_H

#include <stddef.h>

/// Takes one piece: '{' '}' '[' ']' without a text, 'k' for a key, 'v' for a value.
typedef void (*spa_events_take)(void *data, char kind, const char *text, size_t length);

/// Reads a file as libpipewire reads its configuration: braces round the whole may be missing.
/// Returns 0, or a negative number when something in it cannot be read.
int spa_events_read(const char *text, size_t size, spa_events_take take, void *data);

#endif
