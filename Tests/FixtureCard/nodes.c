/* The sinks and sources of a card. A sink is an object in the daemon; a source is a stream of ours that says by its
 * tone which microphone is in use. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <spa/param/audio/format-utils.h>
#include <spa/param/latency-utils.h>
#include <spa/param/props.h>
#include <spa/pod/builder.h>

#include "model.h"

static void sink_bound(void *data, uint32_t id) {
    struct device *device = data;
    device->node = id;
    note("sink %u", id);
    apply_volumes(device);
    update_outlets(device->card);
}

static void sink_removed(void *data) {
    struct device *device = data;
    note("sink %u removed by the daemon", device->node);
    pw_proxy_destroy(device->sink);
}

static void sink_destroyed(void *data) {
    struct device *device = data;
    spa_hook_remove(&device->sink_listener);
    device->sink = NULL;
    device->node = SPA_ID_INVALID;
    memset(device->linked, 0, sizeof(device->linked));
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
    struct device *device = data;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(device->source);
    if (buffer == NULL) return;
    struct spa_data *plane = &buffer->buffer->datas[0];
    uint32_t frames = plane->maxsize / (CHANNELS * sizeof(float));
    if (buffer->requested != 0 && buffer->requested < frames) frames = buffer->requested;
    float *samples = plane->data;
    if (samples == NULL) frames = 0;
    double step = 2 * M_PI * device->tone / 48000;
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (int channel = 0; channel < CHANNELS; channel++)
            samples[CHANNELS * frame + channel] = device->tone > 0 ? 0.25 * sin(device->phase) : 0;
        device->phase = fmod(device->phase + step, 2 * M_PI);
    }
    plane->chunk->offset = 0;
    plane->chunk->stride = CHANNELS * sizeof(float);
    plane->chunk->size = frames * CHANNELS * sizeof(float);
    pw_stream_queue_buffer(device->source, buffer);
}

static void source_changed(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    struct device *device = data;
    (void)old;
    if (state == PW_STREAM_STATE_ERROR) note("source failed: %s", error);
    if (state != PW_STREAM_STATE_PAUSED || device->node != SPA_ID_INVALID) return;
    device->node = pw_stream_get_node_id(device->source);
    note("source %u", device->node);
    apply_volumes(device);
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
    struct pw_properties *properties = pw_properties_new(NULL, NULL);
    pw_properties_setf(properties, PW_KEY_NODE_NAME, "%s.%s%s%s.%s", kind->prefix, middle + 1,
                       card->instance[0] != '\0' ? "." : "", card->instance, kind->suffix);
    pw_properties_setf(properties, PW_KEY_NODE_DESCRIPTION, "%s %s", plan->description, kind->description);
    pw_properties_set(properties, PW_KEY_NODE_NICK, plan->description);
    pw_properties_set(properties, PW_KEY_MEDIA_CLASS, is_sink ? "Audio/Sink" : "Audio/Source");
    pw_properties_set(properties, PW_KEY_DEVICE_API, plan->api);
    pw_properties_setf(properties, PW_KEY_DEVICE_ID, "%u", card->id);
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

static void make_sink(struct device *device) {
    struct pw_properties *properties = node_properties(device);
    pw_properties_set(properties, PW_KEY_FACTORY_NAME, "support.null-audio-sink");
    /* What comes out of the plug is as loud as the volume says. */
    pw_properties_set(properties, "monitor.channel-volumes", "true");
    device->sink = pw_core_create_object(device->card->core, "adapter", PW_TYPE_INTERFACE_Node, PW_VERSION_NODE,
                                         &properties->dict, 0);
    pw_properties_free(properties);
    pw_proxy_add_listener(device->sink, &device->sink_listener, &sink_events, device);
}

static void make_source(struct device *device) {
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
    const struct spa_pod *format = spa_format_audio_raw_build(
        &builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32, .channels = CHANNELS, .rate = 48000,
                                 .position = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR}));
    device->source = pw_stream_new(device->card->core, "fixture-source", node_properties(device));
    pw_stream_add_listener(device->source, &device->source_listener, &source_events, device);
    pw_stream_connect(device->source, PW_DIRECTION_OUTPUT, PW_ID_ANY,
                      PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_RT_PROCESS, &format, 1);
}

void make_nodes(struct card *card) {
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        struct device *device = &card->devices[number];
        if ((card->plan->profiles[card->profile].devices & ONLY(number)) == 0 || device->sink != NULL ||
            device->source != NULL || card->id == SPA_ID_INVALID)
            continue;
        device->node = SPA_ID_INVALID;
        if (card->plan->devices[number].direction == SPA_DIRECTION_OUTPUT)
            make_sink(device);
        else
            make_source(device);
    }
}

void remove_nodes(struct card *card, uint32_t keep) {
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        struct device *device = &card->devices[number];
        if ((keep & ONLY(number)) != 0) continue;
        if (device->sink != NULL) pw_proxy_destroy(device->sink);
        if (device->source != NULL) {
            spa_hook_remove(&device->source_listener);
            pw_stream_destroy(device->source);
            device->source = NULL;
            device->node = SPA_ID_INVALID;
        }
    }
}

void apply_volumes(struct device *device) {
    if (device->source != NULL) {
        float muted = device->muted;
        pw_stream_set_control(device->source, SPA_PROP_channelVolumes, CHANNELS, device->volumes, SPA_PROP_mute, 1,
                              &muted, 0);
    }
    if (device->sink == NULL) return;
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
    struct spa_pod *properties = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props, SPA_PROP_mute, SPA_POD_Bool(device->muted), SPA_PROP_softMute,
        SPA_POD_Bool(device->muted), SPA_PROP_channelVolumes,
        SPA_POD_Array(sizeof(float), SPA_TYPE_Float, CHANNELS, device->volumes), SPA_PROP_softVolumes,
        SPA_POD_Array(sizeof(float), SPA_TYPE_Float, CHANNELS, device->volumes));
    pw_node_set_param((struct pw_node *)device->sink, SPA_PARAM_Props, 0, properties);
}

bool set_latency(struct card *card, uint32_t port, double milliseconds) {
    int64_t nanoseconds = isfinite(milliseconds) ? (int64_t)(milliseconds * 1e6) : INT64_MAX;
    float quanta = isfinite(milliseconds) ? 0 : INFINITY;
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        struct device *device = &card->devices[number];
        if (device->source == NULL || device->port != port) continue;
        uint8_t buffer[1024];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
        struct spa_latency_info latency =
            SPA_LATENCY_INFO(SPA_DIRECTION_OUTPUT, .min_quantum = quanta, .max_quantum = quanta, .min_ns = nanoseconds,
                             .max_ns = nanoseconds);
        const struct spa_pod *parameter = spa_latency_build(&builder, SPA_PARAM_Latency, &latency);
        return pw_stream_update_params(device->source, &parameter, 1) >= 0;
    }
    return false;
}
