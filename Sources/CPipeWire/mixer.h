/* A mixer for one input port of a sink: the server's own mixer, with a gain before each link that changes with every sample.
 *
 * All functions are for the server's main loop, except the node's process(), which the data thread calls. */
#ifndef CPIPEWIRE_MIXER_H
#define CPIPEWIRE_MIXER_H

#include <stdbool.h>
#include <stdint.h>

#include <spa/node/node.h>

#include "CRamp.h"

/* A link: an input port of the mixer. */
enum { CPW_MAX_INPUTS = 512 };
struct cpw_mixer;

/* Puts a gain in front of each input of another mixer, which must outlive this one. The callback is called when gains have
 * lost their effect on some input. NULL if there is no memory. */
struct cpw_mixer *cpw_mixer_new(struct spa_node *inner, void (*changed)(void));
/* Only when the data thread no longer calls it. */
void cpw_mixer_free(struct cpw_mixer *mixer);
struct spa_node *cpw_mixer_node(struct cpw_mixer *mixer);
/* The inputs there are, in the order in which they were added. */
uint32_t cpw_mixer_inputs(const struct cpw_mixer *mixer, uint32_t *inputs, uint32_t max_inputs);
/* Whether the mixer has been replaced by another one. */
bool cpw_mixer_is_replaced(const struct cpw_mixer *mixer);
/* Whether a gain has an effect on an input: the inner mixer may take its buffers as they are. */
bool cpw_mixer_can_ramp(const struct cpw_mixer *mixer, uint32_t input);
/* Ramps an input's gain to a target in a number of frames, from the next cycle on; with 0 frames, the gain jumps. The ramp
 * begins at the present gain, or at silence for a link of which nothing is heard. Only the last target before a cycle counts. */
void cpw_mixer_ramp(struct cpw_mixer *mixer, uint32_t input, slider_position target, uint32_t frames, bool is_from_silence);

#endif
