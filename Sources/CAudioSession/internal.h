/* What the library's files share.
 *
 * One lock guards everything. The library's thread on the bus (bus.c) holds it whenever it does not wait; nothing that it
 * does while holding it can block. No callback of the application is called with it.
 */
#ifndef AUDIO_SESSION_INTERNAL_H
#define AUDIO_SESSION_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "audio_session.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>
#include <time.h>

#define AS_SERVICE "org.AudioSession1"
#define AS_MANAGER_PATH "/org/AudioSession1"
#define AS_MANAGER "org.AudioSession1.Manager"
#define AS_SESSION "org.AudioSession1.Session"
#define AS_PROPERTIES "org.freedesktop.DBus.Properties"
#define AS_BUS "org.freedesktop.DBus"

enum {
    /* The longest name of a port, in bytes, as the service limits it. */
    AS_TEXT = 256,
    /* Callbacks that wait; beyond that the oldest are dropped. */
    AS_EVENTS = 1024,
    /* The time between two attempts to reach the bus or the service, in ms: the first, and the largest. */
    AS_RETRY = 250,
    AS_RETRY_MAX = 5000,
};

/* MARK: Values (values.c, wire.c) */

struct AudioSessionValue *as_value_new(AudioSessionValueKind kind);
/* Adds an element, which is taken over, to an array, or with a key to a dictionary. False without memory, or for NULL. */
bool as_value_append(struct AudioSessionValue *value, const char *key, AudioSessionValueRef element);
bool as_value_equal(AudioSessionValueRef one, AudioSessionValueRef other);
/* The message's next value. NULL if it is too large, too deep, or there is none. */
AudioSessionValueRef as_message_value(sd_bus_message *message);
/* The result that stands for an error of the service. */
OSStatus as_error_status(const sd_bus_error *error);

/* MARK: Words (words.c) */

enum as_option { AS_MIX = 1, AS_DUCK = 2, AS_SPEAKER = 4, AS_BLUETOOTH = 8 };

/* The category that another one stands for; 0 for an unknown one. */
UInt32 as_category_known(UInt32 category);
/* The service's word; NULL for an unknown one. */
const char *as_category_word(UInt32 category);
const char *as_mode_word(UInt32 mode);
const char *as_option_word(enum as_option option);
/* What the service's word stands for; 0 for NULL and for a word that the library does not know. */
UInt32 as_category_of(const char *word);
UInt32 as_mode_of(const char *word);
bool as_category_takes(UInt32 category, enum as_option option);
/* The route's name in the phone's first interface. */
const char *as_route_name(AudioSessionValueRef description);

/* MARK: Properties (properties.c) */

enum as_kind { UINT32, FLOAT32, FLOAT64, VALUE };
enum as_source { KEPT, SERVICE, ENDING, NOWHERE };

struct as_property {
    AudioSessionPropertyID id;
    enum as_kind kind;
    bool is_read, is_set, is_listened;
    enum as_source source;
};

/* A property's value, by its kind. */
union as_datum {
    UInt32 number;
    Float32 fraction;
    Float64 real;
    AudioSessionValueRef value;
};

/* NULL for an unknown one. */
const struct as_property *as_property_known(AudioSessionPropertyID id);
UInt32 as_kind_size(enum as_kind kind);

/* MARK: State */

/* What the application has asked for. */
struct as_wanted {
    UInt32 category, mode, override_route;
    /* Of as_option. */
    UInt32 options;
    bool is_category_set, is_active, has_gain;
    Float64 rate, duration, gain;
    /* Ids of ports; empty for none. */
    char input[AS_TEXT + 1], output[AS_TEXT + 1];
};

/* The service's properties that the library reads. */
enum as_figure {
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
    AS_SESSION_FIGURES,
    AS_INPUTS = AS_SESSION_FIGURES,
    AS_OUTPUTS,
    AS_FIGURES,
};

enum { AS_LISTENED = 6 };

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
    union as_datum datum;
    /* Listeners with a larger serial came after the event. */
    uint64_t serial;
};

/* What a function of the application asks of the thread on the bus. */
struct as_request {
    struct as_request *next;
    unsigned references;
    bool is_done, is_abandoned;
    OSStatus result;
    /* What is set; 0 for activation, then the number is 1 for it, 0 for deactivation, 2 for that with notice. */
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
    /* Wakes the thread on the bus; is readable while events wait; the connection's. For the child of a fork. */
    int wake_fd, poll_fd, bus_fd;
    char *address;

    /* The connection, and where the session is. */
    enum as_state state;
    sd_bus *bus;
    /* The call that waits for its answer: the request, or the step of the opening. */
    sd_bus_slot *slot;
    struct as_request *sent;
    struct as_request *requests;
    int step;
    char *owner, *path;
    /* In ms of the monotonic clock; 0 for never: the next attempt; when the connection is given up. */
    uint64_t retry_at, deadline;
    unsigned retry_after;
    bool was_ready, is_told_alive, is_interrupted;
    /* The first opening: done, and how. */
    bool is_started;
    OSStatus start_result;

    struct as_wanted wanted;
    AudioSessionValueRef figures[AS_FIGURES];
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
};

/* MARK: The library (library.c) */

extern pthread_mutex_t as_lock;
/* Signalled when a request is done, an event waits, a callback has returned, or the session closes. */
extern pthread_cond_t as_changed;
extern struct as_session *as_current;

void as_retain(struct as_session *session);
void as_release(struct as_session *session);
void as_wake(int fd);
/* Hands a request over and waits for its result. Takes the lock, which is held, away meanwhile. */
OSStatus as_ask(struct as_session *session, const struct as_request *question);
/* Ends a request, and gives it back. */
void as_finish(struct as_request *request, OSStatus result);
uint64_t as_now(void);

/* MARK: Callbacks (delivery.c) */

void *as_delivery_run(void *session);
void as_post_interruption(struct as_session *session, UInt32 state, AudioSessionInterruptionType type);
/* Keeps the value itself. */
void as_post(struct as_session *session, AudioSessionPropertyID id, union as_datum datum);
void as_events_drop(struct as_session *session);
/* Whether this thread is inside a callback, and at the end of which interruption; 0 for none. */
bool as_is_inside(void);
AudioSessionInterruptionType as_ending(void);
/* Waits until no callback of the session runs on another thread. */
void as_delivery_settle(struct as_session *session);
/* For the child of a fork. */
void as_delivery_reset(void);

/* MARK: What the service says (figures.c) */

/* Reads a property's value; objects belong to the caller. */
OSStatus as_figures_get(struct as_session *session, const struct as_property *property, union as_datum *datum);
/* Takes over all that a dictionary of properties has. */
void as_figures_update(struct as_session *session, AudioSessionValueRef changes, bool of_manager);
void as_figure_set(struct as_session *session, enum as_figure figure, AudioSessionValueRef value);
/* Tells listeners what is different now. */
void as_figures_tell(struct as_session *session);
void as_figures_drop(struct as_session *session);
/* The route as applications see it. */
AudioSessionValueRef as_route_description(AudioSessionValueRef route);
/* The id of the USB port with a number; NULL if there is none. */
const char *as_port_id(struct as_session *session, bool is_input, Float64 number);

/* MARK: What the application wants (wishes.c) */

/* What the application wants after the request. Without the service, more has to be checked here. */
OSStatus as_wish(struct as_session *session, struct as_wanted *wanted, struct as_request *request);
/* The call that tells the service of a property, or with 0 of activation, in what is wanted; NULL without memory. */
sd_bus_message *as_wish_call(struct as_session *session, const struct as_wanted *wanted, AudioSessionPropertyID id,
                             bool notify_others);
/* R6: takes over what another library of the process has set: the changed properties, and the preferences as they were
 * told before. */
void as_wanted_follow(struct as_session *session, AudioSessionValueRef changes, AudioSessionValueRef former);
bool as_is_anything_wished(const struct as_wanted *wanted);
/* Whether a property is an option of the category. */
bool as_is_option(AudioSessionPropertyID id);
/* Whether a new session of the service has to be told of a property. */
bool as_is_wished(const struct as_wanted *wanted, AudioSessionPropertyID id);
sd_bus_message *as_call_new(struct as_session *session, const char *member);

/* MARK: On the bus (bus.c, opening.c, signals.c) */

void *as_bus_run(void *session);
/* Sends a call, whose answer goes to the handler. False if it could not be sent. */
bool as_send(struct as_session *session, sd_bus_message *message, sd_bus_message_handler_t handler);
/* Opens a session with the service, and sets all up that was asked for. */
void as_open(struct as_session *session);
/* The service is gone, or its session is. */
void as_lost(struct as_session *session);
/* The service did not answer. What it does later would be for nobody, so that the connection ends, and all with it. */
void as_hung(struct as_session *session);
/* Nothing was reached: try again later. */
void as_retry_later(struct as_session *session);
int as_signal(sd_bus_message *message, void *session, sd_bus_error *error);
void as_owner_changed(struct as_session *session, const char *owner);
void as_match(struct as_session *session, const char *member, const char *rule);
void as_match_session(struct as_session *session, const char *member);

#endif
