/* A client that does what well-behaved programs do not: many streams on one connection, and properties of any bytes.
 *
 *   odd-client COUNT FREQUENCY AMPLITUDE [KEY=VALUE …]
 *
 * Plays a tone on the right channel of COUNT streams until it is told to end. In a value, \xHH stands for a byte, and %d
 * for the number of the stream. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>

struct tone {
    struct pw_stream *stream;
    struct spa_hook listener;
    double phase;
};

static double step;
static double amplitude;

static void process(void *data) {
    struct tone *tone = data;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(tone->stream);
    if (buffer == NULL) return;
    struct spa_data *plane = &buffer->buffer->datas[0];
    uint32_t frames = plane->maxsize / (2 * sizeof(float));
    if (buffer->requested != 0 && buffer->requested < frames) frames = buffer->requested;
    float *samples = plane->data;
    if (samples == NULL) frames = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        samples[2 * frame] = 0;
        samples[2 * frame + 1] = amplitude * sin(tone->phase);
        tone->phase = fmod(tone->phase + step, 2 * M_PI);
    }
    plane->chunk->offset = 0;
    plane->chunk->stride = 2 * sizeof(float);
    plane->chunk->size = frames * 2 * sizeof(float);
    pw_stream_queue_buffer(tone->stream, buffer);
}

static const struct pw_stream_events events = {PW_VERSION_STREAM_EVENTS, .process = process};

static void expand(const char *text, int number, char *out, size_t size) {
    size_t used = 0;
    while (*text != '\0' && used + 16 < size) {
        unsigned byte;
        if (sscanf(text, "\\x%2x", &byte) == 1) {
            out[used++] = (char)byte;
            text += 4;
        } else if (strncmp(text, "%d", 2) == 0) {
            used += snprintf(out + used, 12, "%d", number);
            text += 2;
        } else {
            out[used++] = *text++;
        }
    }
    out[used] = '\0';
}

static void quit(void *data, int number) {
    (void)number;
    pw_main_loop_quit(data);
}

int main(int argc, char *argv[]) {
    if (argc < 4) {
        fprintf(stderr, "usage: odd-client COUNT FREQUENCY AMPLITUDE [KEY=VALUE ...]\n");
        return 2;
    }
    int count = atoi(argv[1]);
    step = 2 * M_PI * atof(argv[2]) / 48000;
    amplitude = atof(argv[3]);
    pw_init(NULL, NULL);
    struct pw_main_loop *loop = pw_main_loop_new(NULL);
    pw_loop_add_signal(pw_main_loop_get_loop(loop), SIGTERM, quit, loop);
    pw_loop_add_signal(pw_main_loop_get_loop(loop), SIGINT, quit, loop);
    struct pw_context *context = pw_context_new(pw_main_loop_get_loop(loop), NULL, 0);
    struct pw_core *core = pw_context_connect(context, NULL, 0);
    if (core == NULL) {
        fprintf(stderr, "odd-client: no server\n");
        return 1;
    }
    struct tone *tones = calloc(count, sizeof(*tones));
    char *value = malloc(1 << 20);
    for (int number = 0; number < count; number++) {
        struct pw_properties *properties = pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY,
                                                             "Playback", PW_KEY_NODE_LATENCY, "1024/48000", NULL);
        for (int index = 4; index < argc; index++) {
            char *equals = strchr(argv[index], '=');
            if (equals == NULL) continue;
            expand(equals + 1, number, value, 1 << 20);
            *equals = '\0';
            pw_properties_set(properties, argv[index], value);
            *equals = '=';
        }
        tones[number].stream = pw_stream_new(core, "odd", properties);
        pw_stream_add_listener(tones[number].stream, &tones[number].listener, &events, &tones[number]);
        uint8_t buffer[1024];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
        const struct spa_pod *format = spa_format_audio_raw_build(
            &builder, SPA_PARAM_EnumFormat,
            &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32, .channels = 2, .rate = 48000));
        pw_stream_connect(tones[number].stream, PW_DIRECTION_OUTPUT, PW_ID_ANY,
                          PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS, &format,
                          1);
    }
    pw_main_loop_run(loop);
    pw_core_disconnect(core);
    pw_context_destroy(context);
    pw_main_loop_destroy(loop);
    return 0;
}
