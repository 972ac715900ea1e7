/* A sound card that does not exist, in place of PipeWire's plugin for ALSA. The session manager loads it and finds cards
 * through it, with its own rules for ALSA; it has the card, and the daemon has the nodes. The card itself is that of
 * ../FixtureCard: its driver is part of this plugin, and its plugs belong to the program there. */
#ifndef MANAGER_CARD_PLUGIN_H
#define MANAGER_CARD_PLUGIN_H

#include <spa/support/plugin.h>
#include <spa/utils/dict.h>

#include "../FixtureCard/shared.h"

/* Of the devices and nodes: the file of the card, and the number of the device of the profile. */
#define KEY_CARD "fixture.card"
#define KEY_NUMBER "fixture.number"

/* cards.c: for the session manager. nodes.c: for the daemon. */
extern const struct spa_handle_factory monitor_factory, device_factory, sink_factory, source_factory;

/* The state of a card; NULL if there is none. */
struct shared *map_card(const char *path);
void unmap_card(struct shared *shared);

#endif
