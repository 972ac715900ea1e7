/* The card, exported as an object of this program, with its sinks and sources. A sink is an object in the daemon; a source is a stream of ours that says by its
 * tone which microphone is in use. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <spa/param/audio/format-utils.h>
#include <spa/param/latency-utils.h>
#include <spa/param/props.h>
#include <spa/pod/builder.h>

#include "model.h"
#include "program.h"

/* The node of a device of the profile, if it has one now. */
struct node {
    struct device *device;
    struct pw_proxy *sink;
    struct spa_hook sink_listener;
    struct pw_stream *source;
    struct spa_hook source_listener;
    double phase;
};

static struct pw_core *core;
static struct pw_proxy *exported;
static struct spa_hook exported_listener;
static struct node nodes[MOST_DEVICES];

void nodes_init(struct pw_core *to) { core = to; }

static void bound(void *data, uint32_t id) {
    struct card *card = data;
    card->shared->device = id;
    note("device %u", id);
    make_nodes(card);
}

static const struct pw_proxy_events exported_events = {PW_VERSION_PROXY_EVENTS, .bound = bound};

void show_card(struct card *card) {
    /* With the properties already here: the session manager asks for some of them of the registry, where what comes
     * later is not to be found. */
    struct description description;
    describe(card, &description);
    exported = pw_core_export(core, SPA_TYPE_INTERFACE_Device, &description.dictionary, &card->object, 0);
    pw_proxy_add_listener(exported, &exported_listener, &exported_events, card);
}

void hide_card(struct card *card) {
    (void)card;
    pw_proxy_destroy(exported);
    exported = NULL;
}

/* The daemon would make them itself. */
void tell_nodes(struct card *card) { (void)card; }

uint32_t describe_more(const struct card *card, struct spa_dict_item *items) {
    (void)card, (void)items;
    return 0;
}

static void sink_bound(void *data, uint32_t id) {
    struct node *node = data;
    note("sink %u", id);
    apply_volumes(node->device);
}

static void sink_removed(void *data) {
    struct node *node = data;
    note("a sink removed by the daemon");
    pw_proxy_destroy(node->sink);
}

static void sink_destroyed(void *data) {
    struct node *node = data;
    spa_hook_remove(&node->sink_listener);
    node->sink = NULL;
}

static void sink_failed(void *data, int sequence, int result, const char *message) {
    (void)data, (void)sequence;
    note("sink failed: %d %s", result, message);
}

static const struct pw_proxy_events sink_events = {
    PW_VERSION_PROXY_EVENTS,   .bound = sink_bound,  .removed = sink_removed,
    .destroy = sink_destroyed, .error = sink_failed,
};

static void process_source(void *data) {
    struct node *node = data;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(node->source);
    if (buffer == NULL) return;
    struct spa_data *plane = &buffer->buffer->datas[0];
    uint32_t frames = plane->maxsize / (CHANNELS * sizeof(float));
    if (buffer->requested != 0 && buffer->requested < frames) frames = buffer->requested;
    float *samples = plane->data;
    if (samples == NULL) frames = 0;
    double tone = node->device->card->shared->devices[node->device->number].tone;
    double step = 2 * M_PI * tone / 48000;
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (int channel = 0; channel < CHANNELS; channel++)
            samples[CHANNELS * frame + channel] = tone > 0 ? 0.25 * sin(node->phase) : 0;
        node->phase = fmod(node->phase + step, 2 * M_PI);
    }
    plane->chunk->offset = 0;
    plane->chunk->stride = CHANNELS * sizeof(float);
    plane->chunk->size = frames * CHANNELS * sizeof(float);
    pw_stream_queue_buffer(node->source, buffer);
}

static void source_changed(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    struct node *node = data;
    if (state == PW_STREAM_STATE_ERROR) note("source failed: %s", error);
    if (state != PW_STREAM_STATE_PAUSED || old != PW_STREAM_STATE_CONNECTING) return;
    note("source %u", pw_stream_get_node_id(node->source));
    apply_volumes(node->device);
}

static const struct pw_stream_events source_events = {
    PW_VERSION_STREAM_EVENTS,
    .process = process_source,
    .state_changed = source_changed,
};

static struct pw_properties *node_properties(const struct device *device) {
    const struct card *card = device->card;
    const struct card_plan *plan = card->plan;
    const struct device_plan *kind = &plan->devices[device->number];
    bool is_sink = kind->direction == SPA_DIRECTION_OUTPUT;
    const char *middle = strchr(plan->name, '.');
    const char *instance = card->shared->instance;
    struct pw_properties *properties = pw_properties_new(NULL, NULL);
    char path[128];
    node_path(card->shared, device->number, path, sizeof(path));
    pw_properties_set(properties, PW_KEY_OBJECT_PATH, path);
    pw_properties_setf(properties, PW_KEY_NODE_NAME, "%s.%s%s%s.%s", kind->prefix, middle + 1,
                       instance[0] != '\0' ? "." : "", instance, kind->suffix);
    pw_properties_setf(properties, PW_KEY_NODE_DESCRIPTION, "%s %s", plan->description, kind->description);
    pw_properties_set(properties, PW_KEY_NODE_NICK, plan->description);
    pw_properties_set(properties, PW_KEY_MEDIA_CLASS, is_sink ? "Audio/Sink" : "Audio/Source");
    pw_properties_set(properties, PW_KEY_DEVICE_API, plan->api);
    pw_properties_setf(properties, PW_KEY_DEVICE_ID, "%u", (uint32_t)card->shared->device);
    pw_properties_setf(properties, "card.profile.device", "%u", device->number);
    pw_properties_set(properties, PW_KEY_PRIORITY_SESSION, is_sink ? "1009" : "2009");
    pw_properties_set(properties, PW_KEY_PRIORITY_DRIVER, is_sink ? "1009" : "2009");
    pw_properties_set(properties, PW_KEY_NODE_PAUSE_ON_IDLE, "false");
    pw_properties_set(properties, PW_KEY_AUDIO_CHANNELS, "2");
    pw_properties_set(properties, SPA_KEY_AUDIO_POSITION, "FL,FR");
    for (int index = 0; index < MOST_PROPERTIES && kind->properties[index].key != NULL; index++)
        pw_properties_set(properties, kind->properties[index].key, kind->properties[index].value);
    return properties;
}

static void make_sink(struct node *node) {
    struct pw_properties *properties = node_properties(node->device);
    pw_properties_set(properties, PW_KEY_FACTORY_NAME, "support.null-audio-sink");
    /* What comes out of the plug is as loud as the volume says. */
    pw_properties_set(properties, "monitor.channel-volumes", "true");
    node->sink = pw_core_create_object(core, "adapter", PW_TYPE_INTERFACE_Node, PW_VERSION_NODE,
                                       &properties->dict, 0);
    pw_properties_free(properties);
    pw_proxy_add_listener(node->sink, &node->sink_listener, &sink_events, node);
}

static void make_source(struct node *node) {
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
    const struct spa_pod *format = spa_format_audio_raw_build(
        &builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32, .channels = CHANNELS, .rate = 48000,
                                 .position = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR}));
    node->source = pw_stream_new(core, "fixture-source", node_properties(node->device));
    pw_stream_add_listener(node->source, &node->source_listener, &source_events, node);
    pw_stream_connect(node->source, PW_DIRECTION_OUTPUT, PW_ID_ANY,
                      PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS, &format, 1);
}

void make_nodes(struct card *card) {
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        struct node *node = &nodes[number];
        if ((card->plan->profiles[card->profile].devices & ONLY(number)) == 0 || node->sink != NULL ||
            node->source != NULL || card->shared->device == SPA_ID_INVALID)
            continue;
        node->device = &card->devices[number];
        if (card->plan->devices[number].direction == SPA_DIRECTION_OUTPUT)
            make_sink(node);
        else
            make_source(node);
    }
}

void remove_nodes(struct card *card, uint32_t keep) {
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        struct node *node = &nodes[number];
        if ((keep & ONLY(number)) != 0) continue;
        if (node->sink != NULL) pw_proxy_destroy(node->sink);
        if (node->source != NULL) {
            spa_hook_remove(&node->source_listener);
            pw_stream_destroy(node->source);
            node->source = NULL;
        }
    }
}

void apply_volumes(struct device *device) {
    const struct node *node = &nodes[device->number];
    if (node->source != NULL) {
        float muted = device->muted;
        pw_stream_set_control(node->source, SPA_PROP_channelVolumes, CHANNELS, device->volumes, SPA_PROP_mute, 1,
                              &muted, 0);
    }
    if (node->sink == NULL) return;
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
    struct spa_pod *properties = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props, SPA_PROP_mute, SPA_POD_Bool(device->muted), SPA_PROP_softMute,
        SPA_POD_Bool(device->muted), SPA_PROP_channelVolumes,
        SPA_POD_Array(sizeof(float), SPA_TYPE_Float, CHANNELS, device->volumes), SPA_PROP_softVolumes,
        SPA_POD_Array(sizeof(float), SPA_TYPE_Float, CHANNELS, device->volumes));
    pw_node_set_param((struct pw_node *)node->sink, SPA_PARAM_Props, 0, properties);
}

bool set_latency(struct card *card, uint32_t port, double milliseconds) {
    int64_t nanoseconds = isfinite(milliseconds) ? (int64_t)(milliseconds * 1e6) : INT64_MAX;
    float quanta = isfinite(milliseconds) ? 0 : INFINITY;
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        if (nodes[number].source == NULL || card->devices[number].port != port) continue;
        uint8_t buffer[1024];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
        struct spa_latency_info latency =
            SPA_LATENCY_INFO(SPA_DIRECTION_OUTPUT, .min_quantum = quanta, .max_quantum = quanta, .min_ns = nanoseconds,
                             .max_ns = nanoseconds);
        const struct spa_pod *parameter = spa_latency_build(&builder, SPA_PARAM_Latency, &latency);
        return pw_stream_update_params(nodes[number].source, &parameter, 1) >= 0;
    }
    return false;
}
