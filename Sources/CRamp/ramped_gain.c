#include "CRamp.h"

#include <stddef.h>
#include <string.h>

/* From 0 to 1, with neither speed nor acceleration at both ends. */
static inline float eased(float part) { return part * part * part * (part * (part * 6 - 15) + 10); }

void ramped_gain_init(struct ramped_gain *ramped, slider_position position, uint32_t memory) {
    memset(ramped, 0, sizeof *ramped);
    ramped->begin = position;
    ramped->memory = memory;
}

slider_position ramped_gain_target(const struct ramped_gain *ramped) {
    return ramped->count > 0 ? ramped->ramps[ramped->count - 1].target : ramped->begin;
}

/* Drops the ramps that have ended, and all before them: the gain begins at their target. */
static void drop_ended(struct ramped_gain *ramped, uint32_t memory) {
    uint32_t ended = 0;
    for (uint32_t index = 0; index < ramped->count; index++) {
        if (ramped->ramps[index].passed < (int64_t)ramped->ramps[index].length + memory) continue;
        ended = index + 1;
        ramped->begin = ramped->ramps[index].target;
    }
    if (ended == 0) return;
    ramped->count -= ended;
    memmove(ramped->ramps, ramped->ramps + ended, ramped->count * sizeof *ramped->ramps);
}

bool ramped_gain_begin(struct ramped_gain *ramped, slider_position target, uint32_t length) {
    if (length == 0 && ramped->memory == 0) {
        ramped->count = 0;
        ramped->begin = target;
        return true;
    }
    /* Ramps that were to begin later have not been heard, and are dropped. */
    while (ramped->count > 0 && ramped->ramps[ramped->count - 1].passed <= 0) ramped->count--;
    if (ramped->count == MAX_GAIN_RAMPS) drop_ended(ramped, 0);
    if (ramped->count == MAX_GAIN_RAMPS) return false;
    ramped->ramps[ramped->count++] = (struct gain_ramp){.target = target, .length = length};
    return true;
}

/* Each ramp starts from where the ramps before it would have been, so that the gain stays between the targets. */
static inline float position(const struct ramped_gain *ramped, uint32_t frame) {
    float slider = ramped->begin;
    for (uint32_t index = 0; index < ramped->count; index++) {
        const struct gain_ramp *ramp = &ramped->ramps[index];
        int64_t passed = ramp->passed + frame;
        if (passed < 0) break;
        if (passed >= ramp->length) slider = ramp->target;
        else slider += (ramp->target - slider) * eased((float)passed / (float)ramp->length);
    }
    return slider;
}

slider_position ramped_gain_now(const struct ramped_gain *ramped) { return position(ramped, 0); }

void ramped_gain_go_on(struct ramped_gain *ramped, uint32_t frames) {
    for (uint32_t index = 0; index < ramped->count; index++) ramped->ramps[index].passed += frames;
    drop_ended(ramped, ramped->memory);
}

void ramped_gain_go_back(struct ramped_gain *ramped, uint32_t frames) {
    for (uint32_t index = 0; index < ramped->count; index++) ramped->ramps[index].passed -= frames;
}

/* How many of the next frames have the same ramps under way, and whether there are any. */
static uint32_t frames_of_same_ramps(const struct ramped_gain *ramped, uint32_t frames, bool *is_any) {
    *is_any = false;
    for (uint32_t index = 0; index < ramped->count; index++) {
        const struct gain_ramp *ramp = &ramped->ramps[index];
        int64_t left = ramp->passed < 0 ? -ramp->passed : ramp->length - ramp->passed;
        if (left <= 0) continue;
        if (ramp->passed >= 0) *is_any = true;
        if (left < frames) frames = (uint32_t)left;
    }
    return frames;
}

void ramped_gain_write(struct ramped_gain *ramped, float *gains, uint32_t frames) {
    while (frames > 0) {
        bool is_any;
        uint32_t part = frames_of_same_ramps(ramped, frames, &is_any);
        float slider = position(ramped, 0), gain = slider * slider * slider;
        for (uint32_t frame = 0; frame < part; frame++) {
            if (is_any) {
                slider = position(ramped, frame);
                gain = slider * slider * slider;
            }
            gains[frame] = gain;
        }
        ramped_gain_go_on(ramped, part);
        gains += part;
        frames -= part;
    }
}

void ramped_gain_apply(struct ramped_gain *ramped, const float *from, float *to, uint32_t frames) {
    while (frames > 0) {
        float gains[256];
        uint32_t part = frames < 256 ? frames : 256;
        ramped_gain_write(ramped, gains, part);
        /* Not times zero, which would keep NaN. */
        for (uint32_t frame = 0; frame < part; frame++) to[frame] = gains[frame] == 0 ? 0 : from[frame] * gains[frame];
        from += part;
        to += part;
        frames -= part;
    }
}

void ramped_gain_skip(struct ramped_gain *ramped) {
    slider_position target = ramped_gain_target(ramped);
    if (ramped->count > 0 && target <= ramped_gain_now(ramped)) ramped_gain_init(ramped, target, ramped->memory);
}
