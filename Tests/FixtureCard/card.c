/* What happens to a card: jacks, profiles, coming and going. */
#include <string.h>

#include "model.h"

enum spa_param_availability profile_available(const struct card *card, uint32_t profile) {
    return profile_availability(card->plan, card->available, profile);
}

void choose_ports(struct card *card, uint32_t devices) {
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        if ((devices & ONLY(number)) == 0) continue;
        card->devices[number].port = best_port(card->plan, card->available, number);
        card->devices[number].saved = false;
        note("port %s", card->plan->ports[card->devices[number].port].key);
    }
}

void set_available(struct card *card, uint32_t port, enum spa_param_availability available) {
    if (card->available[port] == available) return;
    card->available[port] = available;
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
    remove_nodes(card, new);
    make_nodes(card);
    update_outlets(card);
    changed(card, ONLY(PROFILE) | ONLY(ROUTE) | ONLY(ENUM_ROUTE));
}

void set_port(struct card *card, uint32_t number, uint32_t port, bool saved) {
    struct device *device = &card->devices[number];
    if (device->port == port && device->saved == saved) return;
    if (device->port != port) note("port %s", card->plan->ports[port].key);
    device->port = port;
    device->saved = saved;
    update_outlets(card);
    changed(card, ONLY(ROUTE));
}

void appear(struct card *card) {
    if (card->present) return;
    note("appear");
    card->present = true;
    /* The best profile, as the driver starts with; the session manager decides anew. */
    card->profile = 0;
    for (uint32_t profile = 1; profile < card->plan->profile_count; profile++)
        if (profile_available(card, profile) != SPA_PARAM_AVAILABILITY_no &&
            card->plan->profiles[profile].priority > card->plan->profiles[card->profile].priority)
            card->profile = profile;
    card->profile_saved = false;
    choose_ports(card, card->plan->profiles[card->profile].devices);
    update_outlets(card);
    /* The nodes are made when the device has got its number. */
    export_device(card);
}

void vanish(struct card *card) {
    if (!card->present) return;
    note("vanish");
    remove_nodes(card, 0);
    card->present = false;
    pw_proxy_destroy(card->exported);
    card->exported = NULL;
    card->id = SPA_ID_INVALID;
    update_outlets(card);
}
