/* The parts of the program fixture-card that are clients of the daemon. */
#ifndef FIXTURE_CARD_PROGRAM_H
#define FIXTURE_CARD_PROGRAM_H

#include <pipewire/pipewire.h>

#include "shared.h"

/* nodes.c: the card and its nodes, where this program has them. */
void nodes_init(struct pw_core *core);

/* outlets.c: where the sound comes out, whoever has the card. */
void make_outlets(struct pw_core *core, struct shared *shared, const struct card_plan *plan);

#endif
