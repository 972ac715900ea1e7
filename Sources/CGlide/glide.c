#include "CGlide.h"

#include <stddef.h>
#include <string.h>

/* From 0 to 1, with neither speed nor acceleration at both ends. */
static inline float eased(float part) { return part * part * part * (part * (part * 6 - 15) + 10); }

void glide_init(struct glide *glide, glide_position position, uint32_t memory) {
    memset(glide, 0, sizeof *glide);
    glide->begin = position;
    glide->memory = memory;
}

glide_position glide_target(const struct glide *glide) {
    return glide->count > 0 ? glide->ramps[glide->count - 1].target : glide->begin;
}

/* Drops the ramps that have ended, and all before them: the gain begins at their target. */
static void drop_ended(struct glide *glide, uint32_t memory) {
    uint32_t ended = 0;
    for (uint32_t index = 0; index < glide->count; index++) {
        if (glide->ramps[index].passed < (int64_t)glide->ramps[index].length + memory) continue;
        ended = index + 1;
        glide->begin = glide->ramps[index].target;
    }
    if (ended == 0) return;
    glide->count -= ended;
    memmove(glide->ramps, glide->ramps + ended, glide->count * sizeof *glide->ramps);
}

bool glide_begin(struct glide *glide, glide_position target, uint32_t length) {
    if (length == 0 && glide->memory == 0) {
        glide->count = 0;
        glide->begin = target;
        return true;
    }
    /* Ramps that were to begin later have not been heard, and are dropped. */
    while (glide->count > 0 && glide->ramps[glide->count - 1].passed <= 0) glide->count--;
    if (glide->count == GLIDE_MAX_RAMPS) drop_ended(glide, 0);
    if (glide->count == GLIDE_MAX_RAMPS) return false;
    glide->ramps[glide->count++] = (struct glide_ramp){.target = target, .length = length};
    return true;
}

/* Each ramp starts from where the ramps before it would have been, so that the gain stays between the targets. */
static inline float position(const struct glide *glide, uint32_t frame) {
    float slider = glide->begin;
    for (uint32_t index = 0; index < glide->count; index++) {
        const struct glide_ramp *ramp = &glide->ramps[index];
        int64_t passed = ramp->passed + frame;
        if (passed < 0) break;
        if (passed >= ramp->length) slider = ramp->target;
        else slider += (ramp->target - slider) * eased((float)passed / (float)ramp->length);
    }
    return slider;
}

glide_position glide_now(const struct glide *glide) { return position(glide, 0); }

void glide_go_on(struct glide *glide, uint32_t frames) {
    for (uint32_t index = 0; index < glide->count; index++) glide->ramps[index].passed += frames;
    drop_ended(glide, glide->memory);
}

void glide_go_back(struct glide *glide, uint32_t frames) {
    for (uint32_t index = 0; index < glide->count; index++) glide->ramps[index].passed -= frames;
}

/* How many of the next frames have the same ramps under way, and whether there are any. */
static uint32_t frames_of_same_ramps(const struct glide *glide, uint32_t frames, bool *is_any) {
    *is_any = false;
    for (uint32_t index = 0; index < glide->count; index++) {
        const struct glide_ramp *ramp = &glide->ramps[index];
        int64_t left = ramp->passed < 0 ? -ramp->passed : ramp->length - ramp->passed;
        if (left <= 0) continue;
        if (ramp->passed >= 0) *is_any = true;
        if (left < frames) frames = (uint32_t)left;
    }
    return frames;
}

void glide_gains(struct glide *glide, float *gains, uint32_t frames) {
    while (frames > 0) {
        bool is_any;
        uint32_t part = frames_of_same_ramps(glide, frames, &is_any);
        float slider = position(glide, 0), gain = slider * slider * slider;
        for (uint32_t frame = 0; frame < part; frame++) {
            if (is_any) {
                slider = position(glide, frame);
                gain = slider * slider * slider;
            }
            gains[frame] = gain;
        }
        glide_go_on(glide, part);
        gains += part;
        frames -= part;
    }
}

void glide_apply(struct glide *glide, const float *from, float *to, uint32_t frames) {
    while (frames > 0) {
        float gains[256];
        uint32_t part = frames < 256 ? frames : 256;
        glide_gains(glide, gains, part);
        /* Not times zero, which would keep NaN. */
        for (uint32_t frame = 0; frame < part; frame++) to[frame] = gains[frame] == 0 ? 0 : from[frame] * gains[frame];
        from += part;
        to += part;
        frames -= part;
    }
}

void glide_skip(struct glide *glide) {
    glide_position target = glide_target(glide);
    if (glide->count > 0 && target <= glide_now(glide)) glide_init(glide, target, glide->memory);
}
