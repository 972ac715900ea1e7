/* The gain of one link or stream over time. Everything here runs on the sound server's data thread: no lock, no allocation, no
 * system call, no loop longer than the frames of a cycle. */
#ifndef CRAMP_H
#define CRAMP_H

#include <stdbool.h>
#include <stdint.h>

/* The position of a volume slider from 0 to 1, whose third power is the gain, as everywhere on the desktop: equal distances
 * on it sound equal. */
typedef float slider_position;

/* Ramps that are known at the same time. One more waits until the oldest is over. */
enum { MAX_GAIN_RAMPS = 8 };

/* A ramp from the present gain to a target, in a number of frames. It begins and ends at rest: the position, its speed and its
 * acceleration have no jump, also where another ramp has not ended yet. */
struct gain_ramp {
    slider_position target;
    uint32_t length;
    /* The frames since it began; negative if the server has gone back to before that. */
    int64_t passed;
};

struct ramped_gain {
    /* The position before the oldest of the ramps. */
    slider_position begin;
    /* For how many frames after its end a ramp is remembered, because the server may go back. */
    uint32_t memory;
    uint32_t count;
    struct gain_ramp ramps[MAX_GAIN_RAMPS];
};

/* Sets the gain to a position, without ramps. The server may go back by `memory` frames. */
void ramped_gain_init(struct ramped_gain *ramped, slider_position position, uint32_t memory);
/* Begins a ramp to a target; with a length of 0 frames, the gain jumps. Ramps that were to begin later are dropped. Returns
 * false if the ramp has to wait. */
bool ramped_gain_begin(struct ramped_gain *ramped, slider_position target, uint32_t length);
/* The position when all ramps are over. */
slider_position ramped_gain_target(const struct ramped_gain *ramped);
/* The present position. */
slider_position ramped_gain_now(const struct ramped_gain *ramped);
/* Whether the gain rests at full level, so that the sound stays as it is. */
static inline bool ramped_gain_is_idle(const struct ramped_gain *ramped) { return ramped->count == 0 && ramped->begin == 1; }
/* Writes the gain of each of the next frames, and goes on by these frames. */
void ramped_gain_write(struct ramped_gain *ramped, float *gains, uint32_t frames);
/* Multiplies samples by the gain, and goes on by their frames. */
void ramped_gain_apply(struct ramped_gain *ramped, const float *from, float *to, uint32_t frames);
/* Goes on by frames that have no sound. */
void ramped_gain_go_on(struct ramped_gain *ramped, uint32_t frames);
/* Goes back by frames; when these come again, they get the same gains as before. */
void ramped_gain_go_back(struct ramped_gain *ramped, uint32_t frames);
/* For a cycle without sound, of which nothing is heard: a falling gain reaches its target at once, a rising one waits. */
void ramped_gain_skip(struct ramped_gain *ramped);

#endif
