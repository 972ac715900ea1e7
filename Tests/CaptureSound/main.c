/* Records two channels of PipeWire, and says what it has lost.
 *
 *   capture-sound NAME FRAMES [KEY=VALUE …]
 *
 * Writes interleaved 32-bit floats of 48,000 frames a second to its output, without a header, until it is told to end. NAME
 * is its node, FRAMES the latency that it asks for, the rest are properties of its stream. Sound is taken on the data thread
 * and kept until the file takes it: pw-record loses what its main thread is too late for, and so also what a disk keeps it
 * from. A cycle of the graph that is not in the recording all the same is a line on its error output, with the clock of
 * PipeWire's logs. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pipewire/pipewire.h>
#include <spa/node/io.h>
#include <spa/param/audio/format-utils.h>
#include <spa/utils/result.h>

enum {
    RATE = 48000,
    CHANNELS = 2,
    FRAME = CHANNELS * sizeof(float),
    /* Twenty seconds. */
    KEPT = 20 * RATE * FRAME,
    /* A position that is further away is another driver's. */
    LONGEST_LOSS = RATE,
};

/* What is taken on the data thread, and not yet in the file. Bytes count from the beginning of the recording. */
static char kept[KEPT];
static _Atomic uint64_t taken, written;
/* Frames that were lost, and the moment of the last ones. */
static _Atomic uint64_t lost;
static _Atomic int64_t lost_at;

static struct pw_main_loop *loop;
static struct pw_stream *stream;
static struct spa_source *wake;
static const char *name;
/* The graph's clock, and where the next cycle begins if none is lost; used on the data thread. */
static struct spa_io_position *position;
static uint64_t next_position;
static uint32_t clock_id = SPA_ID_INVALID;

static void lose(uint64_t frames) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    atomic_store(&lost_at, time.tv_sec * 1000000ll + time.tv_nsec / 1000);
    atomic_fetch_add(&lost, frames);
}

static void take(const char *bytes, size_t count) {
    uint64_t at = atomic_load(&taken);
    if (at + count - atomic_load(&written) > KEPT) {
        lose(count / FRAME);
        return;
    }
    size_t first = SPA_MIN(count, KEPT - at % KEPT);
    memcpy(kept + at % KEPT, bytes, first);
    memcpy(kept, bytes + first, count - first);
    atomic_store(&taken, at + count);
}

static void process(void *data) {
    (void)data;
    if (position != NULL && position->clock.rate.denom == RATE) {
        int64_t missing = (int64_t)(position->clock.position - next_position);
        if (position->clock.id == clock_id && missing > 0 && missing < LONGEST_LOSS) lose(missing);
        clock_id = position->clock.id;
        next_position = position->clock.position + position->clock.duration;
    }
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(stream);
    if (buffer == NULL) {
        lose(position != NULL ? position->clock.duration : 0);
    } else {
        struct spa_data *sound = &buffer->buffer->datas[0];
        uint32_t offset = SPA_MIN(sound->chunk->offset, sound->maxsize);
        if (sound->data != NULL) take((char *)sound->data + offset, SPA_MIN(sound->chunk->size, sound->maxsize - offset));
        pw_stream_queue_buffer(stream, buffer);
    }
    pw_loop_signal_event(pw_main_loop_get_loop(loop), wake);
}

static void write_taken(void *data, uint64_t count) {
    (void)data, (void)count;
    uint64_t frames = atomic_exchange(&lost, 0);
    if (frames > 0) {
        int64_t moment = atomic_load(&lost_at);
        fprintf(stderr, "[I][%05lld.%06lld] pw.node | (%s) missed a cycle: %llu frames are not recorded\n",
                (long long)(moment / 1000000), (long long)(moment % 1000000), name, (unsigned long long)frames);
    }
    for (;;) {
        uint64_t at = atomic_load(&written), end = atomic_load(&taken);
        if (at == end) return;
        ssize_t done = write(STDOUT_FILENO, kept + at % KEPT, SPA_MIN(end - at, KEPT - at % KEPT));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            perror("capture-sound: write");
            exit(1);
        }
        atomic_store(&written, at + done);
    }
}

static void io_changed(void *data, uint32_t id, void *area, uint32_t size) {
    (void)data;
    if (id == SPA_IO_Position) position = size >= sizeof(*position) ? area : NULL;
}

static void state_changed(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    (void)data, (void)old;
    /* What is not asked for is not lost. */
    if (state != PW_STREAM_STATE_STREAMING) clock_id = SPA_ID_INVALID;
    if (state == PW_STREAM_STATE_ERROR) fprintf(stderr, "capture-sound: %s\n", error);
    if (state == PW_STREAM_STATE_ERROR || (state == PW_STREAM_STATE_UNCONNECTED && old != state)) pw_main_loop_quit(loop);
}

static const struct pw_stream_events events = {
    PW_VERSION_STREAM_EVENTS, .state_changed = state_changed, .io_changed = io_changed, .process = process};

static void end(void *data, int signal) {
    (void)data, (void)signal;
    pw_main_loop_quit(loop);
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: capture-sound NAME FRAMES [KEY=VALUE …]\n");
        return 2;
    }
    pw_init(NULL, NULL);
    loop = pw_main_loop_new(NULL);
    struct pw_loop *main_loop = pw_main_loop_get_loop(loop);
    wake = pw_loop_add_event(main_loop, write_taken, NULL);
    pw_loop_add_signal(main_loop, SIGINT, end, NULL);
    pw_loop_add_signal(main_loop, SIGTERM, end, NULL);

    name = arguments[1];
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Capture", PW_KEY_MEDIA_ROLE, "Music", PW_KEY_NODE_NAME, name, NULL);
    pw_properties_setf(properties, PW_KEY_NODE_LATENCY, "%s/%d", arguments[2], RATE);
    pw_properties_setf(properties, PW_KEY_NODE_RATE, "1/%d", RATE);
    const char *connects = "true";
    for (int index = 3; index < count; index++) {
        char *value = strchr(arguments[index], '=');
        if (value == NULL) {
            fprintf(stderr, "capture-sound: '%s' is not KEY=VALUE\n", arguments[index]);
            return 2;
        }
        *value++ = '\0';
        if (strcmp(arguments[index], "node.autoconnect") == 0) connects = value;
        pw_properties_set(properties, arguments[index], value);
    }
    /* With the priority of a data thread, which is in a file of its own where client.conf does not have it. */
    struct pw_context *context = pw_context_new(main_loop, pw_properties_new(PW_KEY_CONFIG_NAME, "client-rt.conf", NULL), 0);
    if (context == NULL) context = pw_context_new(main_loop, NULL, 0);
    struct pw_core *core = context != NULL ? pw_context_connect(context, NULL, 0) : NULL;
    if (core == NULL) {
        perror("capture-sound: no server");
        return 1;
    }
    struct spa_hook listener;
    stream = pw_stream_new(core, name, properties);
    pw_stream_add_listener(stream, &listener, &events, NULL);
    uint8_t space[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(space, sizeof(space));
    struct spa_audio_info_raw info = SPA_AUDIO_INFO_RAW_INIT(
            .format = SPA_AUDIO_FORMAT_F32, .rate = RATE, .channels = CHANNELS,
            .position = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR});
    const struct spa_pod *format = spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &info);
    enum pw_stream_flags flags = PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS;
    if (strcmp(connects, "true") == 0) flags |= PW_STREAM_FLAG_AUTOCONNECT;
    int result = pw_stream_connect(stream, PW_DIRECTION_INPUT, PW_ID_ANY, flags, &format, 1);
    if (result < 0) {
        fprintf(stderr, "capture-sound: %s\n", spa_strerror(result));
        return 1;
    }
    pw_main_loop_run(loop);
    pw_stream_destroy(stream);
    write_taken(NULL, 0);
    return 0;
}
