/* The gain of one link over time. Everything here runs on the sound server's data thread: no lock, no allocation, no
 * system call, no loop longer than the frames of a cycle. */
#ifndef CPIPEWIRE_GLIDE_H
#define CPIPEWIRE_GLIDE_H

#include <stdbool.h>
#include <stdint.h>

/* The position of a volume slider, whose third power is the gain, as everywhere on the desktop: equal ways on it sound
 * equally long. From 0 to 1. */
typedef float cpw_slider;

/* Ways that may be under way at the same time. One more waits until the oldest is over. */
enum { CPW_MAX_WAYS = 8 };

/* A way from wherever the gain is to a target, in a number of frames. It begins and ends at rest: the position, its
 * speed and its acceleration have no jump, also where another way had not yet ended. */
struct cpw_way {
    cpw_slider target;
    uint32_t length;
    uint32_t passed;
};

struct cpw_glide {
    /* Where it was before the oldest of the ways. */
    cpw_slider begin;
    uint32_t count;
    struct cpw_way ways[CPW_MAX_WAYS];
};

void cpw_glide_init(struct cpw_glide *glide, cpw_slider slider);
/* Begins a way to a target; with a length of 0 frames, it is there at once. Returns false if it has to wait. */
bool cpw_glide_begin(struct cpw_glide *glide, cpw_slider target, uint32_t length);
/* Where it will be when all ways are over. */
cpw_slider cpw_glide_target(const struct cpw_glide *glide);
/* Where it is now. */
cpw_slider cpw_glide_slider(const struct cpw_glide *glide);
/* Whether it is at rest at full level, so that the sound needs no work. */
static inline bool cpw_glide_is_idle(const struct cpw_glide *glide) { return glide->count == 0 && glide->begin == 1; }
/* Multiplies samples by the gain, and goes on by as many frames. */
void cpw_glide_apply(struct cpw_glide *glide, const float *from, float *to, uint32_t frames);
/* While nothing arrives, nothing is heard: a gain that falls is there at once, and one that rises waits. */
void cpw_glide_skip(struct cpw_glide *glide);

#endif
