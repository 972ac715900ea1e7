/* A client of PipeWire that attacks the server. For Tests/bin/attacks.
 *
 *   attack-graph KIND SECONDS COUNT [KEY=VALUE ...]
 *
 * Prints "ready" when the attack has begun, and at the end the number of requests. It does not wait for each answer,
 * but for the daemon to have read each batch. In a value, %d stands for a stream's number; with STREAMS=NUMBER, it ends
 * after so many that have come.
 *
 *   crowd        COUNT streams that want to play; with "paused" as the first property, paused ones
 *   properties   COUNT streams, whose roles and names change again and again
 *   wishes       COUNT streams, which pause and play again and again
 *   comings      streams come and go, COUNT at a time
 *   metadata     writes into the session manager's metadata again and again
 *   sinks        COUNT sinks, which come and go
 *   defaults     exports COUNT metadata objects named "default"
 *   call         rings on the right channel, in stream COUNT, from SIGUSR1 on, until SIGUSR2 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pipewire/extensions/metadata.h>
#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>
#include <spa/utils/result.h>

enum { BATCH = 32, MOST_PROPERTIES = 16 };

static struct pw_main_loop *loop;
static struct pw_core *core;
static struct pw_metadata *metadata;
static struct pw_stream **streams;
static struct spa_hook listeners[3];
static const char *kind;
static int count, next, pending;
static unsigned long done, most = -1ul;
static double end;
static char *pairs[MOST_PROPERTIES];
static int pair_count;

static int is(const char *name) { return strcmp(kind, name) == 0; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Gives each stream other session tags. */
static void set_tags(struct pw_properties *properties, int number) {
    static const char *const categories[] = {"playback", "ambient", "solo-ambient", "play-and-record"},
                             *const modes[] = {"default", "spoken-audio", "voice-prompt", "movie-playback"},
                             *const options[] = {"mix-with-others", "duck-others", "interrupt-spoken-audio",
                                                "allow-bluetooth-a2dp", "allow-airplay", "allow-bluetooth-input"};
    char list[256] = "";
    for (int bit = 0; bit < 6; bit++)
        if (number / 16 >> bit & 1) snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s ", options[bit]);
    pw_properties_set(properties, "audio-session.category", categories[number % 4]);
    pw_properties_set(properties, "audio-session.mode", modes[number / 4 % 4]);
    pw_properties_set(properties, "audio-session.options", list);
}

static void ring(void *data) {
    static double phase;
    struct pw_stream *stream = *(struct pw_stream **)data;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(stream);
    if (buffer == NULL) return;
    struct spa_data *plane = &buffer->buffer->datas[0];
    uint32_t frames = SPA_MIN(plane->maxsize / (2 * (uint32_t)sizeof(float)), 1024u);
    float *samples = plane->data;
    for (uint32_t frame = 0; samples != NULL && frame < frames; frame++) {
        samples[2 * frame] = 0;
        samples[2 * frame + 1] = (float)(0.25 * sin(phase));
        phase = fmod(phase + 2 * M_PI / 48, 2 * M_PI);
    }
    *plane->chunk = (struct spa_chunk){.size = frames * 2 * (uint32_t)sizeof(float), .stride = 2 * sizeof(float)};
    pw_stream_queue_buffer(stream, buffer);
}

static const struct pw_stream_events call_events = {PW_VERSION_STREAM_EVENTS, .process = ring};

static void asked(void *data, int number) {
    (void)data;
    pw_stream_set_active(streams[0], number == SIGUSR1);
}

static void add_stream(int number, int serial) {
    int is_sink = is("sinks"), is_paused = pair_count > 0 && strcmp(pairs[0], "paused") == 0;
    struct pw_properties *properties =
        pw_properties_new(PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_NODE_LATENCY, "1024/48000", NULL);
    if (is_sink) {
        pw_properties_setf(properties, PW_KEY_NODE_NAME, "attack-sink-%d", serial);
        pw_properties_set(properties, PW_KEY_MEDIA_CLASS, "Audio/Sink");
        pw_properties_set(properties, PW_KEY_NODE_VIRTUAL, "false");
    } else {
        pw_properties_set(properties, PW_KEY_MEDIA_CATEGORY, "Playback");
        pw_properties_set(properties, PW_KEY_MEDIA_ROLE, "Music");
        pw_properties_setf(properties, PW_KEY_NODE_NAME, "attack-stream-%d", serial);
    }
    for (int index = 0; index < pair_count; index++) {
        char key[64], value[256];
        if (strcmp(pairs[index], "tags") == 0) set_tags(properties, serial);
        const char *equals = strchr(pairs[index], '=');
        if (equals == NULL) continue;
        snprintf(key, sizeof(key), "%.*s", (int)(equals - pairs[index]), pairs[index]);
        const char *place = strstr(equals, "%d");
        if (place == NULL) {
            snprintf(value, sizeof(value), "%s", equals + 1);
        } else {
            snprintf(value, sizeof(value), "%.*s%d%s", (int)(place - equals - 1), equals + 1, serial, place + 2);
        }
        pw_properties_set(properties, key, value);
    }
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
    const struct spa_pod *format =
        spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat,
                                   &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32, .channels = 2, .rate = 48000));
    streams[number] = pw_stream_new(core, "attack", properties);
    enum pw_stream_flags flags = PW_STREAM_FLAG_MAP_BUFFERS | (is_paused ? PW_STREAM_FLAG_INACTIVE : 0);
    if (is("call")) {
        static struct spa_hook listener;
        flags |= PW_STREAM_FLAG_INACTIVE | PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_RT_PROCESS;
        pw_stream_add_listener(streams[number], &listener, &call_events, &streams[number]);
    }
    pw_stream_connect(streams[number], is_sink ? PW_DIRECTION_INPUT : PW_DIRECTION_OUTPUT, PW_ID_ANY, flags, &format, 1);
}

static void act(void) {
    static const char *const roles[] = {"Music", "Game", "Movie", "Animation"};
    int number = next++;
    if (is("properties")) {
        char name[32];
        snprintf(name, sizeof(name), "track %d", number);
        struct spa_dict_item items[] = {{PW_KEY_MEDIA_ROLE, roles[number % 4]}, {PW_KEY_MEDIA_NAME, name}};
        pw_stream_update_properties(streams[number % count], &SPA_DICT_INIT_ARRAY(items));
    } else if (is("wishes")) {
        pw_stream_set_active(streams[number % count], number / count % 2 != 0);
    } else if (is("comings") || is("sinks")) {
        int place = number % count;
        if (streams[place] != NULL) pw_stream_destroy(streams[place]);
        add_stream(place, number);
    } else if (is("metadata") && metadata != NULL) {
        char value[64];
        snprintf(value, sizeof(value), "{ \"name\": \"nobody-%d\" }", number);
        if (number % 3 == 0) {
            pw_metadata_set_property(metadata, 0, "default.configured.audio.sink", "Spa:String:JSON",
                                     number % 2 ? value : NULL);
        } else {
            pw_metadata_set_property(metadata, (uint32_t)(number % 200), "target.object", NULL, number % 2 ? "-1" : NULL);
        }
    } else if (is("defaults") && number < count) {
        struct spa_dict_item items[] = {{PW_KEY_METADATA_NAME, "default"}};
        pw_core_create_object(core, "metadata", PW_TYPE_INTERFACE_Metadata, PW_VERSION_METADATA,
                              &SPA_DICT_INIT_ARRAY(items), 0);
    } else {
        return;
    }
    done++;
}

static void synchronised(void *data, uint32_t id, int sequence) {
    (void)data;
    if (id != PW_ID_CORE || sequence != pending) return;
    static int is_told;
    /* The globals arrive before the first answer, and the events of objects bound then before the second. */
    if (is_told < 2 && ++is_told == 2) {
        puts("ready");
        fflush(stdout);
    }
    /* The daemon has read the last ones, too. */
    if (done >= most) {
        pw_main_loop_quit(loop);
        return;
    }
    if (is_told == 2) {
        int batch = is("comings") || is("sinks") ? 4 : BATCH;
        for (int index = 0; index < batch && done < most; index++) act();
        if (is("crowd") || is("call") || (is("defaults") && next >= count)) return;
    }
    pending = pw_core_sync(core, PW_ID_CORE, 0);
}

static void failed(void *data, uint32_t id, int sequence, int code, const char *message) {
    (void)data, (void)sequence;
    fprintf(stderr, "attack-graph: %u: %s: %s\n", id, message, spa_strerror(code));
    if (id == PW_ID_CORE && code == -EPIPE) pw_main_loop_quit(loop);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .done = synchronised, .error = failed};

static void announced(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties) {
    struct pw_registry *registry = data;
    (void)permissions, (void)version;
    if (strcmp(type, PW_TYPE_INTERFACE_Metadata) != 0 || metadata != NULL || properties == NULL) return;
    const char *name = spa_dict_lookup(properties, PW_KEY_METADATA_NAME);
    if (name != NULL && strcmp(name, "default") == 0)
        metadata = pw_registry_bind(registry, id, type, PW_VERSION_METADATA, 0);
}

static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = announced};

static void tick(void *data, uint64_t expirations) {
    (void)data, (void)expirations;
    if (now() >= end) pw_main_loop_quit(loop);
}

int main(int argument_count, char *arguments[]) {
    if (argument_count < 4) {
        fprintf(stderr, "usage: attack-graph KIND SECONDS COUNT [KEY=VALUE ...]\n");
        return 2;
    }
    kind = arguments[1];
    end = now() + atof(arguments[2]);
    count = atoi(arguments[3]);
    for (int index = 4; index < argument_count && pair_count < MOST_PROPERTIES; index++) {
        if (strncmp(arguments[index], "STREAMS=", 8) == 0) {
            most = strtoul(arguments[index] + 8, NULL, 10);
        } else {
            pairs[pair_count++] = arguments[index];
        }
    }
    pw_init(NULL, NULL);
    loop = pw_main_loop_new(NULL);
    /* Before there is another thread: a thread that does not block the signals would receive them and end the program. */
    pw_loop_add_signal(pw_main_loop_get_loop(loop), SIGUSR1, asked, NULL);
    pw_loop_add_signal(pw_main_loop_get_loop(loop), SIGUSR2, asked, NULL);
    struct pw_context *context = pw_context_new(pw_main_loop_get_loop(loop), NULL, 0);
    core = pw_context_connect(context, NULL, 0);
    if (core == NULL) {
        fprintf(stderr, "attack-graph: no server\n");
        return 1;
    }
    pw_core_add_listener(core, &listeners[0], &core_events, NULL);
    streams = calloc((size_t)count, sizeof(*streams));
    if (is("metadata")) {
        struct pw_registry *registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
        pw_registry_add_listener(registry, &listeners[1], &registry_events, registry);
    }
    if (is("crowd") || is("call") || is("properties") || is("wishes"))
        for (int number = 0; number < count; number++) add_stream(number, number);
    if (is("crowd")) done = (unsigned long)count;
    struct spa_source *timer = pw_loop_add_timer(pw_main_loop_get_loop(loop), tick, NULL);
    struct timespec often = {0, 50000000};
    pw_loop_update_timer(pw_main_loop_get_loop(loop), timer, &often, &often, false);
    pending = pw_core_sync(core, PW_ID_CORE, 0);
    pw_main_loop_run(loop);
    printf("done %lu errors 0 %s\n", done, kind);
    return 0;
}
