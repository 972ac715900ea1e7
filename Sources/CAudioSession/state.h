/* The session of this process, its requests, and the lock that guards both.
 *
 * The library's files form layers, each of which calls only those above it in this list:
 *
 *   values.c, constants.c, wire.c,       values.h      no session
 *   words.c, errors.c, table.c
 *   state.c                              state.h       the lock, the clock, requests
 *   queue.c                              delivery.h    callbacks that wait
 *   published.c, wanted.c                service.h     values of the service, and values that the application wants
 *   session.c                            state.h       makes, shares and frees the session
 *   connection.c, opening.c, signals.c   connection.h  on the bus
 *   bus.c                                connection.h  the thread on the bus
 *   delivery.c                           delivery.h    callbacks that run
 *   properties.c, library.c                            the functions of the application
 *
 * One lock guards everything. The library's thread on the bus (bus.c) holds the lock whenever it does not wait, and does
 * nothing that blocks while it holds the lock. Callbacks of the application run without the lock.
 */
#ifndef AUDIO_SESSION_STATE_H
#define AUDIO_SESSION_STATE_H

#include "values.h"

#include <pthread.h>
#include <time.h>

enum {
    /* The longest name of a port, in bytes, as the service limits it. */
    AS_TEXT = 256,
    /* The number of callbacks that wait; beyond it, the oldest are dropped. */
    AS_EVENTS = 1024,
    /* The time between two attempts to reach the bus or the service, in ms: the first, and the largest. */
    AS_RETRY = 250,
    AS_RETRY_MAX = 5000,
};

/* MARK: State */

/* What the application has asked for. */
struct as_wanted {
    UInt32 category, mode, override_route;
    /* Bits of as_option. */
    UInt32 options;
    bool is_category_set, is_active, has_gain;
    /* Whether the loss of its output interrupts the session: 0 no, 1 yes, 2 not set. */
    UInt32 on_disconnect;
    Float64 rate, duration, gain;
    /* Ids of ports; empty for none. */
    char input[AS_TEXT + 1], output[AS_TEXT + 1];
};

/* The service's properties that the library reads. */
enum as_published {
    AS_SAMPLE_RATE,
    AS_BUFFER_DURATION,
    AS_INPUT_GAIN,
    AS_INPUT_GAIN_AVAILABLE,
    AS_OTHER_AUDIO,
    AS_ROUTE,
    AS_OUTPUT_VOLUME,
    AS_INPUT_LATENCY,
    AS_OUTPUT_LATENCY,
    AS_INPUT_CHANNELS,
    AS_OUTPUT_CHANNELS,
    AS_OVERRIDE,
    AS_PREFERENCES,
    AS_INTERRUPTED,
    /* The manager's properties begin here. */
    AS_OF_MANAGER,
    AS_INPUTS = AS_OF_MANAGER,
    AS_OUTPUTS,
    AS_PUBLISHED,
};

enum { AS_LISTENED = 10 };

struct as_listener {
    struct as_listener *next;
    AudioSessionPropertyID id;
    AudioSessionPropertyListener function;
    void *data;
    /* Later ones are larger. */
    uint64_t serial;
};

struct as_event {
    struct as_event *next;
    /* 0: an interruption. */
    AudioSessionPropertyID id;
    UInt32 state;
    AudioSessionInterruptionType type;
    /* The reason of an interruption that begins; the datum is the name of its cause. */
    UInt32 reason;
    union as_datum datum;
    /* Listeners with a larger serial came after the event. */
    uint64_t serial;
};

/* A request of an application's function to the thread on the bus. */
struct as_request {
    struct as_request *next;
    unsigned references;
    bool is_done, is_abandoned;
    OSStatus result;
    /* Why it failed; empty if that is not known. */
    char reason[AS_REASON + 1];
    /* The property that is set. 0 for activation: then the number is 1 to activate, 0 to deactivate, 2 to deactivate and notify
     * others. */
    AudioSessionPropertyID id;
    union as_datum datum;
    char port[AS_TEXT + 1];
};

enum as_state {
    /* No connection to the bus. */
    AS_DOWN,
    AS_CONNECTING,
    /* No service, or none that opens a session. */
    AS_ABSENT,
    AS_OPENING,
    AS_READY,
};

struct as_session {
    unsigned references;
    bool is_closing;
    pthread_t bus_thread, delivery_thread;
    /* Wakes the thread on the bus; is readable while events wait; the connection's descriptor, which the child of a fork closes. */
    int wake_fd, poll_fd, bus_fd;
    char *address;

    /* The connection, and how far the session is. */
    enum as_state state;
    sd_bus *bus;
    /* The call that waits for its answer: the request, or the step of the opening. */
    sd_bus_slot *slot;
    struct as_request *sent;
    struct as_request *requests;
    int step;
    char *owner, *path;
    /* When the next attempt comes, and when the connection is given up: in ms of the monotonic clock, 0 for never. */
    uint64_t retry_at, deadline;
    unsigned retry_after;
    bool was_ready, is_told_alive, is_interrupted;
    /* Whether the service must be told that the session does not mix any more, after the answer to the present request. */
    bool must_unmix;
    /* Whether the first opening is over, and its result. */
    bool is_started;
    OSStatus start_result;

    struct as_wanted wanted;
    AudioSessionValueRef published[AS_PUBLISHED];
    union as_datum told[AS_LISTENED];
    bool is_told[AS_LISTENED];

    /* Callbacks. */
    AudioSessionInterruptionListener interruption;
    void *interruption_data;
    struct as_listener *listeners;
    uint64_t serial;
    struct as_event *events;
    unsigned event_count;
    bool is_polled;
    /* The interruption of which the application has heard last; NULL before the first one. */
    UInt32 told_reason;
    AudioSessionValueRef told_by;
};

/* MARK: The lock, the clock, requests (state.c) */

extern pthread_mutex_t as_lock;
/* Signalled when a request is done, an event waits, a callback has returned, or the session closes. */
extern pthread_cond_t as_changed;
extern struct as_session *as_current;

void as_make_condition(void);
void as_wake(int fd);
uint64_t as_now(void);
/* Waits for a change; false if the time came first. */
bool as_wait_until(uint64_t time);
/* Hands a request over and waits for its result. Releases the held lock meanwhile. */
OSStatus as_ask(struct as_session *session, const struct as_request *question);
/* Ends a request, and releases it. */
void as_finish(struct as_request *request, OSStatus result);

/* MARK: Its life (session.c) */

/* NULL without memory, descriptors, or the address of a bus. */
struct as_session *as_create(AudioSessionInterruptionListener listener, void *data);
void as_retain(struct as_session *session);
void as_release(struct as_session *session);

#endif
