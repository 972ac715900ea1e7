/* Tests the ramps of gains in PulseAudio's streams (Sources/CPulseCore/ramps.c) with a sink of this file's own, which asks
 * for sound, takes it back and plays it as the daemon's do. Tests/Package builds it. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

/* MARK: The daemon, as far as ramps.c knows it */

enum { RATE = 48000, AHEAD = 96000, POP_AT = 1128, REWIND_AT = 1144, SPECIFICATION_AT = 128, SINK_AT = 96, MESSAGE_AT = 32 };

struct block {
    char *data;
    bool is_writable;
};

struct chunk {
    struct block *block;
    size_t index, length;
};

/* A stream that plays a level for ever, and the sink that plays it. */
struct desk {
    char input[2048];
    enum { INT16, INT32, FLOAT32 } sample;
    unsigned channels;
    size_t frame_size;
    /* The next frame that the stream gives out, and the next that is heard. What is between them has been mixed ahead. */
    long given, heard;
    float ahead[AHEAD];
    long rewind_by;
    struct block original, copy;
    char samples[1 << 16], copied[1 << 16];
    bool was_copied;
    long last_rewind;
};

bool cpc_is_proved[CPC_KINDS];
const struct cpc_layout *cpc_layout;
const char pa_msgobject_type_id[] = "pa_msgobject";
static bool is_moving, is_passthrough;
static __thread struct desk *current;
static __thread bool is_on_thread;
static __thread unsigned allocations;
static bool has_no_memory;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) {
    if (is_on_thread) allocations++;
    if (has_no_memory) return NULL;
    return __real_calloc(count, size);
}

bool cpc_prove(enum cpc_kind kind, const void *object) {
    (void)kind, (void)object;
    return true;
}
bool cpc_prove_callbacks(const void *input) {
    (void)input;
    return true;
}
bool pa_sink_input_is_passthrough(pa_sink_input *input) {
    (void)input;
    return is_passthrough;
}
size_t pa_frame_size(const pa_sample_spec *spec) {
    return spec->channels * (spec->format == PA_SAMPLE_S16NE ? 2u : 4u);
}
pa_msgobject *pa_msgobject_new_internal(size_t size, const char *type, bool (*check_type)(const char *)) {
    if (type != pa_msgobject_type_id || check_type != NULL || size < MESSAGE_AT + sizeof(void *)) abort();
    return __real_calloc(1, size);
}
void pa_object_unref(pa_object *object) { free(object); }
pa_memchunk *pa_memchunk_make_writable(pa_memchunk *memchunk, size_t minimum) {
    struct chunk *chunk = (struct chunk *)memchunk;
    (void)minimum;
    if (chunk->block->is_writable) return memchunk;
    memcpy(current->copied, chunk->block->data + chunk->index, chunk->length);
    current->was_copied = true;
    *chunk = (struct chunk){&current->copy, 0, chunk->length};
    return memchunk;
}
void *pa_memblock_acquire_chunk(const pa_memchunk *memchunk) {
    const struct chunk *chunk = (const struct chunk *)memchunk;
    return chunk->block->data + chunk->index;
}
void pa_memblock_release(pa_memblock *block) { (void)block; }

static struct desk *desk_of(pa_sink_input *input) { return (struct desk *)input; }

/* How much is taken back is the sink's to say: some of what is mixed ahead is on its way to the card. */
void pa_sink_input_request_rewind(pa_sink_input *input, size_t size, bool rewrites, bool flushes, bool is_queue_kept) {
    struct desk *desk = desk_of(input);
    if (size != 0 || !rewrites || flushes || is_queue_kept || !is_on_thread) abort();
    desk->rewind_by = desk->given - desk->heard;
}

/* MARK: The stream's own functions */

static int own_pop(pa_sink_input *input, size_t size, pa_memchunk *memchunk) {
    struct desk *desk = desk_of(input);
    struct chunk *chunk = (struct chunk *)memchunk;
    if (size > sizeof desk->samples) size = sizeof desk->samples;
    *chunk = (struct chunk){&desk->original, 0, size};
    desk->given += (long)(size / desk->frame_size);
    return 0;
}
static void own_rewind(pa_sink_input *input, size_t size) {
    struct desk *desk = desk_of(input);
    desk->last_rewind = (long)(size / desk->frame_size);
    desk->given -= desk->last_rewind;
}

static cpc_pop pop_of(struct desk *desk) { return __atomic_load_n((cpc_pop *)(desk->input + POP_AT), __ATOMIC_ACQUIRE); }
static cpc_process_rewind rewind_of(struct desk *desk) {
    return __atomic_load_n((cpc_process_rewind *)(desk->input + REWIND_AT), __ATOMIC_ACQUIRE);
}

/* MARK: The sink's thread */

static void take_back(struct desk *desk) {
    if (desk->rewind_by < 0) return;
    size_t size = (size_t)desk->rewind_by * desk->frame_size;
    desk->rewind_by = -1;
    rewind_of(desk)((pa_sink_input *)desk, size);
}

/* Mixes frames ahead, and keeps the gain of each. */
static void mix(struct desk *desk, unsigned frames) {
    current = desk;
    is_on_thread = true;
    take_back(desk);
    long begin = desk->given;
    struct chunk chunk;
    if (pop_of(desk)((pa_sink_input *)desk, frames * desk->frame_size, (pa_memchunk *)&chunk) < 0) abort();
    frames = (unsigned)(chunk.length / desk->frame_size);
    for (unsigned frame = 0; frame < frames; frame++) {
        const char *first = chunk.block->data + chunk.index + frame * desk->frame_size;
        double value = 0;
        switch (desk->sample) {
        case INT16: value = ((const int16_t *)first)[desk->channels - 1] / 20000.0; break;
        case INT32: value = ((const int32_t *)first)[desk->channels - 1] / 2000000000.0; break;
        case FLOAT32: value = ((const float *)first)[desk->channels - 1]; break;
        }
        desk->ahead[(begin + frame) % AHEAD] = (float)value;
    }
    is_on_thread = false;
}

struct letter {
    pa_msgobject *object;
    int code;
    void *data;
    bool is_done;
};
static struct letter *letter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static bool has_thread;

static void deliver(struct letter *letter) {
    is_on_thread = true;
    cpc_process_msg process = *(cpc_process_msg *)((char *)letter->object + MESSAGE_AT);
    process(letter->object, letter->code, letter->data, 0, NULL);
    is_on_thread = false;
}

/* Whether the stream had its own function again when the thread was last waited for. */
static bool was_own_at_last;

int pa_asyncmsgq_send(
    pa_asyncmsgq *queue, pa_msgobject *object, int code, const void *data, int64_t offset, const pa_memchunk *chunk) {
    struct letter mine = {object, code, (void *)data, false};
    (void)offset, (void)chunk;
    if (!has_thread) {
        struct desk *desk = (struct desk *)queue;
        was_own_at_last = pop_of(desk) == own_pop;
        deliver(&mine);
        is_on_thread = true;
        take_back(desk);
        is_on_thread = false;
        return 0;
    }
    pthread_mutex_lock(&lock);
    letter = &mine;
    while (!mine.is_done) pthread_cond_wait(&change, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

pa_asyncmsgq *cpc_thread_of_input(pa_sink_input *input) { return is_moving ? NULL : (pa_asyncmsgq *)input; }

/* MARK: Checks */

static int failures;
static void expect(bool is_right, const char *format, ...) {
    if (is_right) return;
    va_list arguments;
    va_start(arguments, format);
    printf("FAILED: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    failures++;
}

static void set_up(struct desk *desk, pa_sample_format_t format, unsigned channels) {
    memset(desk, 0, sizeof *desk);
    desk->rewind_by = -1;
    desk->channels = channels;
    pa_sample_spec spec = {.format = format, .rate = RATE, .channels = (uint8_t)channels};
    desk->frame_size = pa_frame_size(&spec);
    desk->sample = format == PA_SAMPLE_S16NE ? INT16 : format == PA_SAMPLE_S32NE ? INT32 : FLOAT32;
    for (size_t index = 0; index < sizeof desk->samples / (desk->sample == INT16 ? 2 : 4); index++)
        switch (desk->sample) {
        case INT16: ((int16_t *)desk->samples)[index] = 20000; break;
        case INT32: ((int32_t *)desk->samples)[index] = 2000000000; break;
        case FLOAT32: ((float *)desk->samples)[index] = 1; break;
        }
    desk->original = (struct block){desk->samples, false};
    desk->copy = (struct block){desk->copied, true};
    memcpy(desk->input + SPECIFICATION_AT, &spec, sizeof spec);
    *(cpc_pop *)(desk->input + POP_AT) = own_pop;
    *(cpc_process_rewind *)(desk->input + REWIND_AT) = own_rewind;
    *(void **)(desk->input + SINK_AT) = desk;
}

static pa_sink_input *input_of(struct desk *desk) { return (pa_sink_input *)desk; }

/* The position on a slider after a part of the way from one to another: at rest at both ends. Worked out from its conditions,
 * x(0) = x'(0) = x''(0) = x'(1) = x''(1) = 0 and x(1) = 1, which only this polynomial of fifth degree has. */
static double slider_after(double first, double last, double part) {
    if (part <= 0) return first;
    if (part >= 1) return last;
    return first + (last - first) * (10 * pow(part, 3) - 15 * pow(part, 4) + 6 * pow(part, 5));
}

static void lengths(pa_sample_format_t format, unsigned channels, double tolerance) {
    static struct desk desk;
    set_up(&desk, format, channels);
    for (int count = 0; count < 8; count++) mix(&desk, 1000);
    expect(!desk.was_copied, "sound at full level is copied");
    desk.heard = 2345;
    expect(cpc_sink_input_ramp(input_of(&desk), 0.4642f, 0.1, false), "there is no ramp");
    expect(desk.given == 2345 && desk.last_rewind == 8000 - 2345, "taken back: %ld frames", desk.last_rewind);
    for (int count = 0; count < 20; count++) mix(&desk, 700);
    double worst = 0;
    for (long frame = 2345; frame < desk.given; frame++) {
        double wanted = pow(slider_after(1, 0.4642f, (double)(frame - 2345) / 4800), 3);
        worst = fmax(worst, fabs(desk.ahead[frame % AHEAD] - wanted));
    }
    expect(worst < tolerance, "format %d: %g beside the curve", format, worst);
    expect(desk.ahead[2344] == 1, "what has been heard was changed");
    cpc_sink_input_end_ramp(input_of(&desk));
    expect(pop_of(&desk) == own_pop && rewind_of(&desk) == own_rewind, "functions are left behind");
    expect(was_own_at_last, "the thread is not waited for, which may still be in a function that is freed");
    expect(desk.given == 2345, "what is mixed ahead keeps its gain when all ends");
}

static void reversal(void) {
    static struct desk desk;
    set_up(&desk, PA_SAMPLE_FLOAT32NE, 2);
    mix(&desk, 4800);
    desk.heard = 1000;
    cpc_sink_input_ramp(input_of(&desk), 0, 0.1, false);
    for (int count = 0; count < 10; count++) mix(&desk, 960);
    /* Half-way: what follows leads away from where the first way would have been. */
    desk.heard = 1000 + 2400;
    cpc_sink_input_ramp(input_of(&desk), 1, 0.1, false);
    expect(desk.given == desk.heard, "taken back to %ld", desk.given);
    for (int count = 0; count < 10; count++) mix(&desk, 960);
    double worst = 0;
    for (long frame = 1000; frame < desk.given; frame++) {
        double down = slider_after(1, 0, (frame - 1000) / 4800.0);
        worst = fmax(worst, fabs(desk.ahead[frame % AHEAD] - pow(slider_after(down, 1, (frame - 3400) / 4800.0), 3)));
    }
    expect(worst < 5e-6, "turned round: %g beside the curve", worst);
    /* A sink takes sound back for others, too: the same comes again. */
    static float before[AHEAD];
    memcpy(before, desk.ahead, sizeof before);
    long end = desk.given;
    desk.rewind_by = desk.given - 1200;
    while (desk.given < end || desk.rewind_by >= 0) mix(&desk, 333);
    for (long frame = 1200; frame < end; frame++)
        if (before[frame % AHEAD] != desk.ahead[frame % AHEAD]) {
            expect(false, "frame %ld is another when it comes again", frame);
            break;
        }
    cpc_sink_input_end_ramp(input_of(&desk));
}

static void replaced(void) {
    static struct desk desk;
    set_up(&desk, PA_SAMPLE_FLOAT32NE, 1);
    mix(&desk, 4800);
    desk.heard = 500;
    /* Nothing is heard between the orders, so the last one is all there is. */
    cpc_sink_input_ramp(input_of(&desk), 0, 0, false);
    cpc_sink_input_ramp(input_of(&desk), 0.2f, 0.5, false);
    cpc_sink_input_ramp(input_of(&desk), 0.5f, 0.1, false);
    for (int count = 0; count < 8; count++) mix(&desk, 1000);
    double worst = 0;
    for (long frame = 500; frame < desk.given; frame++)
        worst = fmax(worst, fabs(desk.ahead[frame] - pow(slider_after(1, 0.5, (frame - 500) / 4800.0), 3)));
    expect(worst < 2e-6, "orders that nobody heard: %g beside the curve", worst);
    /* From silence, as after a stop. */
    desk.heard = 6000;
    cpc_sink_input_ramp(input_of(&desk), 0.5f, 0.1, true);
    for (int count = 0; count < 8; count++) mix(&desk, 1000);
    expect(desk.ahead[6000] == 0 && desk.ahead[6100] > 0 && desk.ahead[6100] < 1e-9, "from silence: %g", desk.ahead[6100]);
    expect(fabs(desk.ahead[11000] - 0.125) < 1e-6, "from silence to %g", desk.ahead[11000]);
    cpc_sink_input_end_ramp(input_of(&desk));
}

static void at_random(unsigned seed) {
    static struct desk desk;
    srand(seed);
    set_up(&desk, PA_SAMPLE_FLOAT32NE, 2);
    double lowest = 1, last = 1, speed = 0, worst = 0;
    long checked = 0;
    unsigned orders = 0;
    for (int round = 0; round < 20000; round++) {
        if (rand() % 12 == 0) {
            float target = (float)(rand() % 1001) / 1000;
            if (!cpc_sink_input_ramp(input_of(&desk), target, 0.1 + (rand() % 400) / 1000.0, false)) abort();
            lowest = fmin(lowest, target);
            orders++;
        }
        if (rand() % 20 == 0) desk.rewind_by = desk.given > desk.heard ? rand() % (desk.given - desk.heard + 1) : 0;
        mix(&desk, 64 + (unsigned)rand() % 2000);
        /* The sink plays on, but keeps some frames back. */
        while (desk.given - desk.heard > 3000) desk.heard += 512;
        for (; checked < desk.heard; checked++) {
            double now = cbrt(desk.ahead[checked % AHEAD]), by = now - last;
            expect(now <= 1 + 1e-6 && now >= lowest - 1e-6, "round %d: %g is outside of all targets", round, now);
            /* The fastest way, of 4,800 frames, has an acceleration of 5.78 / 4800², and eight may come together: 2e-6. One that began
             * or ended with a corner would have 2e-4 there. */
            worst = fmax(worst, fabs(by - speed));
            last = now, speed = by;
            if (failures > 3) return;
        }
    }
    expect(orders > 1000, "%u orders", orders);
    expect(worst < 1e-5, "a corner of %g in one frame", worst);
    expect(allocations == 0, "%u allocations on the thread", allocations);
    cpc_sink_input_end_ramp(input_of(&desk));
}

static void refusals(void) {
    static struct desk desk;
    set_up(&desk, PA_SAMPLE_S24NE, 2);
    expect(!cpc_sink_input_can_ramp(input_of(&desk)), "24 bits can ramp");
    expect(!cpc_sink_input_ramp(input_of(&desk), 0.5f, 0.1, false), "24 bits can ramp");
    set_up(&desk, PA_SAMPLE_FLOAT32NE, 2);
    is_passthrough = true;
    expect(!cpc_sink_input_can_ramp(input_of(&desk)), "what is passed through can ramp");
    is_passthrough = false;
    is_moving = true;
    expect(!cpc_sink_input_can_ramp(input_of(&desk)), "a stream can ramp that moves");
    is_moving = false;
    for (int index = 0; index < 4; index++) {
        const float positions[] = {-0.1f, 1.1f, NAN, 0.5f};
        const double times[] = {0.1, 0.1, 0.1, NAN};
        expect(!cpc_sink_input_ramp(input_of(&desk), positions[index], times[index], false), "order %d is taken", index);
    }
    expect(cpc_sink_input_ramp(input_of(&desk), 1, 0.1, false) && pop_of(&desk) == own_pop, "full level needs functions");
    has_no_memory = true;
    expect(!cpc_sink_input_ramp(input_of(&desk), 0.5f, 0.1, false), "it can ramp without memory");
    has_no_memory = false;
    expect(!cpc_sink_input_is_ramping(input_of(&desk)) && pop_of(&desk) == own_pop, "functions without a gain");
    /* While it moves, it cannot be told, and keeps its gain; and it may end. */
    cpc_sink_input_ramp(input_of(&desk), 0.5f, 0, false);
    is_moving = true;
    expect(cpc_sink_input_can_ramp(input_of(&desk)), "a stream that has a ramp loses it when it moves");
    expect(!cpc_sink_input_ramp(input_of(&desk), 1, 0, false), "a stream is told that moves");
    mix(&desk, 100);
    expect(desk.ahead[50] == 0.125f, "%g while it moves", desk.ahead[50]);
    *(void **)(desk.input + SINK_AT) = NULL;
    cpc_sink_input_end_ramp(input_of(&desk));
    expect(pop_of(&desk) == own_pop, "functions are left behind in a stream that moves");
    is_moving = false;
}

static void crowd(void) {
    enum { MANY = 1500 };
    /* The address says where the search begins: here for all at the same place. */
    size_t distance = (sizeof(struct desk) + 32767) / 32768 * 32768;
    char *memory = __real_calloc(MANY, distance);
    struct desk *desks[MANY];
    unsigned ramping = 0;
    for (unsigned index = 0; index < MANY; index++) desks[index] = (struct desk *)(memory + index * distance);
    for (int round = 0; round < 2; round++) {
        ramping = 0;
        for (unsigned index = 0; index < MANY; index++) {
            set_up(desks[index], PA_SAMPLE_FLOAT32NE, 1);
            if (cpc_sink_input_ramp(input_of(desks[index]), 0.5f, 0, false)) ramping++;
            mix(desks[index], 64);
            float wanted = pop_of(desks[index]) == own_pop ? 1 : 0.125f;
            expect(desks[index]->ahead[10] == wanted, "stream %u: %g", index, desks[index]->ahead[10]);
        }
        /* Those that are left are found behind the places of those that have gone. */
        for (unsigned index = 0; index < MANY; index += 2) cpc_sink_input_end_ramp(input_of(desks[index]));
        for (unsigned index = 1; index < MANY; index += 2) {
            bool is_found = cpc_sink_input_is_ramping(input_of(desks[index]));
            expect(is_found == (pop_of(desks[index]) != own_pop), "stream %u is %sfound", index, is_found ? "" : "not ");
            if (failures > 3) return;
        }
        for (unsigned index = 1; index < MANY; index += 2) cpc_sink_input_end_ramp(input_of(desks[index]));
    }
    expect(ramping == 1024, "%u of %d have a ramp", ramping, MANY);
    free(memory);
}

/* MARK: With a thread */

enum { DESKS = 4 };
static struct desk desks[DESKS];
static bool is_over;

static void *play(void *nothing) {
    (void)nothing;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&lock);
        if (letter != NULL) {
            deliver(letter);
            letter->is_done = true;
            letter = NULL;
            pthread_cond_broadcast(&change);
        }
        pthread_mutex_unlock(&lock);
        for (int index = 0; index < DESKS; index++) {
            mix(&desks[index], 64);
            if (desks[index].given - desks[index].heard > 1000) desks[index].heard += 500;
        }
    }
    return NULL;
}

static void with_thread(void) {
    for (int index = 0; index < DESKS; index++) set_up(&desks[index], PA_SAMPLE_S16NE, 2);
    has_thread = true;
    pthread_t thread;
    pthread_create(&thread, NULL, play, NULL);
    srand(1);
    for (int round = 0; round < 3000; round++) {
        pa_sink_input *input = input_of(&desks[rand() % DESKS]);
        if (rand() % 3 == 0) cpc_sink_input_end_ramp(input);
        else if (!cpc_sink_input_ramp(input, (float)(rand() % 10) / 10, (rand() % 100) / 1000.0, rand() % 9 == 0)) abort();
    }
    for (int index = 0; index < DESKS; index++) cpc_sink_input_end_ramp(input_of(&desks[index]));
    cpc_end_ramps();
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    for (int index = 0; index < DESKS; index++) expect(pop_of(&desks[index]) == own_pop, "functions are left behind");
    has_thread = false;
}

static void run(const char *name, void (*test)(void)) {
    int before = failures;
    test();
    if (failures == before) printf("ok: %s\n", name);
}

static void formats(void) {
    lengths(PA_SAMPLE_FLOAT32NE, 2, 1e-6);
    lengths(PA_SAMPLE_FLOAT32NE, 6, 1e-6);
    lengths(PA_SAMPLE_S32NE, 1, 1e-6);
    lengths(PA_SAMPLE_S16NE, 2, 0.52 / 20000);
}
static void random_orders(void) {
    for (unsigned seed = 0; seed < 4; seed++) at_random(seed);
}

int main(void) {
    static struct cpc_layout layout = {
        .pa_sink_input_pop = POP_AT, .pa_sink_input_process_rewind = REWIND_AT, .pa_msgobject_process_msg = MESSAGE_AT,
        .pa_memchunk_memblock = 0, .pa_memchunk_length = 16, .pa_sink_input_sample_spec = SPECIFICATION_AT,
        .pa_sink_input_sink = SINK_AT};
    cpc_layout = &layout;
    memset(cpc_is_proved, 1, sizeof cpc_is_proved);
    run("a fade begins with the first frame that has not been heard, and follows the curve to its end, in each format", formats);
    run("a fade that is turned round, and sound that comes again", reversal);
    run("orders that nobody has heard, and a begin in silence", replaced);
    run("random orders and sound taken back at random: no corner, nothing outside of the targets, no allocation", random_orders);
    run("what cannot ramp, or not now", refusals);
    run("more streams than there is room for", crowd);
    run("orders and ends while another thread plays", with_thread);
    return failures > 0;
}
