/* The same as odd-client, for PulseAudio: many streams on one connection, and properties of any bytes.
 *
 *   odd-pulse-client COUNT FREQUENCY AMPLITUDE [KEY=VALUE …]
 *
 * Plays a tone on the right channel of COUNT streams until it is told to end. In a value, \xHH stands for a byte, and %d
 * for the number of the stream. With ODD_CLIENT_SINK set to the name of a sink, the streams play there. It corks and
 * uncorks them as it is asked to, and says so. On SIGUSR1 their role becomes that of ODD_CLIENT_ROLE. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pulse/pulseaudio.h>

enum { LONGEST_VALUE = 1 << 17 };

struct tone {
    pa_stream *stream;
    double phase;
};

static struct tone *tones;
static int count;
static double step;
static double amplitude;
static int property_count;
static char **properties;

static void play(pa_stream *stream, size_t bytes, void *data) {
    struct tone *tone = data;
    void *buffer = NULL;
    while (bytes > 0) {
        size_t room = bytes;
        if (pa_stream_begin_write(stream, &buffer, &room) < 0 || room < 2 * sizeof(float)) return;
        size_t frames = room / (2 * sizeof(float));
        float *samples = buffer;
        for (size_t frame = 0; frame < frames; frame++) {
            samples[2 * frame] = 0;
            samples[2 * frame + 1] = (float)(amplitude * sin(tone->phase));
            tone->phase = fmod(tone->phase + step, 2 * M_PI);
        }
        size_t written = frames * 2 * sizeof(float);
        if (pa_stream_write(stream, buffer, written, NULL, 0, PA_SEEK_RELATIVE) < 0) return;
        bytes = bytes > written ? bytes - written : 0;
    }
}

/* The bytes that a text stands for, with a NUL behind them; answers how many, the NUL included. */
static size_t expand(const char *text, int number, char *out) {
    size_t used = 0;
    while (*text != '\0' && used + 16 < LONGEST_VALUE) {
        unsigned byte;
        if (sscanf(text, "\\x%2x", &byte) == 1) {
            out[used++] = (char)byte;
            text += 4;
        } else if (strncmp(text, "%d", 2) == 0) {
            used += (size_t)snprintf(out + used, 12, "%d", number);
            text += 2;
        } else {
            out[used++] = *text++;
        }
    }
    out[used] = '\0';
    return used + 1;
}

static void asked(pa_stream *stream, const char *event, pa_proplist *list, void *data) {
    (void)list, (void)data;
    int corks = strcmp(event, PA_STREAM_EVENT_REQUEST_CORK) == 0;
    if (!corks && strcmp(event, PA_STREAM_EVENT_REQUEST_UNCORK) != 0) return;
    printf("%s\n", event);
    fflush(stdout);
    pa_operation *operation = pa_stream_cork(stream, corks, NULL, NULL);
    if (operation != NULL) pa_operation_unref(operation);
}

static void change_roles(pa_mainloop_api *api, pa_signal_event *event, int number, void *data) {
    (void)api, (void)event, (void)number, (void)data;
    const char *role = getenv("ODD_CLIENT_ROLE");
    for (int index = 0; index < count && role != NULL; index++) {
        pa_proplist *list = pa_proplist_new();
        pa_proplist_sets(list, PA_PROP_MEDIA_ROLE, role);
        pa_operation *operation =
            pa_stream_proplist_update(tones[index].stream, PA_UPDATE_REPLACE, list, NULL, NULL);
        if (operation != NULL) pa_operation_unref(operation);
        pa_proplist_free(list);
    }
}

static void connect_streams(pa_context *context) {
    static char value[LONGEST_VALUE];
    const pa_sample_spec format = {.format = PA_SAMPLE_FLOAT32NE, .rate = 48000, .channels = 2};
    /* 20 ms, as the tests measure. */
    const pa_buffer_attr attributes = {.maxlength = (uint32_t)-1, .tlength = 960 * 2 * sizeof(float),
                                       .prebuf = (uint32_t)-1, .minreq = (uint32_t)-1, .fragsize = (uint32_t)-1};
    for (int number = 0; number < count; number++) {
        pa_proplist *list = pa_proplist_new();
        for (int index = 0; index < property_count; index++) {
            char *equals = strchr(properties[index], '=');
            if (equals == NULL) continue;
            size_t size = expand(equals + 1, number, value);
            *equals = '\0';
            if (pa_proplist_set(list, properties[index], value, size) < 0)
                fprintf(stderr, "odd-pulse-client: cannot say %s\n", properties[index]);
            *equals = '=';
        }
        struct tone *tone = &tones[number];
        tone->stream = pa_stream_new_with_proplist(context, "odd", &format, NULL, list);
        pa_proplist_free(list);
        if (tone->stream == NULL) {
            fprintf(stderr, "odd-pulse-client: %s\n", pa_strerror(pa_context_errno(context)));
            exit(1);
        }
        pa_stream_set_write_callback(tone->stream, play, tone);
        pa_stream_set_event_callback(tone->stream, asked, NULL);
        pa_stream_connect_playback(tone->stream, getenv("ODD_CLIENT_SINK"), &attributes, PA_STREAM_ADJUST_LATENCY,
                                   NULL, NULL);
    }
}

static void changed(pa_context *context, void *data) {
    pa_mainloop *loop = data;
    pa_context_state_t state = pa_context_get_state(context);
    if (state == PA_CONTEXT_READY) connect_streams(context);
    if (PA_CONTEXT_IS_GOOD(state)) return;
    fprintf(stderr, "odd-pulse-client: no server\n");
    pa_mainloop_quit(loop, 1);
}

static void quit(pa_mainloop_api *api, pa_signal_event *event, int number, void *data) {
    (void)api, (void)event, (void)number;
    pa_mainloop_quit(data, 0);
}

int main(int argc, char *argv[]) {
    if (argc < 4) {
        fprintf(stderr, "usage: odd-pulse-client COUNT FREQUENCY AMPLITUDE [KEY=VALUE ...]\n");
        return 2;
    }
    count = atoi(argv[1]);
    step = 2 * M_PI * atof(argv[2]) / 48000;
    amplitude = atof(argv[3]);
    property_count = argc - 4;
    properties = argv + 4;
    tones = calloc((size_t)count, sizeof(*tones));
    pa_mainloop *loop = pa_mainloop_new();
    pa_signal_init(pa_mainloop_get_api(loop));
    pa_signal_new(SIGTERM, quit, loop);
    pa_signal_new(SIGINT, quit, loop);
    pa_signal_new(SIGUSR1, change_roles, NULL);
    pa_context *context = pa_context_new(pa_mainloop_get_api(loop), "odd-pulse-client");
    pa_context_set_state_callback(context, changed, loop);
    int status = 1;
    if (pa_context_connect(context, NULL, PA_CONTEXT_NOFLAGS, NULL) >= 0) pa_mainloop_run(loop, &status);
    pa_context_unref(context);
    pa_signal_done();
    pa_mainloop_free(loop);
    return status;
}
