/* A client of PipeWire whose streams live short, random lives. For Tests/bin/soak and Tests/bin/bench.
 *
 *   native-lives COUNT AT-ONCE SEED [ROLE]
 *
 * The counterpart of pulse-lives for PipeWire: begins and ends COUNT streams, AT-ONCE at a time. Each stream has a
 * random role, plays for a random time, and may pause or change its role meanwhile; with ROLE, all have that one. Prints a
 * dot for each stream that was connected and has ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>

static const char *const roles[] = {
    "Music", "phone", "navigation", "Notification", "alarm", "Movie", "ringtone", "Game", "Accessibility", "Production",
    "unheard-of", NULL};
enum { ROLES = sizeof roles / sizeof roles[0] };

static struct pw_main_loop *main_loop;
static struct pw_core *core;
static int count, begun, ended;
static unsigned state;

struct life {
    struct pw_stream *stream;
    struct spa_hook listener;
    struct spa_source *timer;
    int steps;
    bool is_connected, is_active;
};

/* The role of all streams; NULL where they are random. */
static const char *only_role;

static unsigned below(unsigned limit) { return (unsigned)rand_r(&state) % limit; }

static const char *any_role(void) { return only_role != NULL ? only_role : roles[below(ROLES)]; }

static void begin(struct life *life);

static void wait_a_while(struct life *life, unsigned most) {
    struct timespec time = {.tv_nsec = (long)(5 + below(most)) * 1000000};
    pw_loop_update_timer(pw_main_loop_get_loop(main_loop), life->timer, &time, NULL, false);
}

static void process(void *data) {
    struct life *life = data;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(life->stream);
    if (buffer == NULL) return;
    struct spa_data *plane = &buffer->buffer->datas[0];
    uint32_t frames = plane->maxsize / 4;
    if (buffer->requested != 0 && buffer->requested < frames) frames = buffer->requested;
    if (plane->data != NULL) memset(plane->data, 0, frames * 4);
    plane->chunk->offset = 0;
    plane->chunk->stride = 4;
    plane->chunk->size = frames * 4;
    pw_stream_queue_buffer(life->stream, buffer);
}

static void state_changed(void *data, enum pw_stream_state old, enum pw_stream_state new, const char *error) {
    struct life *life = data;
    (void)old, (void)error;
    /* From this state on the server has the stream's node. */
    if (new >= PW_STREAM_STATE_PAUSED && !life->is_connected) {
        life->is_connected = true;
        wait_a_while(life, 60);
    }
}

static const struct pw_stream_events events = {
    PW_VERSION_STREAM_EVENTS, .state_changed = state_changed, .process = process};

static void step(void *data, uint64_t expirations) {
    struct life *life = data;
    (void)expirations;
    if (--life->steps < 0 || !life->is_connected) {
        if (life->is_connected && write(STDOUT_FILENO, ".", 1) < 0) exit(1);
        pw_stream_destroy(life->stream);
        life->stream = NULL;
        if (++ended == count) pw_main_loop_quit(main_loop);
        if (begun < count) begin(life);
        return;
    }
    switch (below(3)) {
    case 0:
        life->is_active = !life->is_active;
        pw_stream_set_active(life->stream, life->is_active);
        break;
    case 1: {
        const char *role = any_role();
        struct spa_dict_item items[] = {{PW_KEY_MEDIA_ROLE, role == NULL ? "" : role}};
        pw_stream_update_properties(life->stream, &SPA_DICT_INIT_ARRAY(items));
        break;
    }
    default: break;
    }
    wait_a_while(life, 60);
}

static void begin(struct life *life) {
    struct pw_properties *properties = pw_properties_new(
        PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Playback", PW_KEY_NODE_LATENCY, "1024/48000", NULL);
    const char *role = any_role();
    if (role != NULL) pw_properties_set(properties, PW_KEY_MEDIA_ROLE, role);
    begun++;
    life->steps = (int)below(4);
    life->is_connected = false;
    life->is_active = below(4) != 0;
    life->stream = pw_stream_new(core, "life", properties);
    memset(&life->listener, 0, sizeof life->listener);
    pw_stream_add_listener(life->stream, &life->listener, &events, life);
    uint8_t bytes[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(bytes, sizeof bytes);
    const struct spa_pod *format = spa_format_audio_raw_build(
        &builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_S16, .channels = 2, .rate = 48000));
    enum pw_stream_flags flags = PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS;
    if (!life->is_active) flags |= PW_STREAM_FLAG_INACTIVE;
    pw_stream_connect(life->stream, PW_DIRECTION_OUTPUT, PW_ID_ANY, flags, &format, 1);
    /* A stream that no session manager links is ended after this time. */
    struct timespec limit = {.tv_sec = 5};
    pw_loop_update_timer(pw_main_loop_get_loop(main_loop), life->timer, &limit, NULL, false);
}

static void failed(void *data, uint32_t id, int sequence, int result, const char *message) {
    (void)data, (void)sequence, (void)message;
    if (id == PW_ID_CORE && result == -EPIPE) exit(1);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .error = failed};

int main(int argc, char **argv) {
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: native-lives COUNT AT-ONCE SEED [ROLE]\n");
        return 2;
    }
    count = atoi(argv[1]);
    int at_once = atoi(argv[2]);
    state = (unsigned)atoi(argv[3]);
    if (argc > 4) only_role = argv[4];
    pw_init(NULL, NULL);
    main_loop = pw_main_loop_new(NULL);
    struct pw_context *context = pw_context_new(pw_main_loop_get_loop(main_loop), NULL, 0);
    struct spa_hook listener;
    if ((core = pw_context_connect(context, NULL, 0)) == NULL) return 1;
    pw_core_add_listener(core, &listener, &core_events, NULL);
    for (int number = 0; number < at_once && begun < count; number++) {
        struct life *life = calloc(1, sizeof *life);
        life->timer = pw_loop_add_timer(pw_main_loop_get_loop(main_loop), step, life);
        begin(life);
    }
    pw_main_loop_run(main_loop);
    pw_core_disconnect(core);
    pw_context_destroy(context);
    return 0;
}
