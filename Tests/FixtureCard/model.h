/* What a card is (never changes) and what has become of it (does). */
#ifndef FIXTURE_CARD_MODEL_H
#define FIXTURE_CARD_MODEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pipewire/pipewire.h>
#include <spa/monitor/device.h>
#include <spa/param/param.h>

enum { MOST_PORTS = 8, MOST_DEVICES = 4, MOST_PROFILES = 6, MOST_PROPERTIES = 8, CHANNELS = 2 };

/* A set of numbers up to 31. */
#define ONLY(number) (1u << (number))

struct property {
    const char *key, *value;
};

/* A plug, a speaker, a microphone: what PulseAudio calls a port and PipeWire a route. */
struct port_plan {
    /* What a test calls it. Unique among the cards that a test has at once. */
    const char *key;
    const char *name, *description, *type;
    enum spa_direction direction;
    uint32_t priority;
    enum spa_param_availability available;
    /* Numbers of the devices that reach it, and of the profiles that have it. */
    uint32_t devices, profiles;
    /* Of microphones: what they hear, in hertz. */
    double tone;
    struct property properties[MOST_PROPERTIES];
};

/* A sink or a source of the card. */
struct device_plan {
    /* The end of its node's name; the beginning is alsa_output or the like. */
    const char *prefix, *suffix, *description;
    enum spa_direction direction;
    struct property properties[MOST_PROPERTIES];
};

struct profile_plan {
    const char *name, *description;
    uint32_t priority, devices;
    /* Available only while this port is (by key); NULL for always. */
    const char *needs;
};

struct card_plan {
    const char *kind, *name, *description, *api;
    struct property properties[MOST_PROPERTIES];
    struct port_plan ports[MOST_PORTS];
    struct device_plan devices[MOST_DEVICES];
    struct profile_plan profiles[MOST_PROFILES];
    uint32_t port_count, device_count, profile_count;
};

/* The cards that there are; NULL for an unknown kind. */
const struct card_plan *find_plan(const char *kind);
void print_plans(FILE *file);

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
    void *inputs[CHANNELS];
    void *outputs[MOST_PORTS][CHANNELS];
    /* The port that is heard now, or -1; read once in each cycle. */
    _Atomic int heard;

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

/* outlets.c: where the sound comes out. */
void make_outlets(struct card *card);
void update_outlets(struct card *card);
bool is_linked(const struct card *card);
void watch_registry(struct card *card);

/* card.c: what happens to the card. */
enum spa_param_availability profile_available(const struct card *card, uint32_t profile);
void choose_ports(struct card *card, uint32_t devices);
void set_available(struct card *card, uint32_t port, enum spa_param_availability available);
void set_profile(struct card *card, uint32_t profile, bool saved);
void set_port(struct card *card, uint32_t device, uint32_t port, bool saved);
void appear(struct card *card);
void vanish(struct card *card);
int find_port(const struct card *card, const char *key);
int find_profile(const struct card *card, const char *name);

/* commands.c: what a test says. */
int serve(struct card *card, const char *path);

/* One line of the log, with the time on CLOCK_MONOTONIC in seconds. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
