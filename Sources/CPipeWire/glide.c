#include "glide.h"

#include <stddef.h>
#include <string.h>

/* From 0 to 1 with neither speed nor acceleration at both ends. */
static inline float eased(float part) { return part * part * part * (part * (part * 6 - 15) + 10); }

void cpw_glide_init(struct cpw_glide *glide, cpw_slider slider) {
    memset(glide, 0, sizeof *glide);
    glide->begin = slider;
}

cpw_slider cpw_glide_target(const struct cpw_glide *glide) {
    return glide->count > 0 ? glide->ways[glide->count - 1].target : glide->begin;
}

bool cpw_glide_begin(struct cpw_glide *glide, cpw_slider target, uint32_t length) {
    if (length == 0) {
        glide->count = 0;
        glide->begin = target;
        return true;
    }
    if (glide->count == CPW_MAX_WAYS) return false;
    glide->ways[glide->count++] = (struct cpw_way){.target = target, .length = length};
    return true;
}

/* Each way leads away from where the ways before it would have been, so that nothing is outside of all targets. */
static inline float position(const struct cpw_glide *glide, uint32_t frame) {
    float slider = glide->begin;
    for (uint32_t index = 0; index < glide->count; index++) {
        const struct cpw_way *way = &glide->ways[index];
        uint32_t passed = way->passed + frame;
        float part = passed < way->length ? (float)passed / (float)way->length : 1;
        slider += (way->target - slider) * eased(part);
    }
    return slider;
}

cpw_slider cpw_glide_slider(const struct cpw_glide *glide) { return position(glide, 0); }

/* A way that has ended is where everything before it leads, too. */
static void drop_ended(struct cpw_glide *glide) {
    uint32_t ended = 0;
    for (uint32_t index = 0; index < glide->count; index++) {
        if (glide->ways[index].passed < glide->ways[index].length) continue;
        ended = index + 1;
        glide->begin = glide->ways[index].target;
    }
    if (ended == 0) return;
    glide->count -= ended;
    memmove(glide->ways, glide->ways + ended, glide->count * sizeof *glide->ways);
}

static void go_on(struct cpw_glide *glide, uint32_t frames) {
    for (uint32_t index = 0; index < glide->count; index++) {
        struct cpw_way *way = &glide->ways[index];
        uint32_t left = way->length - way->passed;
        way->passed += frames < left ? frames : left;
    }
    drop_ended(glide);
}

/* The frames until the first of the ways ends. */
static uint32_t frames_of_same_ways(const struct cpw_glide *glide, uint32_t frames) {
    for (uint32_t index = 0; index < glide->count; index++) {
        uint32_t left = glide->ways[index].length - glide->ways[index].passed;
        if (left < frames) frames = left;
    }
    return frames;
}

void cpw_glide_apply(struct cpw_glide *glide, const float *from, float *to, uint32_t frames) {
    while (frames > 0 && glide->count > 0) {
        uint32_t part = frames_of_same_ways(glide, frames);
        for (uint32_t frame = 0; frame < part; frame++) {
            float slider = position(glide, frame);
            to[frame] = from[frame] * (slider * slider * slider);
        }
        go_on(glide, part);
        from += part;
        to += part;
        frames -= part;
    }
    float gain = glide->begin * glide->begin * glide->begin;
    /* Not times zero: that would keep what is not a number. */
    if (gain == 0) memset(to, 0, frames * sizeof *to);
    else
        for (uint32_t frame = 0; frame < frames; frame++) to[frame] = from[frame] * gain;
}

void cpw_glide_skip(struct cpw_glide *glide) {
    cpw_slider target = cpw_glide_target(glide);
    if (glide->count > 0 && target <= cpw_glide_slider(glide)) cpw_glide_begin(glide, target, 0);
}
