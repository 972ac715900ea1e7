/* A client that does what well-behaved programs do not: many streams on one connection, and properties of any bytes.
 *
 *   odd-client COUNT FREQUENCY AMPLITUDE [KEY=VALUE …]
 *
 * Plays a tone on the right channel of COUNT streams until it is told to end. In a value, \xHH stands for a byte, and %d
 * for the number of the stream. With ODD_CLIENT_SINK set to the name of a sink, the streams are linked to it by this
 * program itself: WirePlumber takes minutes for a thousand. On SIGUSR1 their role becomes that of ODD_CLIENT_ROLE. */
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

/* What is needed to link the streams by hand. */
struct linker {
    const char *sink;
    uint32_t sink_id;
    struct pw_core *core;
    struct tone *tones;
    int count;
    uint32_t sink_ports[2];
    /* Ports of ours, by number on their node, that are not linked yet. */
    uint32_t *waiting[2];
    int waiting_count[2];
    struct spa_hook listener;
};

static void link_ports(struct linker *linker, uint32_t output, uint32_t input) {
    char numbers[2][16];
    snprintf(numbers[0], sizeof(numbers[0]), "%u", output);
    snprintf(numbers[1], sizeof(numbers[1]), "%u", input);
    struct spa_dict_item items[] = {{PW_KEY_LINK_OUTPUT_PORT, numbers[0]}, {PW_KEY_LINK_INPUT_PORT, numbers[1]}};
    pw_core_create_object(linker->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK,
                          &SPA_DICT_INIT_ARRAY(items), 0);
}

/* Links what can be linked: either end may be announced first. */
static void link_waiting(struct linker *linker, int number) {
    if (linker->sink_ports[number] == SPA_ID_INVALID) return;
    for (int index = 0; index < linker->waiting_count[number]; index++)
        link_ports(linker, linker->waiting[number][index], linker->sink_ports[number]);
    linker->waiting_count[number] = 0;
}

static void global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                   const struct spa_dict *properties) {
    struct linker *linker = data;
    (void)permissions, (void)version;
    if (properties == NULL) return;
    const char *name = spa_dict_lookup(properties, PW_KEY_NODE_NAME);
    if (strcmp(type, PW_TYPE_INTERFACE_Node) == 0 && name != NULL && strcmp(name, linker->sink) == 0)
        linker->sink_id = id;
    if (strcmp(type, PW_TYPE_INTERFACE_Port) != 0) return;
    const char *node = spa_dict_lookup(properties, PW_KEY_NODE_ID);
    const char *number = spa_dict_lookup(properties, PW_KEY_PORT_ID);
    const char *direction = spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION);
    if (node == NULL || number == NULL || direction == NULL || atoi(number) > 1) return;
    uint32_t owner = (uint32_t)atoi(node);
    int port = atoi(number);
    if (owner == linker->sink_id && strcmp(direction, "in") == 0) linker->sink_ports[port] = id;
    for (int index = 0; index < linker->count; index++)
        if (linker->tones[index].stream != NULL && pw_stream_get_node_id(linker->tones[index].stream) == owner)
            linker->waiting[port][linker->waiting_count[port]++] = id;
    link_waiting(linker, port);
}

static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = global};

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

static void change_roles(void *data, int number) {
    struct linker *linker = data;
    const char *role = getenv("ODD_CLIENT_ROLE");
    (void)number;
    if (role == NULL) return;
    struct spa_dict_item items[] = {{PW_KEY_MEDIA_ROLE, role}};
    for (int index = 0; index < linker->count; index++)
        if (linker->tones[index].stream != NULL)
            pw_stream_update_properties(linker->tones[index].stream, &SPA_DICT_INIT_ARRAY(items));
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
    /* Before there is another thread, which would take the signal and end the program. */
    struct linker linker = {0};
    pw_loop_add_signal(pw_main_loop_get_loop(loop), SIGUSR1, change_roles, &linker);
    struct pw_context *context =
        pw_context_new(pw_main_loop_get_loop(loop), pw_properties_new(PW_KEY_CONFIG_NAME, "client-rt.conf", NULL), 0);
    struct pw_core *core = pw_context_connect(context, NULL, 0);
    if (core == NULL) {
        fprintf(stderr, "odd-client: no server\n");
        return 1;
    }
    struct tone *tones = calloc(count, sizeof(*tones));
    char *value = malloc(1 << 20);
    linker = (struct linker){.sink = getenv("ODD_CLIENT_SINK"), .sink_id = SPA_ID_INVALID, .core = core, .tones = tones,
                             .count = count, .sink_ports = {SPA_ID_INVALID, SPA_ID_INVALID}};
    for (int port = 0; port < 2; port++) linker.waiting[port] = calloc(count, sizeof(uint32_t));
    enum pw_stream_flags flags = PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS;
    if (linker.sink != NULL) {
        struct pw_registry *registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
        pw_registry_add_listener(registry, &linker.listener, &registry_events, &linker);
    } else {
        flags |= PW_STREAM_FLAG_AUTOCONNECT;
    }
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
        pw_stream_connect(tones[number].stream, PW_DIRECTION_OUTPUT, PW_ID_ANY, flags, &format, 1);
    }
    pw_main_loop_run(loop);
    pw_core_disconnect(core);
    pw_context_destroy(context);
    pw_main_loop_destroy(loop);
    return 0;
}
