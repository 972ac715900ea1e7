/* A client of PulseAudio that attacks the server. For Tests/bin/attacks.
 *
 *   attack-pulse KIND SECONDS COUNT [KEY=VALUE ...]
 *
 * Prints "ready" when the attack has begun, and at the end the number of requests. In a value, %d stands for a stream's
 * number; SINK=NAME names the sink of the streams; with STREAMS=NUMBER, it ends after so many that have come and gone.
 *
 *   crowd        COUNT streams that play silence; with "paused" as the first property, corked ones
 *   properties   COUNT streams, whose roles and names change again and again
 *   wishes       COUNT streams, which pause and play again and again
 *   comings      streams come and go, COUNT at a time
 *   call         rings on the right channel, in one stream, from SIGUSR1 on, until SIGUSR2 */
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pulse/pulseaudio.h>

/* The number of requests that may wait for an answer. */
enum { WINDOW = 32, MOST_PROPERTIES = 16 };

static const pa_sample_spec format = {.format = PA_SAMPLE_S16LE, .rate = 48000, .channels = 2};
static pa_mainloop *loop;
static pa_context *context;
static pa_stream **streams;
static const char *kind, *sink;
static int count, next, waiting, ready, is_paused;
static unsigned long done, errors, made, most = -1ul;
static double end;
static char *pairs[MOST_PROPERTIES];
static int pair_count;

static int is(const char *name) { return strcmp(kind, name) == 0; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void play(pa_stream *stream, size_t bytes, void *data) {
    (void)data;
    void *buffer = NULL;
    if (pa_stream_begin_write(stream, &buffer, &bytes) < 0) return;
    memset(buffer, 0, bytes);
    static int frame;
    for (size_t place = 1; is("call") && place < bytes / 2; place += 2)
        ((int16_t *)buffer)[place] = (int16_t)(8000 * sin(2 * M_PI * (frame++ % 48) / 48));
    pa_stream_write(stream, buffer, bytes, NULL, 0, PA_SEEK_RELATIVE);
}

static void changed(pa_stream *stream, void *data) {
    int place = (int)(size_t)data;
    pa_stream_state_t state = pa_stream_get_state(stream);
    if (state == PA_STREAM_READY) {
        ready++;
        if (is("comings")) {
            pa_stream_disconnect(stream);
            done++;
        }
    } else if (state == PA_STREAM_FAILED) {
        errors++;
        ready++;
    }
    if (is("comings") && (state == PA_STREAM_TERMINATED || state == PA_STREAM_FAILED)) {
        pa_stream_unref(streams[place]);
        streams[place] = NULL;
        waiting--;
    }
}

/* Gives each stream other session tags. */
static void set_tags(pa_proplist *properties, int number) {
    static const char *const categories[] = {"playback", "ambient", "solo-ambient", "play-and-record"},
                             *const modes[] = {"default", "spoken-audio", "voice-prompt", "movie-playback"},
                             *const options[] = {"mix-with-others", "duck-others", "interrupt-spoken-audio",
                                                "allow-bluetooth-a2dp", "allow-airplay", "allow-bluetooth-input"};
    char list[256] = "";
    for (int bit = 0; bit < 6; bit++)
        if (number / 16 >> bit & 1) snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s ", options[bit]);
    pa_proplist_sets(properties, "audio-session.category", categories[number % 4]);
    pa_proplist_sets(properties, "audio-session.mode", modes[number / 4 % 4]);
    pa_proplist_sets(properties, "audio-session.options", list);
}

static void add_stream(int place, int serial) {
    pa_proplist *properties = pa_proplist_new();
    pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, "music");
    for (int index = 0; index < pair_count; index++) {
        char key[64], value[256];
        if (strcmp(pairs[index], "tags") == 0) set_tags(properties, serial);
        const char *equals = strchr(pairs[index], '=');
        if (equals == NULL) continue;
        snprintf(key, sizeof(key), "%.*s", (int)(equals - pairs[index]), pairs[index]);
        const char *mark = strstr(equals, "%d");
        if (mark == NULL) {
            snprintf(value, sizeof(value), "%s", equals + 1);
        } else {
            snprintf(value, sizeof(value), "%.*s%d%s", (int)(mark - equals - 1), equals + 1, serial, mark + 2);
        }
        pa_proplist_sets(properties, key, value);
    }
    char name[32];
    snprintf(name, sizeof(name), "attack-stream-%d", serial);
    streams[place] = pa_stream_new_with_proplist(context, name, &format, NULL, properties);
    pa_proplist_free(properties);
    if (streams[place] == NULL) return;
    pa_stream_set_write_callback(streams[place], play, NULL);
    pa_stream_set_state_callback(streams[place], changed, (void *)(size_t)place);
    pa_stream_connect_playback(streams[place], sink, NULL, is_paused ? PA_STREAM_START_CORKED : 0, NULL, NULL);
}

static volatile sig_atomic_t asked;

static void ask(int number) { asked = number; }

static void answered(pa_stream *stream, int success, void *data) {
    (void)stream, (void)data;
    waiting--;
    done++;
    if (!success) errors++;
}

static void act(void) {
    static const char *const roles[] = {"music", "game", "video", "animation"};
    int number = next++;
    pa_operation *operation = NULL;
    if (is("comings")) {
        int place = number % count;
        if (streams[place] != NULL || made == most) return;
        made++;
        add_stream(place, number);
        waiting++;
        return;
    }
    pa_stream *stream = streams[number % count];
    if (stream == NULL || pa_stream_get_state(stream) != PA_STREAM_READY) return;
    if (is("properties")) {
        pa_proplist *properties = pa_proplist_new();
        pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, roles[number % 4]);
        pa_proplist_setf(properties, PA_PROP_MEDIA_NAME, "track %d", number);
        operation = pa_stream_proplist_update(stream, PA_UPDATE_REPLACE, properties, answered, NULL);
        pa_proplist_free(properties);
    } else if (is("wishes")) {
        operation = pa_stream_cork(stream, number / count % 2 == 0, answered, NULL);
    }
    if (operation == NULL) return;
    waiting++;
    pa_operation_unref(operation);
}

int main(int argument_count, char *arguments[]) {
    if (argument_count < 4) {
        fprintf(stderr, "usage: attack-pulse KIND SECONDS COUNT [KEY=VALUE ...]\n");
        return 2;
    }
    kind = arguments[1];
    end = now() + atof(arguments[2]);
    count = atoi(arguments[3]);
    for (int index = 4; index < argument_count && pair_count < MOST_PROPERTIES; index++) {
        if (strcmp(arguments[index], "paused") == 0) {
            is_paused = 1;
        } else if (strncmp(arguments[index], "SINK=", 5) == 0) {
            sink = arguments[index] + 5;
        } else if (strncmp(arguments[index], "STREAMS=", 8) == 0) {
            most = strtoul(arguments[index] + 8, NULL, 10);
        } else {
            pairs[pair_count++] = arguments[index];
        }
    }
    if (is("call")) {
        is_paused = 1;
        signal(SIGUSR1, ask);
        signal(SIGUSR2, ask);
    }
    streams = calloc((size_t)count, sizeof(*streams));
    loop = pa_mainloop_new();
    context = pa_context_new(pa_mainloop_get_api(loop), "attack");
    pa_context_connect(context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL);
    int is_told = 0, begun = 0;
    while (now() < end && (made < most || waiting > 0)) {
        pa_mainloop_prepare(loop, 20000);
        if (pa_mainloop_poll(loop) < 0 || pa_mainloop_dispatch(loop) < 0) break;
        if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(context))) {
            fprintf(stderr, "attack-pulse: no server\n");
            return 1;
        }
        if (pa_context_get_state(context) != PA_CONTEXT_READY) continue;
        if (!is("comings"))
            while (begun < count && begun - ready < WINDOW) {
                add_stream(begun, begun);
                begun++;
            }
        if (!is_told && (is("comings") || ready >= count)) {
            is_told = 1;
            puts("ready");
            fflush(stdout);
        }
        if (asked != 0) {
            pa_operation_unref(pa_stream_cork(streams[0], asked == SIGUSR2, NULL, NULL));
            asked = 0;
        }
        if (is_told && !is("crowd") && !is("call"))
            for (int index = 0; index < WINDOW && waiting < WINDOW; index++) act();
    }
    if (is("crowd")) done = (unsigned long)ready;
    printf("done %lu errors %lu %s\n", done, errors, kind);
    return 0;
}
