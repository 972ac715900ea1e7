/* What has become of a card, and how others see it: its driver. It is part of the program fixture-card, or of the plugin
 * that the session manager loads (../ManagerCard). */
#ifndef FIXTURE_CARD_MODEL_H
#define FIXTURE_CARD_MODEL_H

#include <spa/monitor/device.h>
#include <spa/support/loop.h>

#include "shared.h"

/* A device (in the sense of a profile). */
struct device {
    struct card *card;
    uint32_t number;
    /* The port in use. */
    uint32_t port;
    bool saved;
    /* Of the device, not of the port: remembering them by port is the session manager's affair. */
    float volumes[CHANNELS];
    bool muted;
};

struct card {
    const struct card_plan *plan;
    struct shared *shared;
    struct spa_loop_utils *loop;

    uint32_t profile;
    bool profile_saved;
    struct device devices[MOST_DEVICES];

    /* The device, as an object that others can have. */
    struct spa_device object;
    struct spa_hook_list hooks;
    struct spa_device_info info;
    struct spa_param_info parameters[4];

    struct spa_source *listening;
    struct connection *connections;
    struct spa_source *flapping;
    uint32_t flapping_port, flaps_left;
    int flapping_connection;
};

/* card.c: what happens to the card. The first one is for a card whose plan and shared state are known. */
void card_init(struct card *card);
enum spa_param_availability profile_available(const struct card *card, uint32_t profile);
void choose_ports(struct card *card, uint32_t devices);
void set_available(struct card *card, uint32_t port, enum spa_param_availability available);
void set_profile(struct card *card, uint32_t profile, bool saved);
void set_port(struct card *card, uint32_t device, uint32_t port, bool saved);
void appear(struct card *card);
void vanish(struct card *card);
bool is_linked(const struct card *card);
/* The port that is heard now, or -1. */
int heard_port(const struct card *card);

/* device.c: the device as others see it. */
enum parameter { ENUM_PROFILE, PROFILE, ENUM_ROUTE, ROUTE };
struct description {
    struct spa_dict_item items[12 + MOST_PROPERTIES];
    struct spa_dict dictionary;
    char name[128];
};
void describe(const struct card *card, struct description *description);
void device_init(struct card *card);
/* Tells that parameters are new. */
void changed(struct card *card, uint32_t parameters);

/* commands.c: what a test says. */
int serve(struct card *card);
void stop_serving(struct card *card);

/* In the program and in the plugin, each in its own way: the card and its nodes come and go. */
void show_card(struct card *card);
void hide_card(struct card *card);
void make_nodes(struct card *card);
void remove_nodes(struct card *card, uint32_t keep);
/* Tells a new listener which nodes there are. */
void tell_nodes(struct card *card);
/* Properties of the device that only this way needs. */
uint32_t describe_more(const struct card *card, struct spa_dict_item *items);
void apply_volumes(struct device *device);
/* Has the source of a microphone state another latency. False if the microphone is not in use. */
bool set_latency(struct card *card, uint32_t port, double milliseconds);

#endif
