/* A client of PulseAudio whose streams come and go.
 *
 *   stream-churn COUNT [AT-ONCE]    begins and ends COUNT streams of all roles, so many at a time, and prints how many played
 *   stream-churn die-PHASE ROLE     kills itself without a word when its stream is in a phase: connecting, creating, ready,
 *                                   playing, corked, draining
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pulse/pulseaudio.h>

static const pa_sample_spec format = {.format = PA_SAMPLE_S16LE, .rate = 48000, .channels = 2};
static const char *const roles[] = {"music", "phone", "navigation", "event", "alarm", "video", "Ringtone", NULL};
enum { ROLES = sizeof roles / sizeof roles[0] };

static pa_mainloop *loop;
static pa_context *context;
static int count, begun, ended, played;
static const char *phase = "";
static const char *role;

static void die_in(const char *name) {
    if (strcmp(phase, name) == 0) raise(SIGKILL);
}

static void begin(void);

static void next(void) {
    ended++;
    if (ended == count) pa_mainloop_quit(loop, 0);
    if (begun < count) begin();
}

static void corked(pa_stream *stream, int success, void *data) {
    (void)stream, (void)success, (void)data;
    die_in("corked");
}

static void drained(pa_stream *stream, int success, void *data) {
    (void)stream, (void)success, (void)data;
}

static void write_sound(pa_stream *stream, size_t wanted, void *data) {
    static const char silence[4096];
    int *writes = data;
    while (wanted >= sizeof silence && pa_stream_write(stream, silence, sizeof silence, NULL, 0, PA_SEEK_RELATIVE) == 0)
        wanted -= sizeof silence;
    if (++*writes != 2) return;
    played++;
    die_in("playing");
    if (strcmp(phase, "corked") == 0) pa_operation_unref(pa_stream_cork(stream, 1, corked, NULL));
    if (strcmp(phase, "draining") == 0) {
        pa_operation_unref(pa_stream_drain(stream, drained, NULL));
        die_in("draining");
    }
    if (*phase == '\0') pa_stream_disconnect(stream);
}

static void stream_changed(pa_stream *stream, void *data) {
    switch (pa_stream_get_state(stream)) {
    case PA_STREAM_READY:
        die_in("ready");
        break;
    case PA_STREAM_TERMINATED:
    case PA_STREAM_FAILED:
        free(data);
        pa_stream_set_state_callback(stream, NULL, NULL);
        pa_stream_set_write_callback(stream, NULL, NULL);
        pa_stream_unref(stream);
        next();
        break;
    default: break;
    }
}

static void begin(void) {
    const char *own = role == NULL ? roles[begun % ROLES] : role;
    pa_proplist *properties = pa_proplist_new();
    if (own != NULL) pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, own);
    char name[32];
    snprintf(name, sizeof name, "churn-%d", begun);
    pa_proplist_sets(properties, PA_PROP_APPLICATION_PROCESS_BINARY, name);
    begun++;
    pa_stream *stream = pa_stream_new_with_proplist(context, name, &format, NULL, properties);
    pa_proplist_free(properties);
    int *writes = calloc(1, sizeof *writes);
    pa_stream_set_state_callback(stream, stream_changed, writes);
    pa_stream_set_write_callback(stream, write_sound, writes);
    /* 20 ms, so that none takes long. */
    pa_buffer_attr buffer = {
        .maxlength = (uint32_t)-1, .tlength = 3840, .prebuf = 0, .minreq = (uint32_t)-1, .fragsize = (uint32_t)-1};
    pa_stream_connect_playback(stream, NULL, &buffer, PA_STREAM_ADJUST_LATENCY, NULL, NULL);
    die_in("creating");
}

static void context_changed(pa_context *changed, void *data) {
    int at_once = *(int *)data;
    switch (pa_context_get_state(changed)) {
    case PA_CONTEXT_AUTHORIZING: die_in("connecting"); break;
    case PA_CONTEXT_READY:
        for (int number = 0; number < at_once && begun < count; number++) begin();
        break;
    case PA_CONTEXT_FAILED:
    case PA_CONTEXT_TERMINATED: pa_mainloop_quit(loop, 1); break;
    default: break;
    }
}

int main(int argc, char **argv) {
    int at_once = 20;
    if (argc < 2) return 2;
    if (strncmp(argv[1], "die-", 4) == 0) {
        phase = argv[1] + 4;
        role = argc > 2 ? argv[2] : NULL;
        count = at_once = 1;
    } else {
        count = atoi(argv[1]);
        if (argc > 2) at_once = atoi(argv[2]);
    }
    loop = pa_mainloop_new();
    context = pa_context_new(pa_mainloop_get_api(loop), "stream-churn");
    pa_context_set_state_callback(context, context_changed, &at_once);
    if (pa_context_connect(context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0) return 1;
    int result = 1;
    pa_mainloop_run(loop, &result);
    printf("%d of %d streams played\n", played, count);
    return result;
}
