/* What the plugs of a card and its driver have in common. Usually they are one process. When the session manager has the
 * card, the driver is a plugin in the session manager, the sinks and sources are in the daemon, and this is a file that
 * all of them have mapped; like real hardware, it outlives the session manager. */
#ifndef FIXTURE_CARD_SHARED_H
#define FIXTURE_CARD_SHARED_H

#include <stdatomic.h>

#include "plan.h"

struct shared_device {
    /* Its node in the daemon, or SPA_ID_INVALID; whether all its sound comes to the plugs. */
    _Atomic uint32_t node;
    _Atomic bool is_linked;
    /* What a microphone hears, in hertz; 0 for nothing. */
    _Atomic double tone;
    /* Of a sink: the port that its sound comes out of, or -1; since when (CLOCK_MONOTONIC, in nanoseconds), and which it
     * was before. */
    _Atomic int heard, heard_before;
    _Atomic uint64_t heard_since;
};

struct shared {
    /* What never changes. */
    char kind[32], instance[32], socket[128];
    uint32_t buffer_frames;
    bool lies;

    _Atomic bool present;
    _Atomic uint32_t available[MOST_PORTS];
    _Atomic uint32_t device;
    struct shared_device devices[MOST_DEVICES];
};

void shared_init(struct shared *shared, const struct card_plan *plan, const char *socket, const char *instance);
/* The names of the device, and of the object.path of the node of a device of the profile. */
void card_name(const struct shared *shared, const struct card_plan *plan, char *name, size_t size);
void node_path(const struct shared *shared, uint32_t number, char *path, size_t size);

/* One line of the log, with the time on CLOCK_MONOTONIC in seconds. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
