/* What happens to a card: jacks, profiles, coming and going. */
#include <string.h>
#include <time.h>

#include "model.h"

static void read_available(const struct card *card, enum spa_param_availability *available) {
    for (uint32_t port = 0; port < card->plan->port_count; port++) available[port] = card->shared->available[port];
}

enum spa_param_availability profile_available(const struct card *card, uint32_t profile) {
    enum spa_param_availability available[MOST_PORTS];
    read_available(card, available);
    return profile_availability(card->plan, available, profile);
}

void card_init(struct card *card) {
    card->profile = 0;
    card->flapping_connection = -1;
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        struct device *device = &card->devices[number];
        device->card = card;
        device->number = number;
        /* As somebody may have left a mixer: what the session manager sets first is a change, of which the card tells.
         * WirePlumber 0.5 counts on that: a port of which it hears for the first time it sets again. */
        for (int channel = 0; channel < CHANNELS; channel++) device->volumes[channel] = 0.75f;
    }
    device_init(card);
}

/* Has the sound come out of the plugs in use, and the microphones in use hear something. */
static void update_plugs(struct card *card) {
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        const struct device *device = &card->devices[number];
        struct shared_device *shared = &card->shared->devices[number];
        const struct port_plan *port = &card->plan->ports[device->port];
        bool is_active = card->shared->present && (card->plan->profiles[card->profile].devices & ONLY(number)) != 0;
        shared->tone = is_active && port->direction == SPA_DIRECTION_INPUT ? port->tone : 0;
        int heard = is_active && port->direction == SPA_DIRECTION_OUTPUT ? (int)device->port : -1;
        if (heard == shared->heard) continue;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        shared->heard_before = shared->heard;
        shared->heard_since = SPA_TIMESPEC_TO_NSEC(&now);
        shared->heard = heard;
    }
}

bool is_linked(const struct card *card) {
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        const struct shared_device *device = &card->shared->devices[number];
        if ((card->plan->profiles[card->profile].devices & ONLY(number)) == 0) continue;
        if (device->node == SPA_ID_INVALID) return false;
        if (card->plan->devices[number].direction == SPA_DIRECTION_OUTPUT && !device->is_linked) return false;
    }
    return true;
}

int heard_port(const struct card *card) {
    for (uint32_t number = 0; number < card->plan->device_count; number++)
        if (card->shared->devices[number].heard >= 0) return card->shared->devices[number].heard;
    return -1;
}

/* Its nodes are as good as gone. */
static void forget_nodes(struct card *card, uint32_t keep) {
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        if ((keep & ONLY(number)) != 0) continue;
        card->shared->devices[number].node = SPA_ID_INVALID;
        card->shared->devices[number].is_linked = false;
    }
}

void choose_ports(struct card *card, uint32_t devices) {
    enum spa_param_availability available[MOST_PORTS];
    read_available(card, available);
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        if ((devices & ONLY(number)) == 0) continue;
        card->devices[number].port = best_port(card->plan, available, number);
        card->devices[number].saved = false;
        note("port %s", card->plan->ports[card->devices[number].port].key);
    }
}

void set_available(struct card *card, uint32_t port, enum spa_param_availability available) {
    if (card->shared->available[port] == available) return;
    card->shared->available[port] = available;
    note("available %s %s", card->plan->ports[port].key, available == SPA_PARAM_AVAILABILITY_no ? "no" : "yes");
    uint32_t parameters = ONLY(ENUM_ROUTE) | ONLY(ROUTE);
    for (uint32_t profile = 0; profile < card->plan->profile_count; profile++) {
        const char *needs = card->plan->profiles[profile].needs;
        if (needs != NULL && strcmp(needs, card->plan->ports[port].key) == 0)
            parameters |= ONLY(ENUM_PROFILE) | ONLY(PROFILE);
    }
    changed(card, parameters);
}

void set_profile(struct card *card, uint32_t profile, bool saved) {
    card->profile_saved = saved;
    if (card->profile == profile) return;
    uint32_t old = card->plan->profiles[card->profile].devices, new = card->plan->profiles[profile].devices;
    note("profile %s", card->plan->profiles[profile].name);
    card->profile = profile;
    choose_ports(card, new & ~old);
    forget_nodes(card, new);
    remove_nodes(card, new);
    make_nodes(card);
    update_plugs(card);
    changed(card, ONLY(PROFILE) | ONLY(ROUTE) | ONLY(ENUM_ROUTE));
}

void set_port(struct card *card, uint32_t number, uint32_t port, bool saved) {
    struct device *device = &card->devices[number];
    if (device->port == port && device->saved == saved) return;
    if (device->port != port) note("port %s", card->plan->ports[port].key);
    device->port = port;
    device->saved = saved;
    update_plugs(card);
    changed(card, ONLY(ROUTE));
}

void appear(struct card *card) {
    note("appear");
    card->shared->present = true;
    /* The best profile, as the driver starts with; the session manager decides anew. */
    card->profile = 0;
    for (uint32_t profile = 1; profile < card->plan->profile_count; profile++)
        if (profile_available(card, profile) != SPA_PARAM_AVAILABILITY_no &&
            card->plan->profiles[profile].priority > card->plan->profiles[card->profile].priority)
            card->profile = profile;
    card->profile_saved = false;
    choose_ports(card, card->plan->profiles[card->profile].devices);
    update_plugs(card);
    /* The nodes are made when the device has got its number. */
    show_card(card);
}

void vanish(struct card *card) {
    if (!card->shared->present) return;
    note("vanish");
    forget_nodes(card, 0);
    remove_nodes(card, 0);
    card->shared->present = false;
    hide_card(card);
    card->shared->device = SPA_ID_INVALID;
    update_plugs(card);
}
