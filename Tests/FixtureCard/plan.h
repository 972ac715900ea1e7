/* What a card is, whichever sound server has it. Never changes. */
#ifndef FIXTURE_CARD_PLAN_H
#define FIXTURE_CARD_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <spa/param/param.h>
#include <spa/utils/defs.h>

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

/* The number of a port or a profile, or -1. */
int find_port(const struct card_plan *plan, const char *key);
int find_profile(const struct card_plan *plan, const char *name);

/* The port that a device comes up with: of what may be available, what is known to be; then by priority; as a driver's
 * own choice is. */
uint32_t best_port(const struct card_plan *plan, const enum spa_param_availability *available, uint32_t device);
enum spa_param_availability profile_availability(
    const struct card_plan *plan, const enum spa_param_availability *available, uint32_t profile);
const char *availability_name(enum spa_param_availability value);

#endif
