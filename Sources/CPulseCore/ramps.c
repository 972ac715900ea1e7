/* Ramps of a stream's gain: each frame that a stream hands to its sink is multiplied by a gain of its own.
 *
 * The daemon asks a stream for its sound, and takes some of it back (rewinds), through two function pointers of the stream.
 * While our gain is in force, both point to our functions, which call the stream's own. The sink's thread calls them. It gets
 * a new target by a message, and asks its sink to take back the sound that has not been played yet: there the ramp begins.
 *
 * On the thread there is no lock, no system call, and no allocation of ours. As for every volume, the daemon copies sound that
 * it shares with the client into a block of its pool before the sound is changed. */
#include "layout.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "CRamp.h"

/* A hash table finds a stream's ramp, because no field of a stream is free for our pointer. A power of two; at most half of
 * the places are taken. */
enum { PLACES = 2048, MOST_RAMPS = PLACES / 2 };
/* The longest time for which a sink takes sound back, in seconds. Sinks buffer two seconds at most, unless their arguments
 * say otherwise. */
enum { MEMORY = 10 };
/* The longest ramp, in seconds. */
enum { LONGEST = 3600 };

enum sample { SAMPLE_INT16, SAMPLE_INT32, SAMPLE_FLOAT32 };

struct target {
    slider_position position;
    uint32_t frames;
    bool is_from_silence;
};

struct ramp {
    pa_sink_input *input;
    cpc_pop pop;
    cpc_process_rewind process_rewind;
    enum sample sample;
    uint32_t channels, frame_size;
    /* The members below are for the sink's thread, or for us while it waits. */
    struct ramped_gain gain;
    bool has_new_target;
    struct target target;
};

static struct {
    _Atomic(pa_sink_input *) input;
    struct ramp *ramp;
} places[PLACES];
static unsigned ramp_count;
/* Receives our messages to threads. */
static pa_msgobject *receiver;

static size_t first_place(const pa_sink_input *input) { return ((uintptr_t)input >> 4) * 0x9E3779B1u % PLACES; }

/* Marks a place that was taken, so that the search goes on behind it. */
static char gone;
static pa_sink_input *const was_taken = (pa_sink_input *)&gone;

static struct ramp *find(const pa_sink_input *input) {
    for (size_t place = first_place(input), count = 0; count < PLACES; place = (place + 1) % PLACES, count++) {
        pa_sink_input *here = atomic_load_explicit(&places[place].input, memory_order_acquire);
        if (here == input) return places[place].ramp;
        if (here == NULL) return NULL;
    }
    return NULL;
}

static void insert(struct ramp *ramp) {
    size_t place = first_place(ramp->input);
    for (;; place = (place + 1) % PLACES) {
        pa_sink_input *here = atomic_load_explicit(&places[place].input, memory_order_relaxed);
        if (here == NULL || here == was_taken) break;
    }
    places[place].ramp = ramp;
    atomic_store_explicit(&places[place].input, ramp->input, memory_order_release);
    ramp_count++;
}

static void take_out(const struct ramp *ramp) {
    for (size_t place = 0; place < PLACES; place++)
        if (places[place].ramp == ramp) {
            atomic_store_explicit(&places[place].input, was_taken, memory_order_release);
            places[place].ramp = NULL;
        }
    /* Without ramps, no search has to go on behind a place. */
    if (--ramp_count > 0) return;
    for (size_t place = 0; place < PLACES; place++) atomic_store_explicit(&places[place].input, NULL, memory_order_release);
}

/* MARK: On the sink's thread */

static void apply_target(struct ramp *ramp) {
    if (!ramp->has_new_target) return;
    const struct target *target = &ramp->target;
    if (target->is_from_silence) ramped_gain_init(&ramp->gain, 0, ramp->gain.memory);
    ramp->has_new_target = !ramped_gain_begin(&ramp->gain, target->position, target->frames);
}

static inline double nearest(double value) { return value < 0 ? value - 0.5 : value + 0.5; }

static void scale(const struct ramp *ramp, void *samples, const float *gains, uint32_t frames) {
    const uint32_t channels = ramp->channels;
    for (uint32_t index = 0; index < frames * channels; index++) {
        const float gain = gains[index / channels];
        switch (ramp->sample) {
        case SAMPLE_INT16: ((int16_t *)samples)[index] = (int16_t)nearest(((int16_t *)samples)[index] * (double)gain); break;
        case SAMPLE_INT32: ((int32_t *)samples)[index] = (int32_t)nearest(((int32_t *)samples)[index] * (double)gain); break;
        /* Not times zero, which would keep NaN. */
        case SAMPLE_FLOAT32: ((float *)samples)[index] = gain == 0 ? 0 : ((float *)samples)[index] * gain; break;
        }
    }
}

static int pop(pa_sink_input *input, size_t size, pa_memchunk *chunk) {
    struct ramp *ramp = find(input);
    /* The ramp exists as long as this function is in the stream. */
    if (ramp == NULL) return -1;
    int result = ramp->pop(input, size, chunk);
    if (result < 0) return result;
    apply_target(ramp);
    uint32_t frames = (uint32_t)(CPC_FIELD(chunk, pa_memchunk, length) / ramp->frame_size);
    if (ramped_gain_is_idle(&ramp->gain)) return result;
    pa_memchunk_make_writable(chunk, 0);
    char *samples = pa_memblock_acquire_chunk(chunk);
    while (frames > 0) {
        float gains[256];
        uint32_t part = frames < 256 ? frames : 256;
        ramped_gain_write(&ramp->gain, gains, part);
        scale(ramp, samples, gains, part);
        samples += (size_t)part * ramp->frame_size;
        frames -= part;
    }
    pa_memblock_release(CPC_FIELD(chunk, pa_memchunk, memblock));
    return result;
}

static void process_rewind(pa_sink_input *input, size_t size) {
    struct ramp *ramp = find(input);
    if (ramp == NULL) return;
    ramped_gain_go_back(&ramp->gain, (uint32_t)(size / ramp->frame_size));
    apply_target(ramp);
    ramp->process_rewind(input, size);
}

enum message { MESSAGE_TARGET, MESSAGE_NOTHING };
struct message_data {
    struct ramp *ramp;
    struct target target;
};

static int process_message(pa_msgobject *object, int code, void *data, int64_t offset, pa_memchunk *chunk) {
    const struct message_data *message = data;
    (void)object, (void)offset, (void)chunk;
    if (code != MESSAGE_TARGET) return 0;
    message->ramp->target = message->target;
    message->ramp->has_new_target = true;
    pa_sink_input_request_rewind(message->ramp->input, 0, true, false, false);
    return 0;
}

/* MARK: On the main thread */

/* Whether the daemon's samples are in a form that can be multiplied here. */
static bool choose_sample(pa_sample_format_t format, enum sample *sample) {
    switch (format) {
    case PA_SAMPLE_S16NE: *sample = SAMPLE_INT16; return true;
    case PA_SAMPLE_S32NE: *sample = SAMPLE_INT32; return true;
    case PA_SAMPLE_FLOAT32NE: *sample = SAMPLE_FLOAT32; return true;
    default: return false;
    }
}

static struct ramp *ramp_of(pa_sink_input *input) { return CPC_CAN_READ(input, pa_sink_input) ? find(input) : NULL; }

bool cpc_sink_input_can_ramp(pa_sink_input *input) {
    enum sample sample;
    if (ramp_of(input) != NULL) return true;
    return cpc_thread_of_input(input) != NULL && choose_sample(CPC_FIELD(input, pa_sink_input, sample_spec).format, &sample) &&
        !pa_sink_input_is_passthrough(input) && ramp_count < MOST_RAMPS && cpc_prove_callbacks(input);
}

bool cpc_sink_input_is_ramping(pa_sink_input *input) { return ramp_of(input) != NULL; }

static struct ramp *make_ramp(pa_sink_input *input) {
    if (!cpc_sink_input_can_ramp(input)) return NULL;
    if (receiver == NULL) {
        size_t size = cpc_layout->pa_msgobject_process_msg + sizeof(cpc_process_msg);
        receiver = pa_msgobject_new_internal(size, pa_msgobject_type_id, NULL);
        CPC_FIELD(receiver, pa_msgobject, process_msg) = process_message;
    }
    struct ramp *ramp = calloc(1, sizeof *ramp);
    if (ramp == NULL) return NULL;
    pa_sample_spec specification = CPC_FIELD(input, pa_sink_input, sample_spec);
    choose_sample(specification.format, &ramp->sample);
    ramp->input = input;
    ramp->channels = specification.channels;
    ramp->frame_size = (uint32_t)pa_frame_size(&specification);
    ramp->pop = CPC_FIELD(input, pa_sink_input, pop);
    ramp->process_rewind = CPC_FIELD(input, pa_sink_input, process_rewind);
    ramped_gain_init(&ramp->gain, 1, specification.rate * MEMORY);
    insert(ramp);
    /* The thread looks for the ramp as soon as it sees one of these functions. */
    __atomic_store_n(&CPC_FIELD(input, pa_sink_input, pop), pop, __ATOMIC_RELEASE);
    __atomic_store_n(&CPC_FIELD(input, pa_sink_input, process_rewind), process_rewind, __ATOMIC_RELEASE);
    return ramp;
}

/* Returns when the thread has the target, and before it has taken sound back. */
static void send_target(pa_asyncmsgq *thread, struct ramp *ramp, struct target target) {
    struct message_data message = {ramp, target};
    pa_asyncmsgq_send(thread, receiver, MESSAGE_TARGET, &message, 0, NULL);
}

/* Returns when the thread has finished its work, and has taken back the sound that it had to. */
static void wait_for(pa_asyncmsgq *thread) { pa_asyncmsgq_send(thread, receiver, MESSAGE_NOTHING, NULL, 0, NULL); }

bool cpc_sink_input_ramp(pa_sink_input *input, float position, double seconds, bool is_from_silence) {
    if (!(position >= 0 && position <= 1) || !(seconds >= 0 && seconds <= LONGEST)) return false;
    struct ramp *ramp = ramp_of(input);
    /* A stream without a ramp is at full level already. */
    if (ramp == NULL && position == 1 && !is_from_silence) return cpc_sink_input_can_ramp(input);
    if (ramp == NULL) ramp = make_ramp(input);
    pa_asyncmsgq *thread = cpc_thread_of_input(input);
    if (ramp == NULL || thread == NULL) return false;
    double frames = seconds * CPC_FIELD(input, pa_sink_input, sample_spec).rate;
    send_target(thread, ramp, (struct target){position, (uint32_t)(frames + 0.5), is_from_silence});
    return true;
}

void cpc_sink_input_end_ramp(pa_sink_input *input) {
    struct ramp *ramp = ramp_of(input);
    if (ramp == NULL) return;
    pa_asyncmsgq *thread = cpc_thread_of_input(input);
    if (thread != NULL) {
        /* Sound that has been mixed ahead gets its full level again. */
        send_target(thread, ramp, (struct target){.position = 1});
        wait_for(thread);
    }
    __atomic_store_n(&CPC_FIELD(input, pa_sink_input, pop), ramp->pop, __ATOMIC_RELEASE);
    __atomic_store_n(&CPC_FIELD(input, pa_sink_input, process_rewind), ramp->process_rewind, __ATOMIC_RELEASE);
    /* A stream that moves has no thread. If a filter below the stream moves, any thread may be reading the ramp for the last
     * time, so the ramp is not freed. */
    if (thread != NULL) wait_for(thread);
    take_out(ramp);
    if (thread != NULL || CPC_FIELD(input, pa_sink_input, sink) == NULL) free(ramp);
}

void cpc_end_ramps(void) {
    if (receiver == NULL || ramp_count > 0) return;
    pa_object_unref((pa_object *)receiver);
    receiver = NULL;
}
