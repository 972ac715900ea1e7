/* What has become of a card. */
#ifndef FIXTURE_CARD_MODEL_H
#define FIXTURE_CARD_MODEL_H

#include <stdatomic.h>

#include <pipewire/pipewire.h>
#include <spa/monitor/device.h>

#include "plan.h"

enum { LONGEST_CYCLE = 8192, LONGEST_BUFFER = 48000 };

/* A device (in the sense of a profile) and its node, if the profile has it. */
struct device {
    struct card *card;
    uint32_t number;
    /* The port in use. */
    uint32_t port;
    bool saved;
    /* Of the device, not of the port: remembering them by port is the session manager's affair. */
    float volumes[CHANNELS];
    bool muted;

    /* Its node, or nothing. A sink is an object in the daemon, a source a stream of ours. */
    struct pw_proxy *sink;
    struct spa_hook sink_listener;
    struct pw_stream *source;
    struct spa_hook source_listener;
    uint32_t node;
    bool linked[CHANNELS];
    double phase;
    _Atomic double tone;
    /* Of a sink: where its sound goes in, and the port that it comes out of, or -1; since when (CLOCK_MONOTONIC, in
     * nanoseconds), and which it was before. */
    void *inputs[CHANNELS];
    _Atomic int heard, heard_before;
    _Atomic uint64_t heard_since;
    /* What the card itself holds, like the ring buffer of a real one: it comes out of the plug that is in use then. */
    uint32_t last_frames[CHANNELS];
    float buffer[CHANNELS][LONGEST_BUFFER + LONGEST_CYCLE];
};

/* A port in the registry that may have to be linked. */
struct known_port {
    uint32_t id, node;
    bool is_output;
    char name[64];
};

struct card {
    const struct card_plan *plan;
    const char *instance;
    struct pw_loop *loop;
    struct pw_core *core;
    struct pw_registry *registry;
    struct spa_hook registry_listener;

    bool present;
    uint32_t profile;
    bool profile_saved;
    enum spa_param_availability available[MOST_PORTS];
    struct device devices[MOST_DEVICES];

    /* The exported device. */
    struct spa_device object;
    struct spa_hook_list hooks;
    struct spa_device_info info;
    struct spa_param_info parameters[4];
    struct pw_proxy *exported;
    struct spa_hook exported_listener;
    uint32_t id;

    /* What comes out of the plugs: a filter with a pair of ports for each. */
    struct pw_filter *outlets;
    struct spa_hook outlets_listener;
    void *outputs[MOST_PORTS][CHANNELS];
    uint32_t buffer_frames;

    struct known_port *known;
    size_t known_count, known_room;

    struct spa_source *flapping;
    uint32_t flapping_port, flaps_left;
    int flapping_connection;
};

/* device.c: the device as others see it. */
enum parameter { ENUM_PROFILE, PROFILE, ENUM_ROUTE, ROUTE };
void export_device(struct card *card);
/* Tells that parameters are new. */
void changed(struct card *card, uint32_t parameters);

/* nodes.c: sinks and sources. */
void make_nodes(struct card *card);
void remove_nodes(struct card *card, uint32_t keep);
void apply_volumes(struct device *device);
/* Has the source of a microphone state another latency. False if the microphone is not in use. */
bool set_latency(struct card *card, uint32_t port, double milliseconds);

/* outlets.c: where the sound comes out. */
void make_outlets(struct card *card);
void update_outlets(struct card *card);
bool is_linked(const struct card *card);
/* The port that is heard now, or -1. */
int heard_port(const struct card *card);
void watch_registry(struct card *card);

/* card.c: what happens to the card. */
enum spa_param_availability profile_available(const struct card *card, uint32_t profile);
void choose_ports(struct card *card, uint32_t devices);
void set_available(struct card *card, uint32_t port, enum spa_param_availability available);
void set_profile(struct card *card, uint32_t profile, bool saved);
void set_port(struct card *card, uint32_t device, uint32_t port, bool saved);
void appear(struct card *card);
void vanish(struct card *card);

/* commands.c: what a test says. */
int serve(struct card *card, const char *path);

/* One line of the log, with the time on CLOCK_MONOTONIC in seconds. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
