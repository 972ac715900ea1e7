#include "mixer.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <spa/buffer/buffer.h>
#include <spa/node/io.h>
#include <spa/node/utils.h>
#include <spa/param/param.h>

/* As many as the server's own mixer takes. */
enum { MAX_BUFFERS = 64, MAX_WORK_BUFFERS = 8 };

/* The largest buffer that gets a gain, in bytes: 16 times the longest cycle of a server with its default settings. A client may
 * fill all of its buffer, which takes time on the data thread. */
enum { MAX_SIZE = 16 * 8192 * sizeof(float) };

/* The ids of io areas: one area for all cycles, or one each for even and odd cycles, whose id older headers do not name. */
enum { IO_BUFFERS = SPA_IO_Buffers, IO_ASYNC_BUFFERS = 10 };

/* Memory for the samples of one buffer after their gain. Pages that were never written to take no memory. */
struct work_buffer {
    float *samples;
    uint32_t size;
};

/* A member that the main loop writes while the data thread reads it is atomic. The buffers change only while there is no io
 * area, so that the data thread does not touch them. Memory is kept as long as the mixer. */
struct input {
    /* The target, and the frames of the ramp to it: in one word, so that the data thread sees both or none. */
    _Atomic uint64_t target;
    /* The areas in which the other end writes which buffer it has filled, for even and odd cycles. */
    _Atomic(struct spa_io_buffers *) io[2];

    bool is_there;
    /* Whether the inner mixer takes its buffers as they are, without a gain. */
    bool is_left_alone;
    /* Higher for inputs that were added later. */
    uint32_t age;
    /* The link's buffers as the inner mixer knows them. Their data is the link's, or a work buffer. */
    uint32_t buffer_count;
    struct spa_buffer buffers[MAX_BUFFERS];
    struct spa_data datas[MAX_BUFFERS];
    void *sources[MAX_BUFFERS];
    /* The last one is in use. The others were too small for a later link, and may still be read in the cycle in which that link
     * comes. */
    struct work_buffer work_buffers[MAX_WORK_BUFFERS];
    uint32_t work_buffer_count;

    /* Only for the data thread: the target that it has applied, and the ramps. */
    uint64_t applied;
    struct ramped_gain gain;
};

struct cpw_mixer {
    struct spa_node node;
    struct spa_node *inner;
    _Atomic(struct input *) inputs[CPW_MAX_INPUTS];
    /* One more than the highest input there has been. */
    _Atomic uint32_t end;
    uint32_t next_age;
    /* The areas in which the inner mixer writes that it has mixed. */
    _Atomic(struct spa_io_buffers *) out[2];
    void (*changed)(void);
    _Atomic(struct spa_io_position *) position;
    bool is_replaced;
};

/* A slider is never negative, so its sign says whether the ramp begins at silence. */
static const uint32_t FROM_SILENCE = 1u << 31;

static uint64_t packed(slider_position target, uint32_t frames, bool is_from_silence) {
    uint32_t bits;
    memcpy(&bits, &target, sizeof bits);
    bits &= ~FROM_SILENCE;
    return (uint64_t)frames << 32 | bits | (is_from_silence ? FROM_SILENCE : 0);
}

/* MARK: The data thread */

/* The clock's member `cycle`, which the headers of PipeWire 0.3 do not have: after the target's rate, duration and
 * sequence number. */
enum { CYCLE = offsetof(struct spa_io_clock, next_nsec) + 8 + 20 };

static uint32_t cycle_of(const struct spa_io_position *position) {
    uint32_t cycle;
    if (position == NULL) return 0;
    memcpy(&cycle, (const char *)&position->clock + CYCLE, sizeof cycle);
    return cycle & 1;
}

static void apply_target(struct input *input) {
    uint64_t target = atomic_load_explicit(&input->target, memory_order_acquire);
    uint32_t bits = (uint32_t)target & ~FROM_SILENCE;
    slider_position position;
    if (target == input->applied) return;
    memcpy(&position, &bits, sizeof position);
    if ((uint32_t)target & FROM_SILENCE) ramped_gain_init(&input->gain, 0, 0);
    if (ramped_gain_begin(&input->gain, position, (uint32_t)(target >> 32))) input->applied = target;
}

static void process_input(struct input *input, uint32_t cycle) {
    const struct spa_io_buffers *io = atomic_load_explicit(&input->io[cycle], memory_order_acquire);
    apply_target(input);
    /* The other end of the link writes here at any time. */
    uint32_t buffer = io == NULL ? SPA_ID_INVALID : *(volatile const uint32_t *)&io->buffer_id;
    if (io == NULL || *(volatile const int32_t *)&io->status != SPA_STATUS_HAVE_DATA || buffer >= input->buffer_count) {
        ramped_gain_skip(&input->gain);
        return;
    }
    const struct work_buffer *work = &input->work_buffers[input->work_buffer_count - 1];
    struct spa_data *data = &input->datas[buffer];
    data->data = input->sources[buffer];
    if (ramped_gain_is_idle(&input->gain)) return;
    uint32_t offset = *(volatile const uint32_t *)&data->chunk->offset;
    uint32_t size = *(volatile const uint32_t *)&data->chunk->size;
    offset = SPA_MIN(offset, data->maxsize) & ~3u;
    size = SPA_MIN(size, data->maxsize - offset);
    ramped_gain_apply(&input->gain, SPA_PTROFF(input->sources[buffer], offset, const float),
                SPA_PTROFF(work->samples, offset, float), size / sizeof(float));
    data->data = work->samples;
}

static int process(void *object) {
    struct cpw_mixer *mixer = object;
    uint32_t cycle = cycle_of(atomic_load_explicit(&mixer->position, memory_order_acquire));
    uint32_t end = atomic_load_explicit(&mixer->end, memory_order_acquire);
    const struct spa_io_buffers *out = atomic_load_explicit(&mixer->out[cycle], memory_order_acquire);
    /* The result of the last cycle has not been taken yet, so the inner mixer does nothing. */
    if (out != NULL && out->status == SPA_STATUS_HAVE_DATA) end = 0;
    for (uint32_t index = 0; index < end; index++) {
        struct input *input = atomic_load_explicit(&mixer->inputs[index], memory_order_acquire);
        if (input != NULL) process_input(input, cycle);
    }
    return spa_node_process(mixer->inner);
}

/* MARK: The main loop */

static struct input *input_at(const struct cpw_mixer *mixer, enum spa_direction direction, uint32_t id) {
    if (direction != SPA_DIRECTION_INPUT || id >= CPW_MAX_INPUTS) return NULL;
    struct input *input = atomic_load_explicit(&mixer->inputs[id], memory_order_relaxed);
    return input != NULL && input->is_there ? input : NULL;
}

static void set_areas(_Atomic(struct spa_io_buffers *) areas[2], struct spa_io_buffers *even, struct spa_io_buffers *odd) {
    atomic_store_explicit(&areas[0], even, memory_order_release);
    atomic_store_explicit(&areas[1], odd, memory_order_release);
}

static struct spa_node *inner(void *object) { return ((struct cpw_mixer *)object)->inner; }

static int add_listener(void *object, struct spa_hook *listener, const struct spa_node_events *events, void *data) {
    return spa_node_add_listener(inner(object), listener, events, data);
}

static int set_io(void *object, uint32_t id, void *data, size_t size) {
    struct cpw_mixer *mixer = object;
    if (id == SPA_IO_Position) {
        struct spa_io_position *position = size >= sizeof(struct spa_io_position) ? data : NULL;
        atomic_store_explicit(&mixer->position, position, memory_order_release);
    }
    return spa_node_set_io(mixer->inner, id, data, size);
}

static int add_port(void *object, enum spa_direction direction, uint32_t id, const struct spa_dict *properties) {
    struct cpw_mixer *mixer = object;
    struct input *input;
    int result = spa_node_add_port(mixer->inner, direction, id, properties);
    if (result < 0 || direction != SPA_DIRECTION_INPUT || id >= CPW_MAX_INPUTS) return result;
    input = atomic_load_explicit(&mixer->inputs[id], memory_order_relaxed);
    /* Without memory, the link is mixed without a gain. */
    if (input == NULL) {
        if ((input = calloc(1, sizeof *input)) == NULL) return result;
        input->applied = packed(1, 0, false);
        ramped_gain_init(&input->gain, 1, 0);
    }
    atomic_store_explicit(&input->target, packed(1, 0, false), memory_order_relaxed);
    input->is_there = true;
    input->is_left_alone = false;
    input->buffer_count = 0;
    input->age = mixer->next_age++;
    atomic_store_explicit(&mixer->inputs[id], input, memory_order_release);
    if (id >= atomic_load_explicit(&mixer->end, memory_order_relaxed))
        atomic_store_explicit(&mixer->end, id + 1, memory_order_release);
    return result;
}

static int remove_port(void *object, enum spa_direction direction, uint32_t id) {
    struct cpw_mixer *mixer = object;
    struct input *input = input_at(mixer, direction, id);
    if (input != NULL) {
        set_areas(input->io, NULL, NULL);
        input->is_there = false;
    }
    return spa_node_remove_port(mixer->inner, direction, id);
}

static int port_enum_params(void *object, int sequence, enum spa_direction direction, uint32_t port, uint32_t id,
                            uint32_t start, uint32_t max, const struct spa_pod *filter) {
    return spa_node_port_enum_params(inner(object), sequence, direction, port, id, start, max, filter);
}

static int port_set_param(void *object, enum spa_direction direction, uint32_t port, uint32_t id, uint32_t flags,
                          const struct spa_pod *param) {
    return spa_node_port_set_param(inner(object), direction, port, id, flags, param);
}

/* Whether the buffers have one block of samples each, and there is a work buffer for the block. */
static bool make_work_buffer(struct input *input, struct spa_buffer **buffers, uint32_t count) {
    uint32_t size = 0;
    if (count > MAX_BUFFERS) return false;
    for (uint32_t index = 0; index < count; index++) {
        if (buffers[index]->n_datas != 1 || buffers[index]->datas[0].chunk == NULL) return false;
        if (index > 0 && buffers[index]->datas[0].maxsize != size) return false;
        size = buffers[index]->datas[0].maxsize;
    }
    if (input->work_buffer_count > 0 && size <= input->work_buffers[input->work_buffer_count - 1].size) return true;
    if (input->work_buffer_count == MAX_WORK_BUFFERS || size == 0 || size > MAX_SIZE) return false;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    input->work_buffers[input->work_buffer_count++] = (struct work_buffer){memory, size};
    return true;
}

static int port_use_buffers(void *object, enum spa_direction direction, uint32_t port, uint32_t flags,
                            struct spa_buffer **buffers, uint32_t count) {
    struct cpw_mixer *mixer = object;
    struct input *input = input_at(mixer, direction, port);
    struct spa_buffer *copies[MAX_BUFFERS];
    int result;
    if (input != NULL) {
        input->buffer_count = 0;
        input->is_left_alone =
            count > 0 && (atomic_load_explicit(&input->io[0], memory_order_relaxed) != NULL ||
                          !make_work_buffer(input, buffers, count));
    }
    if (input == NULL || count == 0 || input->is_left_alone) {
        result = spa_node_port_use_buffers(mixer->inner, direction, port, flags, buffers, count);
        if (input != NULL && input->is_left_alone) mixer->changed();
        return result;
    }
    /* Lets the inner mixer forget the buffers of our copies, which change now. */
    spa_node_port_use_buffers(mixer->inner, direction, port, 0, NULL, 0);
    for (uint32_t index = 0; index < count; index++) {
        input->buffers[index] = *buffers[index];
        input->datas[index] = buffers[index]->datas[0];
        input->buffers[index].datas = &input->datas[index];
        copies[index] = &input->buffers[index];
    }
    result = spa_node_port_use_buffers(mixer->inner, direction, port, flags, copies, count);
    if (result < 0) return result;
    for (uint32_t index = 0; index < count; index++) {
        /* The inner mixer may have mapped the memory just now. */
        input->sources[index] = input->datas[index].data;
        if (input->sources[index] == NULL) {
            input->is_left_alone = true;
            mixer->changed();
            return result;
        }
    }
    input->buffer_count = count;
    return result;
}

static int port_set_io(void *object, enum spa_direction direction, uint32_t port, uint32_t id, void *data, size_t size) {
    struct cpw_mixer *mixer = object;
    struct input *input = input_at(mixer, direction, port);
    struct spa_io_buffers *area = data;
    int result;
    if (id != IO_BUFFERS && id != IO_ASYNC_BUFFERS)
        return spa_node_port_set_io(mixer->inner, direction, port, id, data, size);
    _Atomic(struct spa_io_buffers *) *areas = input != NULL ? input->io : direction == SPA_DIRECTION_OUTPUT ? mixer->out : NULL;
    /* Two areas after each other belong to a link between nodes that are not processed in the same cycle. We have the area
     * before the inner mixer has it, and lose it after, so that the inner mixer never mixes samples without their gain. */
    if (areas != NULL && area != NULL && size >= sizeof *area)
        set_areas(areas, area, size >= 2 * sizeof *area ? area + 1 : area);
    result = spa_node_port_set_io(mixer->inner, direction, port, id, data, size);
    if (areas != NULL && (area == NULL || size < sizeof *area)) {
        set_areas(areas, NULL, NULL);
        /* Once more, because this call waits for the data thread, which then no longer reads our area either. */
        spa_node_port_set_io(mixer->inner, direction, port, id, data, size);
    }
    if (direction == SPA_DIRECTION_OUTPUT && size == 0) {
        mixer->is_replaced = true;
        mixer->changed();
    }
    return result;
}

static int port_reuse_buffer(void *object, uint32_t port, uint32_t buffer) {
    return spa_node_port_reuse_buffer(inner(object), port, buffer);
}

/* The methods that the server calls on a mixer. */
static const struct spa_node_methods methods = {
    SPA_VERSION_NODE_METHODS,
    .add_listener = add_listener,
    .set_io = set_io,
    .add_port = add_port,
    .remove_port = remove_port,
    .port_enum_params = port_enum_params,
    .port_set_param = port_set_param,
    .port_use_buffers = port_use_buffers,
    .port_set_io = port_set_io,
    .port_reuse_buffer = port_reuse_buffer,
    .process = process,
};

struct cpw_mixer *cpw_mixer_new(struct spa_node *inner, void (*changed)(void)) {
    struct cpw_mixer *mixer = calloc(1, sizeof *mixer);
    if (mixer == NULL) return NULL;
    mixer->inner = inner;
    mixer->changed = changed;
    mixer->node.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Node, SPA_VERSION_NODE, &methods, mixer);
    return mixer;
}

void cpw_mixer_free(struct cpw_mixer *mixer) {
    if (mixer == NULL) return;
    for (uint32_t index = 0; index < CPW_MAX_INPUTS; index++) {
        struct input *input = atomic_load_explicit(&mixer->inputs[index], memory_order_relaxed);
        if (input == NULL) continue;
        for (uint32_t work = 0; work < input->work_buffer_count; work++)
            munmap(input->work_buffers[work].samples, input->work_buffers[work].size);
        free(input);
    }
    free(mixer);
}

struct spa_node *cpw_mixer_node(struct cpw_mixer *mixer) { return &mixer->node; }

bool cpw_mixer_is_replaced(const struct cpw_mixer *mixer) { return mixer->is_replaced; }

uint32_t cpw_mixer_inputs(const struct cpw_mixer *mixer, uint32_t *inputs, uint32_t max_inputs) {
    uint32_t count = 0;
    for (uint32_t id = 0; id < atomic_load_explicit(&mixer->end, memory_order_relaxed); id++) {
        struct input *input = input_at(mixer, SPA_DIRECTION_INPUT, id);
        if (input == NULL) continue;
        if (count == max_inputs) return count + 1;
        /* Inserts the input by its age. */
        uint32_t place = count++;
        for (; place > 0 && input_at(mixer, SPA_DIRECTION_INPUT, inputs[place - 1])->age > input->age; place--)
            inputs[place] = inputs[place - 1];
        inputs[place] = id;
    }
    return count;
}

bool cpw_mixer_can_ramp(const struct cpw_mixer *mixer, uint32_t id) {
    struct input *input = input_at(mixer, SPA_DIRECTION_INPUT, id);
    return input != NULL && !input->is_left_alone && !mixer->is_replaced;
}

void cpw_mixer_ramp(struct cpw_mixer *mixer, uint32_t id, slider_position target, uint32_t frames, bool is_from_silence) {
    struct input *input = input_at(mixer, SPA_DIRECTION_INPUT, id);
    if (input != NULL)
        atomic_store_explicit(&input->target, packed(target, frames, is_from_silence), memory_order_release);
}
