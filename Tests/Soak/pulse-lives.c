/* A client of PulseAudio whose streams live short, random lives. For Tests/bin/soak.
 *
 *   pulse-lives COUNT AT-ONCE SEED
 *
 * Begins and ends COUNT streams, AT-ONCE at a time. Each stream has a random role, plays for a random time, and
 * meanwhile may be corked, change its role or set a volume; it is ended or drained. Prints a dot for each stream that
 * was ready and has ended. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pulse/pulseaudio.h>

static const pa_sample_spec format = {.format = PA_SAMPLE_S16LE, .rate = 48000, .channels = 2};
static const char *const roles[] = {
    "music", "phone", "navigation", "event", "alarm", "video", "ringtone", "game", "a11y", "production", "unheard-of", NULL};
enum { ROLES = sizeof roles / sizeof roles[0] };

static pa_mainloop *loop;
static pa_mainloop_api *api;
static pa_context *context;
static int count, begun, ended;
static unsigned state;

struct life {
    pa_stream *stream;
    pa_time_event *timer;
    int steps;
};

static unsigned below(unsigned limit) { return (unsigned)rand_r(&state) % limit; }

static void begin(void);

static void release(pa_operation *operation) {
    if (operation != NULL) pa_operation_unref(operation);
}

static void wait_a_while(struct life *life, unsigned most) {
    struct timeval moment;
    pa_timeval_add(pa_gettimeofday(&moment), (pa_usec_t)(5 + below(most)) * 1000);
    api->time_restart(life->timer, &moment);
}

static void end(pa_stream *stream, int success, void *data) {
    (void)success, (void)data;
    pa_stream_disconnect(stream);
}

/* Takes the next random step of a stream's life. */
static void step(pa_mainloop_api *same, pa_time_event *timer, const struct timeval *moment, void *data) {
    struct life *life = data;
    (void)same, (void)timer, (void)moment;
    if (--life->steps < 0) {
        /* A stream that the policy holds never finishes a drain, so wait only for a limited time. */
        if (below(4) == 0 && life->steps == -1 && pa_stream_is_corked(life->stream) == 0) {
            release(pa_stream_drain(life->stream, end, NULL));
            wait_a_while(life, 100);
        } else {
            pa_stream_disconnect(life->stream);
        }
        return;
    }
    switch (below(3)) {
    case 0: release(pa_stream_cork(life->stream, !pa_stream_is_corked(life->stream), NULL, NULL)); break;
    case 1: {
        pa_proplist *list = pa_proplist_new();
        const char *role = roles[below(ROLES)];
        pa_proplist_sets(list, PA_PROP_MEDIA_ROLE, role == NULL ? "" : role);
        release(pa_stream_proplist_update(life->stream, PA_UPDATE_REPLACE, list, NULL, NULL));
        pa_proplist_free(list);
        break;
    }
    default: break;
    }
    wait_a_while(life, 60);
}

static void write_sound(pa_stream *stream, size_t wanted, void *data) {
    static const char silence[8192];
    (void)data;
    while (wanted > 0) {
        size_t part = wanted < sizeof silence ? wanted : sizeof silence;
        if (pa_stream_write(stream, silence, part, NULL, 0, PA_SEEK_RELATIVE) != 0) return;
        wanted -= part;
    }
}

static void changed(pa_stream *stream, void *data) {
    struct life *life = data;
    switch (pa_stream_get_state(stream)) {
    case PA_STREAM_READY: wait_a_while(life, 60); break;
    case PA_STREAM_TERMINATED:
        if (write(STDOUT_FILENO, ".", 1) < 0) exit(1);
        /* fall through */
    case PA_STREAM_FAILED:
        api->time_free(life->timer);
        free(life);
        pa_stream_set_state_callback(stream, NULL, NULL);
        pa_stream_set_write_callback(stream, NULL, NULL);
        pa_stream_unref(stream);
        if (++ended == count) pa_mainloop_quit(loop, 0);
        if (begun < count) begin();
        break;
    default: break;
    }
}

static void begin(void) {
    struct life *life = calloc(1, sizeof *life);
    pa_proplist *list = pa_proplist_new();
    const char *role = roles[below(ROLES)];
    if (role != NULL) pa_proplist_sets(list, PA_PROP_MEDIA_ROLE, role);
    begun++;
    life->steps = (int)below(4);
    life->stream = pa_stream_new_with_proplist(context, "life", &format, NULL, list);
    life->timer = api->time_new(api, NULL, step, life);
    pa_proplist_free(list);
    pa_stream_set_state_callback(life->stream, changed, life);
    pa_stream_set_write_callback(life->stream, write_sound, NULL);
    /* A buffer of 20 ms, so that drains are short. */
    pa_buffer_attr buffer = {
        .maxlength = (uint32_t)-1, .tlength = 3840, .prebuf = 0, .minreq = (uint32_t)-1, .fragsize = (uint32_t)-1};
    pa_cvolume half;
    pa_cvolume_set(&half, 2, PA_VOLUME_NORM / 2);
    pa_stream_flags_t flags = PA_STREAM_ADJUST_LATENCY | (below(4) == 0 ? PA_STREAM_START_CORKED : 0);
    pa_stream_connect_playback(life->stream, NULL, &buffer, flags, below(8) == 0 ? &half : NULL, NULL);
}

static void context_changed(pa_context *changed, void *data) {
    int at_once = *(int *)data;
    switch (pa_context_get_state(changed)) {
    case PA_CONTEXT_READY:
        for (int number = 0; number < at_once && begun < count; number++) begin();
        break;
    case PA_CONTEXT_FAILED:
    case PA_CONTEXT_TERMINATED: pa_mainloop_quit(loop, 1); break;
    default: break;
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: pulse-lives COUNT AT-ONCE SEED\n");
        return 2;
    }
    count = atoi(argv[1]);
    int at_once = atoi(argv[2]), result = 1;
    state = (unsigned)atoi(argv[3]);
    loop = pa_mainloop_new();
    api = pa_mainloop_get_api(loop);
    context = pa_context_new(api, "pulse-lives");
    pa_context_set_state_callback(context, context_changed, &at_once);
    if (pa_context_connect(context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0) return 1;
    pa_mainloop_run(loop, &result);
    return result;
}
