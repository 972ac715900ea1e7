/* The gain of one link or stream over time. Everything here runs on the sound server's data thread: no lock, no allocation, no
 * system call, no loop longer than the frames of a cycle. */
#ifndef CGLIDE_H
#define CGLIDE_H

#include <stdbool.h>
#include <stdint.h>

/* The position of a volume slider, whose third power is the gain, as everywhere on the desktop: equal ways on it sound
 * equally long. From 0 to 1. */
typedef float glide_position;

/* Ways that are known at the same time. One more waits until the oldest is over. */
enum { GLIDE_MAX_WAYS = 8 };

/* A way from wherever the gain is to a target, in a number of frames. It begins and ends at rest: the position, its
 * speed and its acceleration have no jump, also where another way had not yet ended. */
struct glide_way {
    glide_position target;
    uint32_t length;
    /* The frames since its begin; negative where the server has gone back to before it. */
    int64_t passed;
};

struct glide {
    /* Where it was before the oldest of the ways. */
    glide_position begin;
    /* For how many frames after its end a way is known, because the server may go back. */
    uint32_t memory;
    uint32_t count;
    struct glide_way ways[GLIDE_MAX_WAYS];
};

/* Puts a gain that has no ways at a position. The server may go back by as many frames as `memory`. */
void glide_init(struct glide *glide, glide_position position, uint32_t memory);
/* Begins a way to a target; with a length of 0 frames, it is there at once. What was to begin later, does not. Returns false
 * if it has to wait. */
bool glide_begin(struct glide *glide, glide_position target, uint32_t length);
/* Where it will be when all ways are over. */
glide_position glide_target(const struct glide *glide);
/* Where it is now. */
glide_position glide_now(const struct glide *glide);
/* Whether it is at rest at full level, so that the sound needs no work. */
static inline bool glide_is_idle(const struct glide *glide) { return glide->count == 0 && glide->begin == 1; }
/* Writes the gain of each of the next frames, and goes on by as many. */
void glide_gains(struct glide *glide, float *gains, uint32_t frames);
/* Multiplies samples by the gain, and goes on by as many frames. */
void glide_apply(struct glide *glide, const float *from, float *to, uint32_t frames);
/* Goes on by frames without sound. */
void glide_go_on(struct glide *glide, uint32_t frames);
/* Goes back by frames, which get the same gain as before when they come again. */
void glide_go_back(struct glide *glide, uint32_t frames);
/* While nothing arrives, nothing is heard: a gain that falls is there at once, and one that rises waits. */
void glide_skip(struct glide *glide);

#endif
