/* A fixture card in PulseAudio: what has become of it. What it is, is in ../FixtureCard/plan.h. */
#ifndef PULSE_CARD_FIXTURE_H
#define PULSE_CARD_FIXTURE_H

#include <config.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <pulse/timeval.h>
#include <pulsecore/core.h>
#include <pulsecore/card.h>
#include <pulsecore/device-port.h>
#include <pulsecore/module.h>
#include <pulsecore/rtpoll.h>
#include <pulsecore/sink.h>
#include <pulsecore/source.h>
#include <pulsecore/thread-mq.h>
#include <pulsecore/thread.h>

#include "../FixtureCard/plan.h"

enum { RATE = 48000, FRAME_SIZE = CHANNELS * sizeof(float) };
/* The most that a sink renders ahead, as a card with timer-based scheduling does. */
#define LONGEST_LATENCY (2 * PA_USEC_PER_SEC)
#define SHORTEST_LATENCY (5 * PA_USEC_PER_MSEC)
/* Frames: a power of two above what is rendered ahead and what the card may hold. */
enum { RING = 1 << 18, MOST_HELD = RATE };
/* Milliseconds. */
enum { LONGEST_LAG = 100 };

/* A sink or a source of the card, if the profile has it. Those of one card share a thread. */
struct device {
    struct fixture *fixture;
    uint32_t number;
    pa_sink *sink;
    pa_source *source;

    /* The rest under the lock. The port in use; of a sink, what comes out of it is heard. */
    uint32_t port;
    /* Whether time passes for it. */
    bool is_open;
    /* How far ahead it is to be rendered. */
    pa_usec_t latency;
    /* Of a sink: the frames from `since` to `rendered` are there, of which the last RING are kept. Of a source: the
     * frames up to `rendered` have been recorded. */
    uint64_t since, rendered;
    float (*ring)[CHANNELS];
    double phase;
};

/* A test's recording of what comes out of a port. */
struct recording {
    struct recording *next;
    uint32_t port;
    int descriptor;
};

struct fixture {
    pa_core *core;
    pa_module *module;
    const struct card_plan *plan;
    char *instance;
    /* Frames that cannot be taken back any more: they come out of the plug that is in use when they come out. */
    uint32_t held;
    /* Milliseconds by which the thread is late. */
    uint32_t lag;
    /* Milliseconds by which modules hear late that a stream was started. */
    uint32_t delay;

    /* The main thread's. NULL when it is not there. */
    pa_card *card;
    enum spa_param_availability available[MOST_PORTS];
    struct server *server;

    pa_thread *thread;
    pa_thread_mq queues;
    pa_rtpoll *poll;
    /* Recursive, as the daemon calls back. Held for a moment only, and never while the other thread is waited for. */
    pthread_mutex_t lock;
    struct device devices[MOST_DEVICES];
    struct recording *recordings;
    /* Frame 0, and what has come out of the plugs. */
    pa_usec_t epoch;
    uint64_t played;
};

/* card.c: the card, its profiles and its ports. */
void appear(struct fixture *fixture);
void vanish(struct fixture *fixture);
void set_available(struct fixture *fixture, uint32_t port, enum spa_param_availability available);
/* As its user's choice. */
int choose_profile(struct fixture *fixture, uint32_t profile);
/* The number of the profile in use. */
uint32_t current_profile(const pa_card *card);
/* In PulseAudio's words, which has the same names with other punctuation. */
char *pulse_word(const char *text);

/* devices.c: sinks and sources. */
void make_sink(struct device *device);
void make_source(struct device *device);
void remove_device(struct device *device);

/* sound.c: the time that passes for them. */
bool start_sound(struct fixture *fixture);
void stop_sound(struct fixture *fixture);
void open_device(struct device *device);
void close_device(struct device *device);
void use_port(struct device *device, uint32_t port);
/* How much a sink is ahead, or a source behind. */
int64_t device_latency(struct device *device);
/* From now on; false where there is no such file. */
bool record(struct fixture *fixture, uint32_t port, const char *path);

/* commands.c: what a test says. */
bool start_server(struct fixture *fixture, const char *path);
void stop_server(struct fixture *fixture);

/* One line of the daemon's log, with the time on CLOCK_MONOTONIC in seconds. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
