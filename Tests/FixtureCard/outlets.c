/* Where the sound comes out. The sinks' monitors are led into a filter with a pair of output ports for each plug; what
 * a sink plays goes to the plug in use. A test records the pairs and has every sample that came out of each.
 *
 * The filter outlives the sinks. The sound of a cycle of the graph comes out of the plug that is in use when the cycle
 * begins, so a sample comes out of one plug only, and a change of the route is heard from the next cycle on.
 *
 * A clock of its own drives the filter, and with it the sinks: were a sink the driver, the filter would have its sound
 * a cycle later. As it is, the sound comes out in the cycle in which it is played, or so much later as the buffer of
 * the card is long. The sinks come under the clock by their links, not by being in its group: a node in a group that
 * runs is run before it has a format, which the daemon does not survive (0.3.65). */
#include <stdlib.h>
#include <string.h>

#include <spa/param/latency-utils.h>
#include <spa/pod/builder.h>
#include <spa/utils/string.h>

#include "program.h"

enum { LONGEST_CYCLE = 8192, LONGEST_BUFFER = 48000 };

/* Where the sound of a sink goes in, and what the card itself holds, like the ring buffer of a real one: it comes out of
 * the plug that is in use then. */
struct inlet {
    void *inputs[CHANNELS];
    bool linked[CHANNELS];
    uint32_t last_frames[CHANNELS];
    float buffer[CHANNELS][LONGEST_BUFFER + LONGEST_CYCLE];
};

/* A port in the registry that may have to be linked. */
struct known_port {
    uint32_t id, node;
    bool is_output;
    char name[64];
};

static struct pw_core *core;
static struct pw_registry *registry;
static struct spa_hook registry_listener;
static struct shared *card;
static const struct card_plan *plan;
static struct pw_filter *filter;
static struct spa_hook filter_listener;
static struct inlet inlets[MOST_DEVICES];
static void *outputs[MOST_PORTS][CHANNELS];
static struct known_port *known;
static size_t known_count, known_room;

static const char *const channel_names[CHANNELS] = {"FL", "FR"};
static const char *const input_names[MOST_DEVICES] = {"input0", "input1", "input2", "input3"};

/* What comes out of the card's buffer when a cycle's sound goes in. */
static const float *delayed(struct inlet *device, int channel, const float *input, uint32_t frames) {
    float *buffer = device->buffer[channel];
    uint32_t held = SPA_MIN(card->buffer_frames, (uint32_t)LONGEST_BUFFER);
    if (held == 0) return input;
    /* The buffer's own frames are followed by those of the cycle. */
    memmove(buffer, buffer + device->last_frames[channel], held * sizeof(float));
    if (input != NULL)
        memcpy(buffer + held, input, frames * sizeof(float));
    else
        memset(buffer + held, 0, frames * sizeof(float));
    device->last_frames[channel] = frames;
    return buffer;
}

static void process_outlets(void *data, struct spa_io_position *position) {
    (void)data;
    uint32_t frames = SPA_MIN(position->clock.duration, (uint64_t)LONGEST_CYCLE);
    int heard[MOST_DEVICES];
    for (uint32_t number = 0; number < plan->device_count; number++) {
        struct shared_device *device = &card->devices[number];
        heard[number] = device->heard;
        if (device->heard_since > position->clock.nsec) heard[number] = device->heard_before;
    }
    for (int channel = 0; channel < CHANNELS; channel++) {
        float *sounds[MOST_PORTS] = {NULL};
        for (uint32_t port = 0; port < plan->port_count; port++) {
            if (outputs[port][channel] == NULL) continue;
            sounds[port] = pw_filter_get_dsp_buffer(outputs[port][channel], frames);
            if (sounds[port] != NULL) memset(sounds[port], 0, frames * sizeof(float));
        }
        for (uint32_t number = 0; number < plan->device_count; number++) {
            struct inlet *inlet = &inlets[number];
            if (inlet->inputs[channel] == NULL) continue;
            const float *input =
                delayed(inlet, channel, pw_filter_get_dsp_buffer(inlet->inputs[channel], frames), frames);
            float *output = heard[number] >= 0 ? sounds[heard[number]] : NULL;
            if (input == NULL || output == NULL) continue;
            for (uint32_t frame = 0; frame < frames; frame++) output[frame] += input[frame];
        }
    }
}

static uint32_t known_port(uint32_t node, bool is_output, const char *prefix, int channel) {
    char name[64];
    snprintf(name, sizeof(name), "%s_%s", prefix, channel_names[channel]);
    for (size_t index = 0; index < known_count; index++) {
        const struct known_port *port = &known[index];
        if (port->node == node && port->is_output == is_output && strcmp(port->name, name) == 0) return port->id;
    }
    return SPA_ID_INVALID;
}

static bool link_channel(uint32_t node, uint32_t number, int channel) {
    uint32_t output = known_port(node, true, "monitor", channel);
    uint32_t input = known_port(pw_filter_get_node_id(filter), false, input_names[number], channel);
    if (output == SPA_ID_INVALID || input == SPA_ID_INVALID) return false;
    char numbers[2][16];
    snprintf(numbers[0], sizeof(numbers[0]), "%u", output);
    snprintf(numbers[1], sizeof(numbers[1]), "%u", input);
    struct spa_dict_item items[] = {{PW_KEY_LINK_OUTPUT_PORT, numbers[0]}, {PW_KEY_LINK_INPUT_PORT, numbers[1]}};
    return pw_core_create_object(core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK,
                                 &SPA_DICT_INIT_ARRAY(items), 0) != NULL;
}

/* Links the sinks that are there and not linked yet. */
static void link_sinks(void) {
    for (uint32_t number = 0; number < plan->device_count; number++) {
        struct shared_device *device = &card->devices[number];
        uint32_t node = device->node;
        if (node == SPA_ID_INVALID || plan->devices[number].direction != SPA_DIRECTION_OUTPUT) continue;
        bool *linked = inlets[number].linked;
        for (int channel = 0; channel < CHANNELS; channel++)
            if (!linked[channel]) linked[channel] = link_channel(node, number, channel);
        device->is_linked = linked[0] && linked[1];
    }
}

static void filter_changed(void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error) {
    (void)data, (void)old;
    if (state == PW_FILTER_STATE_ERROR) note("outlets failed: %s", error);
    if (state == PW_FILTER_STATE_PAUSED) link_sinks();
}

static const struct pw_filter_events filter_events = {
    PW_VERSION_FILTER_EVENTS,
    .process = process_outlets,
    .state_changed = filter_changed,
};

static void *add_port(enum pw_direction direction, const char *key, int channel) {
    char name[64];
    snprintf(name, sizeof(name), "%s_%s", key, channel_names[channel]);
    return pw_filter_add_port(
        filter, direction, PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof(void *),
        pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, name, NULL), NULL, 0);
}

static void make_filter(void) {
    char name[80];
    snprintf(name, sizeof(name), "fixture-%s%s%s", card->kind, card->instance[0] != '\0' ? "." : "", card->instance);
    /* Below the daemon's own drivers, which everything else falls back on. */
    struct spa_dict_item items[] = {{PW_KEY_FACTORY_NAME, "support.node.driver"},
                                    {PW_KEY_NODE_NAME, "fixture-clock"},
                                    {PW_KEY_NODE_GROUP, name},
                                    {PW_KEY_PRIORITY_DRIVER, "15000"}};
    pw_core_create_object(core, "spa-node-factory", PW_TYPE_INTERFACE_Node, PW_VERSION_NODE,
                          &SPA_DICT_INIT_ARRAY(items), 0);
    filter = pw_filter_new(
        core, name,
        pw_properties_new(PW_KEY_NODE_NAME, name, PW_KEY_NODE_GROUP, name, PW_KEY_NODE_AUTOCONNECT, "false", NULL));
    pw_filter_add_listener(filter, &filter_listener, &filter_events, NULL);
    for (uint32_t number = 0; number < plan->device_count; number++)
        for (int channel = 0; channel < CHANNELS; channel++)
            if (plan->devices[number].direction == SPA_DIRECTION_OUTPUT)
                inlets[number].inputs[channel] = add_port(PW_DIRECTION_INPUT, input_names[number], channel);
    for (uint32_t port = 0; port < plan->port_count; port++)
        for (int channel = 0; channel < CHANNELS; channel++)
            if (plan->ports[port].direction == SPA_DIRECTION_OUTPUT)
                outputs[port][channel] = add_port(PW_DIRECTION_OUTPUT, plan->ports[port].key, channel);
    pw_filter_connect(filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0);
}

static void added_port(uint32_t id, const struct spa_dict *properties) {
    const char *node = spa_dict_lookup(properties, PW_KEY_NODE_ID);
    const char *name = spa_dict_lookup(properties, PW_KEY_PORT_NAME);
    const char *direction = spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION);
    if (node == NULL || name == NULL || direction == NULL) return;
    if (known_count == known_room) {
        known_room = known_room * 2 + 16;
        known = realloc(known, known_room * sizeof(*known));
        if (known == NULL) abort();
    }
    struct known_port *port = &known[known_count++];
    *port = (struct known_port){id, (uint32_t)atoi(node), strcmp(direction, "out") == 0, ""};
    snprintf(port->name, sizeof(port->name), "%s", name);
}

static void added(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                  const struct spa_dict *properties) {
    (void)data, (void)permissions, (void)version;
    if (properties == NULL) return;
    const char *path = spa_dict_lookup(properties, PW_KEY_OBJECT_PATH);
    const char *name = spa_dict_lookup(properties, PW_KEY_DEVICE_NAME);
    char own[128];
    if (strcmp(type, PW_TYPE_INTERFACE_Port) == 0) added_port(id, properties);
    card_name(card, plan, own, sizeof(own));
    /* The session manager may have put something before it. */
    if (strcmp(type, PW_TYPE_INTERFACE_Device) == 0 && spa_strendswith(name, own)) card->device = id;
    for (uint32_t number = 0; number < plan->device_count; number++) {
        if (strcmp(type, PW_TYPE_INTERFACE_Node) != 0 || path == NULL) break;
        node_path(card, number, own, sizeof(own));
        if (strcmp(path, own) != 0) continue;
        inlets[number].linked[0] = inlets[number].linked[1] = card->devices[number].is_linked = false;
        card->devices[number].node = id;
    }
    link_sinks();
}

static void removed(void *data, uint32_t id) {
    (void)data;
    for (size_t index = 0; index < known_count; index++)
        if (known[index].id == id) known[index--] = known[--known_count];
    for (uint32_t number = 0; number < plan->device_count; number++) {
        if (card->devices[number].node != id) continue;
        card->devices[number].node = SPA_ID_INVALID;
        card->devices[number].is_linked = false;
    }
}

static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = added,
                                                          .global_remove = removed};

void make_outlets(struct pw_core *of, struct shared *shared, const struct card_plan *kind) {
    core = of;
    card = shared;
    plan = kind;
    registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(registry, &registry_listener, &registry_events, NULL);
    make_filter();
}
