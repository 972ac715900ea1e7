/* Tests of Sources/CPipeWire/mixer.c and Sources/CRamp in front of the server's own mixer, which is loaded from its plugin. What
 * is expected is worked out here, in double precision. Tests/Package builds it.
 * With "cost" behind the plugin's path, it prints what a link costs in each cycle, as a table:
 *
 *     cc -O2 -I Sources/CPipeWire -I Sources/CRamp/include $(pkg-config --cflags libspa-0.2) -Wl,--wrap=calloc,--wrap=free \
 *         Tests/Mixer/mixer_test.c Sources/CPipeWire/mixer.c Sources/CRamp/ramped_gain.c -lm -ldl -pthread -o .build/mixer_test
 *     .build/mixer_test $(pkg-config --variable=plugindir libspa-0.2)/audiomixer/libspa-audiomixer.so cost */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <spa/node/io.h>
#include <spa/node/utils.h>
#include <spa/param/audio/format-utils.h>
#include <spa/support/log.h>
#include <spa/support/loop.h>
#include <spa/support/plugin.h>
#include <spa/utils/names.h>

#include "mixer.h"

enum { RATE = 48000, LARGEST = 8192, LINKS = 8 };

static int failures;

#define CHECK(condition, ...)                                        \
    do {                                                             \
        if (!(condition)) {                                          \
            failures++;                                              \
            printf("FAILED %s:%d: %s: ", __FILE__, __LINE__, #condition); \
            printf(__VA_ARGS__);                                     \
            printf("\n");                                            \
        }                                                            \
    } while (0)

/* Memory that the mixer asks for while it processes; the linker sends its calls here. */
static atomic_bool is_processing;
static atomic_int allocations;
void *__real_calloc(size_t count, size_t size);
void __real_free(void *memory);
static bool fails_to_allocate;
void *__wrap_calloc(size_t count, size_t size) {
    if (is_processing) allocations++;
    return fails_to_allocate ? NULL : __real_calloc(count, size);
}
void __wrap_free(void *memory) {
    if (is_processing) allocations++;
    __real_free(memory);
}
/* MARK: A sink's port: the stock mixer, ours in front of it, and the other ends of its links */

struct end {
    struct spa_io_buffers io[2];
    struct spa_buffer buffer;
    struct spa_data data;
    struct spa_chunk chunk;
    float *samples;
};

struct desk {
    struct spa_handle *stock;
    struct cpw_mixer *mixer;
    struct spa_node *node;
    struct end links[LINKS];
    struct end out;
    struct spa_io_position position;
};

static const struct spa_handle_factory *factory;

/* As the server's data loop while it is locked. */
static int call(void *object, spa_invoke_func_t func, uint32_t seq, const void *data, size_t size, bool block, void *user) {
    (void)object, (void)block;
    return func(NULL, false, seq, data, size, user);
}
/* Later releases have a member more, for the same. */
static int call_locked(void *object, spa_invoke_func_t func, uint32_t seq, const void *data, size_t size, void *user) {
    return call(object, func, seq, data, size, true, user);
}
static const struct {
    struct spa_loop_methods methods;
    void *locked;
} loop_methods = {{.version = 1, .invoke = call}, (void *)call_locked};
static struct spa_loop loop = {{SPA_TYPE_INTERFACE_Loop, 1, {&loop_methods, NULL}}};

static void use(struct desk *desk, enum spa_direction direction, uint32_t port, struct end *end, bool is_async) {
    struct spa_buffer *buffers[] = {&end->buffer};
    int result = spa_node_port_use_buffers(desk->node, direction, port, 0, buffers, 1);
    CHECK(result >= 0, "buffers: %d", result);
    if (is_async)
        result = spa_node_port_set_io(desk->node, direction, port, SPA_IO_Buffers, end->io, sizeof end->io);
    else
        result = spa_node_port_set_io(desk->node, direction, port, SPA_IO_Buffers, end->io, sizeof end->io[0]);
    CHECK(result >= 0, "io: %d", result);
}

static void make_end(struct end *end) {
    memset(end, 0, sizeof *end);
    CHECK(posix_memalign((void **)&end->samples, 64, LARGEST * sizeof(float)) == 0, "no memory");
    memset(end->samples, 0, LARGEST * sizeof(float));
    end->data = (struct spa_data){.type = SPA_DATA_MemPtr, .flags = SPA_DATA_FLAG_READWRITE | SPA_DATA_FLAG_DYNAMIC,
                                  .maxsize = LARGEST * sizeof(float), .data = end->samples, .chunk = &end->chunk};
    end->buffer = (struct spa_buffer){.n_datas = 1, .datas = &end->data};
    end->io[0] = end->io[1] = (struct spa_io_buffers){SPA_STATUS_NEED_DATA, SPA_ID_INVALID};
}

static void set_format(struct desk *desk, enum spa_direction direction, uint32_t port) {
    uint8_t memory[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_audio_info_dsp info = {.format = SPA_AUDIO_FORMAT_DSP_F32};
    struct spa_pod *format = spa_format_audio_dsp_build(&builder, SPA_PARAM_Format, &info);
    int result = spa_node_port_set_param(desk->node, direction, port, SPA_PARAM_Format, 0, format);
    CHECK(result >= 0, "format: %d", result);
}

static void add_link(struct desk *desk, uint32_t link) {
    CHECK(spa_node_add_port(desk->node, SPA_DIRECTION_INPUT, link, NULL) >= 0, "no port %u", link);
    make_end(&desk->links[link]);
    set_format(desk, SPA_DIRECTION_INPUT, link);
    use(desk, SPA_DIRECTION_INPUT, link, &desk->links[link], false);
}

static int changes;
static void count_change(void) { changes++; }

/* Without ours, the node is the stock mixer. */
static void open_desk(struct desk *desk, uint32_t links, bool is_ours) {
    struct spa_support support[] = {SPA_SUPPORT_INIT(SPA_TYPE_INTERFACE_DataLoop, &loop)};
    struct spa_dict_item items[] = {SPA_DICT_ITEM_INIT("clock.quantum-limit", "8192")};
    void *interface;
    memset(desk, 0, sizeof *desk);
    desk->stock = calloc(1, spa_handle_factory_get_size(factory, NULL));
    CHECK(spa_handle_factory_init(factory, desk->stock, &SPA_DICT_INIT_ARRAY(items), support, 1) >= 0, "no stock mixer");
    CHECK(spa_handle_get_interface(desk->stock, SPA_TYPE_INTERFACE_Node, &interface) >= 0, "no node");
    desk->mixer = is_ours ? cpw_mixer_new(interface, count_change) : NULL;
    desk->node = is_ours ? cpw_mixer_node(desk->mixer) : interface;
    spa_node_set_io(desk->node, SPA_IO_Position, &desk->position, sizeof desk->position);
    for (uint32_t link = 0; link < links; link++) {
        CHECK(spa_node_add_port(desk->node, SPA_DIRECTION_INPUT, link, NULL) >= 0, "no port %u", link);
        make_end(&desk->links[link]);
        set_format(desk, SPA_DIRECTION_INPUT, link);
    }
    set_format(desk, SPA_DIRECTION_OUTPUT, 0);
    make_end(&desk->out);
    use(desk, SPA_DIRECTION_OUTPUT, 0, &desk->out, false);
    for (uint32_t link = 0; link < links; link++) use(desk, SPA_DIRECTION_INPUT, link, &desk->links[link], false);
}

static void close_desk(struct desk *desk) {
    for (uint32_t link = 0; link < LINKS; link++) {
        if (desk->links[link].samples == NULL) continue;
        spa_node_port_set_io(desk->node, SPA_DIRECTION_INPUT, link, SPA_IO_Buffers, NULL, 0);
        spa_node_port_use_buffers(desk->node, SPA_DIRECTION_INPUT, link, 0, NULL, 0);
        spa_node_remove_port(desk->node, SPA_DIRECTION_INPUT, link);
        free(desk->links[link].samples);
    }
    free(desk->out.samples);
    cpw_mixer_free(desk->mixer);
    spa_handle_clear(desk->stock);
    free(desk->stock);
}

/* Says that a link's buffer is filled with the samples there. */
static void fill(struct desk *desk, uint32_t link, uint32_t frames) {
    struct end *end = &desk->links[link];
    end->chunk = (struct spa_chunk){.size = frames * sizeof(float), .stride = sizeof(float)};
    end->io[0] = (struct spa_io_buffers){SPA_STATUS_HAVE_DATA, 0};
}

/* Where the mixer's sound is after a cycle. */
static const float *mix(struct desk *desk) {
    desk->out.io[0].status = SPA_STATUS_NEED_DATA;
    is_processing = true;
    int result = spa_node_process(desk->node);
    is_processing = false;
    CHECK(result & SPA_STATUS_HAVE_DATA, "process: %d", result);
    /* It may have put a link's buffer in the place of its own. */
    return desk->out.buffer.datas[0].data;
}

/* One cycle with nothing but ones in the first link: the gain of each frame. */
static void cycle(struct desk *desk, uint32_t frames, float *gains) {
    for (uint32_t frame = 0; frame < frames; frame++) desk->links[0].samples[frame] = 1;
    fill(desk, 0, frames);
    memcpy(gains, mix(desk), frames * sizeof *gains);
}

/* From silence to full level, but for what numbers are rounded by. */
static bool is_within(float gain) { return gain > -1e-9f && gain < 1.00001f; }

static double eased(double part) { return part * part * part * (10 + part * (-15 + 6 * part)); }

/* MARK: What it does */

static const uint32_t quanta[] = {64, 256, 1000, 1024, 4096, 8192};

static void at_full_level_nothing_changes(void) {
    struct desk ours, stock;
    open_desk(&ours, 3, true);
    open_desk(&stock, 3, false);
    for (int round = 0; round < 20; round++) {
        for (uint32_t link = 0; link < 3; link++) {
            for (uint32_t frame = 0; frame < 1024; frame++)
                ours.links[link].samples[frame] = stock.links[link].samples[frame] = (float)(random() % 20001 - 10000) / 3e4f;
            /* Some have nothing to say now and then. */
            if ((round + (int)link) % 3 == 0) continue;
            fill(&ours, link, 1024);
            fill(&stock, link, 1024);
        }
        CHECK(memcmp(mix(&ours), mix(&stock), 1024 * sizeof(float)) == 0, "round %d", round);
    }
    close_desk(&ours);
    close_desk(&stock);
}

static void a_fade_is_as_long_as_it_is_said_to_be(void) {
    static float gains[96000 + LARGEST];
    for (size_t which = 0; which < SPA_N_ELEMENTS(quanta); which++) {
        static const uint32_t lengths[] = {1, 480, 4800, 24000};
        for (size_t one = 0; one < SPA_N_ELEMENTS(lengths); one++) {
            uint32_t length = lengths[one], quantum = quanta[which], done = 0;
            struct desk desk;
            double worst = 0;
            open_desk(&desk, 2, true);
            cycle(&desk, quantum, gains);
            CHECK(gains[quantum - 1] == 1, "%g", gains[quantum - 1]);
            cpw_mixer_ramp(desk.mixer, 0, cbrtf(0.1f), length, false);
            for (; done < length + quantum; done += quantum) cycle(&desk, quantum, gains + done);
            for (uint32_t frame = 0; frame < length; frame++) {
                double slider = 1 + (cbrt(0.1) - 1) * eased((double)frame / length);
                worst = fmax(worst, fabs(gains[frame] - slider * slider * slider));
            }
            CHECK(worst < 2e-6, "quantum %u, length %u: off by %g", quantum, length, worst);
            CHECK(fabsf(gains[length] - 0.1f) < 1e-7f, "%g", gains[length]);
            CHECK(gains[done - 1] == gains[length], "it goes on after its end");
            close_desk(&desk);
        }
    }
}

/* The loudest millisecond above 4 kHz of a tone of 440 Hz at −6 dBFS with these gains, in dBFS: an eighth-order high pass of
 * Butterworth's, as in the benchmarks. */
static double loudest_click(const float *gains, uint32_t frames) {
    static double samples[400000], section[4][4];
    double loudest = 0, energy = 0;
    memset(section, 0, sizeof section);
    for (uint32_t frame = 0; frame < frames; frame++) samples[frame] = gains[frame] * 0.5 * sin(2 * M_PI * 440 * frame / RATE);
    for (int pair = 0; pair < 4; pair++) {
        double q = 1 / (2 * cos(M_PI * (2 * pair + 1) / 16)), w = 2 * M_PI * 4000 / RATE, alpha = sin(w) / (2 * q);
        double a0 = 1 + alpha, b = (1 + cos(w)) / 2 / a0, a1 = -2 * cos(w) / a0, a2 = (1 - alpha) / a0;
        double *state = section[pair];
        for (uint32_t frame = 0; frame < frames; frame++) {
            double in = samples[frame];
            double out = b * in - 2 * b * state[0] + b * state[1] - a1 * state[2] - a2 * state[3];
            state[1] = state[0], state[0] = in, state[3] = state[2], state[2] = out;
            samples[frame] = out;
        }
    }
    /* The tone's own beginning is one. */
    for (uint32_t frame = 4800; frame < frames; frame++) {
        energy += samples[frame] * samples[frame];
        if (frame >= 4848) energy -= samples[frame - 48] * samples[frame - 48];
        loudest = fmax(loudest, energy);
    }
    return 10 * log10(loudest / 48 + 1e-30);
}

static void a_hard_cut_clicks(void) {
    static float gains[48000];
    for (uint32_t frame = 0; frame < 48000; frame++) gains[frame] = frame < 24013 ? 1 : 0;
    double click = loudest_click(gains, 48000);
    /* So the meter hears clicks. */
    CHECK(click > -40, "%.1f dBFS", click);
}

static void a_fade_makes_no_click(void) {
    static float gains[400000];
    for (size_t which = 0; which < SPA_N_ELEMENTS(quanta); which++) {
        struct desk desk;
        uint32_t done = 0, quantum = quanta[which], since = 0, length = 0;
        open_desk(&desk, 1, true);
        while (done < 48000) { cycle(&desk, quantum, gains + done); done += quantum; }
        /* Down, up and back, at any time, also long before the last one is over. */
        for (int round = 0; done + LARGEST < 390000; round++) {
            if (since >= length) {
                length = 480 + (uint32_t)(random() % 9600);
                cpw_mixer_ramp(desk.mixer, 0, (float)(random() % 5) / 4, 480 + (uint32_t)(random() % 9600), false);
                since = 0;
            }
            cycle(&desk, quantum, gains + done);
            done += quantum;
            since += quantum;
        }
        double click = loudest_click(gains, done);
        CHECK(click < -100, "quantum %u: %.1f dBFS", quantum, click);
        for (uint32_t frame = 0; frame < done; frame++) {
            if (is_within(gains[frame])) continue;
            CHECK(false, "a gain of %.9g", gains[frame]);
            break;
        }
        printf("   quantum %5u: %.1f dBFS\n", quantum, click);
        close_desk(&desk);
    }
}

static void more_than_it_can_take_waits(void) {
    static float gains[96000];
    struct desk desk;
    uint32_t done = 0;
    open_desk(&desk, 1, true);
    for (uint32_t turn = 0; done < 48000; done += 64, turn++) {
        if (turn < 64) cpw_mixer_ramp(desk.mixer, 0, turn % 2 == 0 ? 0 : 1, 4800 + turn, false);
        cycle(&desk, 64, gains + done);
    }
    CHECK(gains[done - 1] == 1, "it ends at %g", gains[done - 1]);
    for (uint32_t frame = 3; frame < done; frame++) {
        double bend = fabs(gains[frame] - 2.0 * gains[frame - 1] + gains[frame - 2]);
        if (bend < 1e-5) continue;
        CHECK(false, "a corner at frame %u: %g", frame, bend);
        break;
    }
    close_desk(&desk);
}

static void silence_is_silence(void) {
    static float gains[1024];
    struct desk desk;
    open_desk(&desk, 2, true);
    cpw_mixer_ramp(desk.mixer, 0, 0, 0, false);
    for (uint32_t frame = 0; frame < 1024; frame++) desk.links[0].samples[frame] = frame % 3 == 0 ? NAN : INFINITY;
    fill(&desk, 0, 1024);
    memcpy(gains, mix(&desk), sizeof gains);
    for (uint32_t frame = 0; frame < 1024; frame++) CHECK(gains[frame] == 0, "frame %u: %g", frame, gains[frame]);
    close_desk(&desk);
}

static void links_are_apart(void) {
    struct desk desk;
    open_desk(&desk, 3, true);
    cpw_mixer_ramp(desk.mixer, 1, 0.5f, 0, false);
    for (uint32_t link = 0; link < 3; link++) {
        for (uint32_t frame = 0; frame < 256; frame++) desk.links[link].samples[frame] = (float)(1u << (2 * link));
        fill(&desk, link, 256);
    }
    const float *mixed = mix(&desk);
    CHECK(mixed[0] == 1 + 4 * 0.125f + 16 && mixed[255] == mixed[0], "%g, %g", mixed[0], mixed[255]);
    /* What the streams have sent is theirs. */
    CHECK(desk.links[1].samples[0] == 4, "%g", desk.links[1].samples[0]);
    /* One that comes in the place of another one has its full level. */
    spa_node_port_set_io(desk.node, SPA_DIRECTION_INPUT, 1, SPA_IO_Buffers, NULL, 0);
    spa_node_port_use_buffers(desk.node, SPA_DIRECTION_INPUT, 1, 0, NULL, 0);
    spa_node_remove_port(desk.node, SPA_DIRECTION_INPUT, 1);
    free(desk.links[1].samples);
    add_link(&desk, 1);
    for (uint32_t frame = 0; frame < 256; frame++) desk.links[1].samples[frame] = 4;
    for (uint32_t link = 0; link < 3; link++) fill(&desk, link, 256);
    mixed = mix(&desk);
    CHECK(mixed[0] == 21, "%g", mixed[0]);
    uint32_t inputs[LINKS];
    CHECK(cpw_mixer_inputs(desk.mixer, inputs, LINKS) == 3 && inputs[0] == 0 && inputs[1] == 2 && inputs[2] == 1,
          "the order is %u %u %u", inputs[0], inputs[1], inputs[2]);
    close_desk(&desk);
}

static void a_stream_that_sends_nothing(void) {
    static float gains[1024];
    struct desk desk;
    open_desk(&desk, 2, true);
    cycle(&desk, 1024, gains);
    cpw_mixer_ramp(desk.mixer, 0, 0, 48000, false);
    cycle(&desk, 1024, gains);
    /* It has stopped: what would have been a long fade is over. */
    desk.links[0].io[0].status = SPA_STATUS_NEED_DATA;
    fill(&desk, 1, 1024);
    mix(&desk);
    cycle(&desk, 1024, gains);
    CHECK(gains[0] == 0 && gains[1023] == 0, "%g %g", gains[0], gains[1023]);
    /* A fade back waits for the first sound. */
    cpw_mixer_ramp(desk.mixer, 0, 1, 2048, false);
    for (int round = 0; round < 10; round++) {
        desk.links[0].io[0].status = SPA_STATUS_NEED_DATA;
        fill(&desk, 1, 1024);
        mix(&desk);
    }
    cycle(&desk, 1024, gains);
    CHECK(gains[0] == 0 && gains[1023] > 0 && gains[1023] < 0.2f, "%g %g", gains[0], gains[1023]);
    close_desk(&desk);
}

static void orders_while_nothing_is_mixed(void) {
    static float gains[1024];
    struct desk desk;
    open_desk(&desk, 2, true);
    /* Only the last one is obeyed, and it says where it begins. */
    cpw_mixer_ramp(desk.mixer, 0, 0, 0, false);
    cpw_mixer_ramp(desk.mixer, 0, 1, 4800, true);
    cycle(&desk, 1024, gains);
    CHECK(gains[0] == 0 && gains[1023] > 0 && gains[1023] < 0.01f, "%g %g", gains[0], gains[1023]);
    /* The link is not active, but others are: what would fall is there. */
    cpw_mixer_ramp(desk.mixer, 0, 1, 0, false);
    cycle(&desk, 1024, gains);
    spa_node_port_set_io(desk.node, SPA_DIRECTION_INPUT, 0, SPA_IO_Buffers, NULL, 0);
    cpw_mixer_ramp(desk.mixer, 0, 0.5f, 48000, false);
    cpw_mixer_ramp(desk.mixer, 0, 0.25f, 48000, false);
    fill(&desk, 1, 1024);
    mix(&desk);
    spa_node_port_set_io(desk.node, SPA_DIRECTION_INPUT, 0, SPA_IO_Buffers, desk.links[0].io, sizeof desk.links[0].io[0]);
    cycle(&desk, 1024, gains);
    CHECK(gains[0] == 0.015625f && gains[1023] == 0.015625f, "%g %g", gains[0], gains[1023]);
    close_desk(&desk);
}

static void what_was_not_taken_is_not_mixed_again(void) {
    static float gains[1024];
    struct desk desk;
    open_desk(&desk, 1, true);
    cycle(&desk, 1024, gains);
    cpw_mixer_ramp(desk.mixer, 0, 0, 2048, false);
    fill(&desk, 0, 1024);
    for (int round = 0; round < 5; round++) {
        desk.out.io[0].status = SPA_STATUS_HAVE_DATA;
        spa_node_process(desk.node);
    }
    cycle(&desk, 1024, gains);
    CHECK(gains[0] == 1 && gains[1023] > 0.1f && gains[1023] < 0.2f, "%g %g", gains[0], gains[1023]);
    close_desk(&desk);
}

static void buffers_of_other_sizes(void) {
    static float gains[1024];
    struct desk desk;
    open_desk(&desk, 1, true);
    for (uint32_t size = 1024; size <= LARGEST; size *= 2) {
        spa_node_port_set_io(desk.node, SPA_DIRECTION_INPUT, 0, SPA_IO_Buffers, NULL, 0);
        desk.links[0].data.maxsize = (size == 4096 ? 1024 : size) * sizeof(float);
        use(&desk, SPA_DIRECTION_INPUT, 0, &desk.links[0], false);
        CHECK(cpw_mixer_can_ramp(desk.mixer, 0), "size %u", size);
        cpw_mixer_ramp(desk.mixer, 0, 0.5f, 0, false);
        cycle(&desk, 1024, gains);
        CHECK(gains[0] == 0.125f && gains[1023] == 0.125f, "%g %g", gains[0], gains[1023]);
        /* More than there is. */
        fill(&desk, 0, LARGEST * 4);
        desk.out.io[0].status = SPA_STATUS_NEED_DATA;
        spa_node_process(desk.node);
    }
    close_desk(&desk);
}

static void links_of_two_cycles(void) {
    static float gains[256];
    struct desk desk;
    uint32_t cycle_number = 0;
    open_desk(&desk, 1, true);
    spa_node_port_set_io(desk.node, SPA_DIRECTION_INPUT, 0, SPA_IO_Buffers, NULL, 0);
    use(&desk, SPA_DIRECTION_INPUT, 0, &desk.links[0], true);
    cpw_mixer_ramp(desk.mixer, 0, 0.5f, 0, false);
    for (cycle_number = 0; cycle_number < 4; cycle_number++) {
        char *clock = (char *)&desk.position.clock;
        memcpy(clock + offsetof(struct spa_io_clock, next_nsec) + 28, &cycle_number, sizeof cycle_number);
        for (uint32_t frame = 0; frame < 256; frame++) desk.links[0].samples[frame] = 1;
        desk.links[0].chunk = (struct spa_chunk){.size = sizeof gains, .stride = sizeof(float)};
        desk.links[0].io[cycle_number & 1] = (struct spa_io_buffers){SPA_STATUS_HAVE_DATA, 0};
        /* Only later releases read the second one. */
        if (getenv("STOCK_KNOWS_CYCLES") == NULL) desk.links[0].io[0] = (struct spa_io_buffers){SPA_STATUS_HAVE_DATA, 0};
        memcpy(gains, mix(&desk), sizeof gains);
        if (getenv("STOCK_KNOWS_CYCLES") != NULL || (cycle_number & 1) == 0)
            CHECK(gains[0] == 0.125f && gains[255] == 0.125f, "cycle %u: %g", cycle_number, gains[0]);
    }
    close_desk(&desk);
}

/* Whatever stands in memory that another process writes. */
static void anything_from_the_other_end(void) {
    struct desk desk;
    open_desk(&desk, 2, true);
    for (int round = 0; round < 20000; round++) {
        uint32_t link = (uint32_t)round % 2;
        static const uint32_t odd[] = {0, 1, 3, 4, 63, 64, 65, 0x7fffffff, 0x80000000, 0xffffffff, LARGEST * 4, LARGEST * 4 - 1};
        cpw_mixer_ramp(desk.mixer, link, (float)(random() % 3) / 2, (uint32_t)random() % 3000, false);
        fill(&desk, link, 1024);
        desk.links[link].io[0].buffer_id = odd[random() % SPA_N_ELEMENTS(odd)];
        if (random() % 2 == 0) desk.links[link].io[0].buffer_id = 0;
        desk.links[link].io[0].status = (int32_t)(random() % 4 == 0 ? odd[random() % SPA_N_ELEMENTS(odd)] : SPA_STATUS_HAVE_DATA);
        desk.links[link].chunk.offset = odd[random() % SPA_N_ELEMENTS(odd)];
        desk.links[link].chunk.size = odd[random() % SPA_N_ELEMENTS(odd)];
        desk.links[link].chunk.flags = (int32_t)random();
        fill(&desk, 1 - link, 1024);
        desk.out.io[0].status = SPA_STATUS_NEED_DATA;
        spa_node_process(desk.node);
    }
    close_desk(&desk);
}

static void what_it_does_not_know_is_mixed_as_ever(void) {
    struct desk desk;
    struct spa_data two[2];
    struct end *end;
    open_desk(&desk, 2, true);
    CHECK(cpw_mixer_can_ramp(desk.mixer, 0) && cpw_mixer_can_ramp(desk.mixer, 1), "before");
    changes = 0;
    end = &desk.links[1];
    spa_node_port_set_io(desk.node, SPA_DIRECTION_INPUT, 1, SPA_IO_Buffers, NULL, 0);
    two[0] = two[1] = end->data;
    end->buffer.datas = two;
    end->buffer.n_datas = 2;
    use(&desk, SPA_DIRECTION_INPUT, 1, end, false);
    CHECK(!cpw_mixer_can_ramp(desk.mixer, 1) && changes == 1, "two blocks, %d changes", changes);
    cpw_mixer_ramp(desk.mixer, 1, 0, 0, false);
    for (uint32_t frame = 0; frame < 64; frame++) end->samples[frame] = 1;
    fill(&desk, 1, 64);
    CHECK(mix(&desk)[0] == 1, "it is not heard");
    /* More buffers than either mixer takes. */
    struct spa_buffer *many[65];
    end->buffer.datas = &end->data;
    end->buffer.n_datas = 1;
    for (size_t index = 0; index < SPA_N_ELEMENTS(many); index++) many[index] = &end->buffer;
    spa_node_port_set_io(desk.node, SPA_DIRECTION_INPUT, 1, SPA_IO_Buffers, NULL, 0);
    CHECK(spa_node_port_use_buffers(desk.node, SPA_DIRECTION_INPUT, 1, 0, many, SPA_N_ELEMENTS(many)) < 0, "65 buffers");
    CHECK(!cpw_mixer_can_ramp(desk.mixer, 1) && changes == 2, "65 buffers, %d changes", changes);
    /* A buffer so large that its gain would take the data thread's time. */
    end->data.maxsize = 64 << 20;
    use(&desk, SPA_DIRECTION_INPUT, 1, end, false);
    CHECK(!cpw_mixer_can_ramp(desk.mixer, 1) && changes == 3, "64 MiB, %d changes", changes);
    spa_node_port_set_io(desk.node, SPA_DIRECTION_INPUT, 1, SPA_IO_Buffers, NULL, 0);
    end->data.maxsize = LARGEST * sizeof(float);
    spa_node_port_set_io(desk.node, SPA_DIRECTION_OUTPUT, 0, SPA_IO_Buffers, NULL, 0);
    CHECK(changes == 4, "%d changes", changes);
    CHECK(cpw_mixer_is_replaced(desk.mixer) && !cpw_mixer_can_ramp(desk.mixer, 0), "replaced");
    CHECK(!cpw_mixer_can_ramp(desk.mixer, 7) && !cpw_mixer_can_ramp(desk.mixer, 100000), "no such link");
    cpw_mixer_ramp(desk.mixer, 100000, 0, 0, false);
    close_desk(&desk);
}

static void without_memory_it_is_mixed_as_ever(void) {
    struct desk desk;
    open_desk(&desk, 1, true);
    fails_to_allocate = true;
    CHECK(spa_node_add_port(desk.node, SPA_DIRECTION_INPUT, 1, NULL) >= 0, "the server's own has memory");
    CHECK(cpw_mixer_new(desk.node, count_change) == NULL, "it has memory");
    fails_to_allocate = false;
    CHECK(!cpw_mixer_can_ramp(desk.mixer, 1), "without memory");
    make_end(&desk.links[1]);
    set_format(&desk, SPA_DIRECTION_INPUT, 1);
    use(&desk, SPA_DIRECTION_INPUT, 1, &desk.links[1], false);
    for (uint32_t frame = 0; frame < 64; frame++) desk.links[1].samples[frame] = 1;
    fill(&desk, 1, 64);
    CHECK(mix(&desk)[0] == 1, "it is not heard");
    close_desk(&desk);
}

/* In a child that the kernel ends at its first call: all that a data thread does in a thousand cycles. */
static void no_call_of_the_kernel(void) {
    struct desk desk;
    static float gains[1024];
    int status;
    open_desk(&desk, LINKS, true);
    /* What the first cycle touches for the first time is no call, but a fault, which is the kernel's own. */
    pid_t child = fork();
    if (child == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(2);
        for (int round = 0; round < 1000; round++) {
            cpw_mixer_ramp(desk.mixer, (uint32_t)round % LINKS, (float)(round % 5) / 4, 480, false);
            for (uint32_t link = 1; link < LINKS; link++) fill(&desk, link, 1024);
            cycle(&desk, 1024, gains);
        }
        /* The only way out that is allowed. */
        syscall(SYS_exit, 0);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %#x", status);
    CHECK(allocations == 0, "%d allocations while it processed", allocations);
    close_desk(&desk);
}

/* MARK: Both threads at once */

static struct desk shared;
static atomic_bool is_over;

static void *run_data_thread(void *data) {
    static float gains[256];
    (void)data;
    while (!is_over) {
        for (uint32_t frame = 0; frame < 256; frame++) shared.links[0].samples[frame] = 1;
        fill(&shared, 0, 256);
        shared.out.io[0].status = SPA_STATUS_NEED_DATA;
        spa_node_process(shared.node);
        memcpy(gains, shared.out.buffer.datas[0].data, sizeof gains);
        for (uint32_t frame = 0; frame < 256; frame++)
            if (!is_within(gains[frame])) failures++;
    }
    return NULL;
}

/* Orders and data: what the server locks its data loop for is not tried here. */
static void orders_from_another_thread(void) {
    pthread_t thread;
    open_desk(&shared, 2, true);
    pthread_create(&thread, NULL, run_data_thread, NULL);
    for (int round = 0; round < 200000; round++) {
        cpw_mixer_ramp(shared.mixer, 0, (float)(round % 5) / 4, (uint32_t)(round % 700), false);
        if (round % 100 == 0) spa_node_set_io(shared.node, SPA_IO_Position, &shared.position, sizeof shared.position);
    }
    is_over = true;
    pthread_join(thread, NULL);
    close_desk(&shared);
}

/* MARK: What it costs */

static double nanoseconds(struct desk *desk, uint32_t links, uint32_t quantum) {
    struct timespec begin, end;
    double best = INFINITY;
    uint32_t rounds = 2000000 / quantum;
    for (int turn = 0; turn < 15; turn++) {
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (uint32_t round = 0; round < rounds; round++) {
            for (uint32_t link = 0; link < links; link++) fill(desk, link, quantum);
            desk->out.io[0].status = SPA_STATUS_NEED_DATA;
            spa_node_process(desk->node);
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        best = fmin(best, ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / rounds / links);
    }
    return best;
}

static void print_cost(void) {
    printf("| quantum | server's own (ns) | at full level (ns) | lowered (ns) | in a fade (ns) | in a fade, share of the cycle |\n");
    printf("| ------: | ----------------: | -----------------: | -----------: | -------------: | ----------------------------: |\n");
    for (size_t which = 0; which < SPA_N_ELEMENTS(quanta); which++) {
        uint32_t quantum = quanta[which];
        struct desk stock, ours;
        double times[4];
        open_desk(&stock, LINKS, false);
        open_desk(&ours, LINKS, true);
        times[0] = nanoseconds(&stock, LINKS, quantum);
        times[1] = nanoseconds(&ours, LINKS, quantum);
        for (uint32_t link = 0; link < LINKS; link++) cpw_mixer_ramp(ours.mixer, link, 0.5f, 0, false);
        times[2] = nanoseconds(&ours, LINKS, quantum);
        for (uint32_t link = 0; link < LINKS; link++) cpw_mixer_ramp(ours.mixer, link, 1, UINT32_MAX, false);
        times[3] = nanoseconds(&ours, LINKS, quantum);
        printf("| %7u | %17.0f | %18.0f | %12.0f | %14.0f | %27.2f %% |\n", quantum, times[0], times[1], times[2], times[3],
               100 * (times[3] - times[0]) / (1e9 * quantum / RATE));
        close_desk(&stock);
        close_desk(&ours);
    }
}

int main(int count, char **words) {
    int (*enumerate)(const struct spa_handle_factory **found, uint32_t *index);
    uint32_t index = 0;
    void *plugin = count > 1 ? dlopen(words[1], RTLD_NOW) : NULL;
    if (plugin == NULL) return fprintf(stderr, "mixer_test: no plugin with the server's mixer: %s\n", dlerror()), 2;
    enumerate = (int (*)(const struct spa_handle_factory **, uint32_t *))dlsym(plugin, "spa_handle_factory_enum");
    while (enumerate != NULL && enumerate(&factory, &index) == 1 && strcmp(factory->name, SPA_NAME_AUDIO_MIXER_DSP) != 0) {}
    if (factory == NULL || strcmp(factory->name, SPA_NAME_AUDIO_MIXER_DSP) != 0) return 2;
    if (count > 2 && strcmp(words[2], "cost") == 0) return print_cost(), 0;
    if (count > 2 && strcmp(words[2], "threads") == 0) {
        orders_from_another_thread();
        return failures != 0;
    }
#define RUN(test)                                                              \
    do {                                                                       \
        int before = failures;                                                 \
        test();                                                                \
        printf("%s: %s\n", failures == before ? "ok" : "FAILED", #test);       \
    } while (0)
    RUN(at_full_level_nothing_changes);
    RUN(a_fade_is_as_long_as_it_is_said_to_be);
    RUN(a_hard_cut_clicks);
    RUN(a_fade_makes_no_click);
    RUN(more_than_it_can_take_waits);
    RUN(silence_is_silence);
    RUN(links_are_apart);
    RUN(a_stream_that_sends_nothing);
    RUN(orders_while_nothing_is_mixed);
    RUN(what_was_not_taken_is_not_mixed_again);
    RUN(buffers_of_other_sizes);
    RUN(links_of_two_cycles);
    RUN(anything_from_the_other_end);
    RUN(what_it_does_not_know_is_mixed_as_ever);
    RUN(without_memory_it_is_mixed_as_ever);
    RUN(orders_from_another_thread);
    if (getenv("WITHOUT_SECCOMP") == NULL) RUN(no_call_of_the_kernel);
    return failures != 0;
}
