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
#include <time.h>

#include <spa/param/latency-utils.h>
#include <spa/pod/builder.h>

#include "model.h"

static const char *const channel_names[CHANNELS] = {"FL", "FR"};
static const char *const input_names[MOST_DEVICES] = {"input0", "input1", "input2", "input3"};

/* What comes out of the card's buffer when a cycle's sound goes in. */
static const float *delayed(struct device *device, int channel, const float *input, uint32_t frames) {
    float *buffer = device->buffer[channel];
    uint32_t held = device->card->buffer_frames;
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
    struct card *card = data;
    uint32_t frames = SPA_MIN(position->clock.duration, (uint64_t)LONGEST_CYCLE);
    int heard[MOST_DEVICES];
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        struct device *device = &card->devices[number];
        heard[number] = device->heard;
        if (device->heard_since > position->clock.nsec) heard[number] = device->heard_before;
    }
    for (int channel = 0; channel < CHANNELS; channel++) {
        float *outputs[MOST_PORTS] = {NULL};
        for (uint32_t port = 0; port < card->plan->port_count; port++) {
            if (card->outputs[port][channel] == NULL) continue;
            outputs[port] = pw_filter_get_dsp_buffer(card->outputs[port][channel], frames);
            if (outputs[port] != NULL) memset(outputs[port], 0, frames * sizeof(float));
        }
        for (uint32_t number = 0; number < card->plan->device_count; number++) {
            struct device *device = &card->devices[number];
            if (device->inputs[channel] == NULL) continue;
            const float *input =
                delayed(device, channel, pw_filter_get_dsp_buffer(device->inputs[channel], frames), frames);
            float *output = heard[number] >= 0 ? outputs[heard[number]] : NULL;
            if (input == NULL || output == NULL) continue;
            for (uint32_t frame = 0; frame < frames; frame++) output[frame] += input[frame];
        }
    }
}

static void outlets_changed(void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error) {
    (void)old;
    if (state == PW_FILTER_STATE_ERROR) note("outlets failed: %s", error);
    if (state == PW_FILTER_STATE_PAUSED) update_outlets(data);
}

static const struct pw_filter_events events = {
    PW_VERSION_FILTER_EVENTS,
    .process = process_outlets,
    .state_changed = outlets_changed,
};

static void *add_port(struct card *card, enum pw_direction direction, const char *key, int channel) {
    char name[64];
    snprintf(name, sizeof(name), "%s_%s", key, channel_names[channel]);
    return pw_filter_add_port(
        card->outlets, direction, PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof(void *),
        pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, name, NULL), NULL, 0);
}

void make_outlets(struct card *card) {
    char name[64];
    snprintf(name, sizeof(name), "fixture-%s%s%s", card->plan->kind, card->instance[0] != '\0' ? "." : "",
             card->instance);
    /* Below the daemon's own drivers, which everything else falls back on. */
    struct spa_dict_item items[] = {{PW_KEY_FACTORY_NAME, "support.node.driver"},
                                    {PW_KEY_NODE_NAME, "fixture-clock"},
                                    {PW_KEY_NODE_GROUP, name},
                                    {PW_KEY_PRIORITY_DRIVER, "15000"}};
    pw_core_create_object(card->core, "spa-node-factory", PW_TYPE_INTERFACE_Node, PW_VERSION_NODE,
                          &SPA_DICT_INIT_ARRAY(items), 0);
    card->outlets = pw_filter_new(
        card->core, name,
        pw_properties_new(PW_KEY_NODE_NAME, name, PW_KEY_NODE_GROUP, name, PW_KEY_NODE_AUTOCONNECT, "false", NULL));
    pw_filter_add_listener(card->outlets, &card->outlets_listener, &events, card);
    for (uint32_t number = 0; number < card->plan->device_count; number++)
        for (int channel = 0; channel < CHANNELS; channel++)
            if (card->plan->devices[number].direction == SPA_DIRECTION_OUTPUT)
                card->devices[number].inputs[channel] =
                    add_port(card, PW_DIRECTION_INPUT, input_names[number], channel);
    for (uint32_t port = 0; port < card->plan->port_count; port++)
        for (int channel = 0; channel < CHANNELS; channel++)
            if (card->plan->ports[port].direction == SPA_DIRECTION_OUTPUT)
                card->outputs[port][channel] =
                    add_port(card, PW_DIRECTION_OUTPUT, card->plan->ports[port].key, channel);
    pw_filter_connect(card->outlets, PW_FILTER_FLAG_RT_PROCESS, NULL, 0);
}

static uint32_t known_port(const struct card *card, uint32_t node, bool is_output, const char *prefix, int channel) {
    char name[64];
    snprintf(name, sizeof(name), "%s_%s", prefix, channel_names[channel]);
    for (size_t index = 0; index < card->known_count; index++) {
        const struct known_port *port = &card->known[index];
        if (port->node == node && port->is_output == is_output && strcmp(port->name, name) == 0) return port->id;
    }
    return SPA_ID_INVALID;
}

static bool link_channel(struct card *card, const struct device *device, int channel) {
    uint32_t output = known_port(card, device->node, true, "monitor", channel);
    uint32_t input =
        known_port(card, pw_filter_get_node_id(card->outlets), false, input_names[device->number], channel);
    if (output == SPA_ID_INVALID || input == SPA_ID_INVALID) return false;
    char numbers[2][16];
    snprintf(numbers[0], sizeof(numbers[0]), "%u", output);
    snprintf(numbers[1], sizeof(numbers[1]), "%u", input);
    struct spa_dict_item items[] = {{PW_KEY_LINK_OUTPUT_PORT, numbers[0]}, {PW_KEY_LINK_INPUT_PORT, numbers[1]}};
    return pw_core_create_object(card->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK,
                                 &SPA_DICT_INIT_ARRAY(items), 0) != NULL;
}

void update_outlets(struct card *card) {
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        struct device *device = &card->devices[number];
        const struct port_plan *port = &card->plan->ports[device->port];
        bool is_active = card->present && (card->plan->profiles[card->profile].devices & ONLY(number)) != 0;
        device->tone = is_active && port->direction == SPA_DIRECTION_INPUT ? port->tone : 0;
        int heard = is_active && port->direction == SPA_DIRECTION_OUTPUT ? (int)device->port : -1;
        if (heard != device->heard) {
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            device->heard_before = device->heard;
            device->heard_since = SPA_TIMESPEC_TO_NSEC(&now);
            device->heard = heard;
        }
        for (int channel = 0; device->sink != NULL && device->node != SPA_ID_INVALID && channel < CHANNELS; channel++)
            if (!device->linked[channel]) device->linked[channel] = link_channel(card, device, channel);
    }
}

int heard_port(const struct card *card) {
    for (uint32_t number = 0; number < card->plan->device_count; number++)
        if (card->devices[number].heard >= 0) return card->devices[number].heard;
    return -1;
}

bool is_linked(const struct card *card) {
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        const struct device *device = &card->devices[number];
        if ((card->plan->profiles[card->profile].devices & ONLY(number)) == 0) continue;
        if (device->node == SPA_ID_INVALID) return false;
        if (device->sink != NULL && !(device->linked[0] && device->linked[1])) return false;
    }
    return pw_filter_get_node_id(card->outlets) != SPA_ID_INVALID;
}

static void added(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                  const struct spa_dict *properties) {
    struct card *card = data;
    (void)permissions, (void)version;
    if (properties == NULL || strcmp(type, PW_TYPE_INTERFACE_Port) != 0) return;
    const char *node = spa_dict_lookup(properties, PW_KEY_NODE_ID);
    const char *name = spa_dict_lookup(properties, PW_KEY_PORT_NAME);
    const char *direction = spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION);
    if (node == NULL || name == NULL || direction == NULL) return;
    if (card->known_count == card->known_room) {
        card->known_room = card->known_room * 2 + 16;
        card->known = realloc(card->known, card->known_room * sizeof(*card->known));
        if (card->known == NULL) abort();
    }
    struct known_port *port = &card->known[card->known_count++];
    *port = (struct known_port){id, (uint32_t)atoi(node), strcmp(direction, "out") == 0, ""};
    snprintf(port->name, sizeof(port->name), "%s", name);
    update_outlets(card);
}

static void removed(void *data, uint32_t id) {
    struct card *card = data;
    for (size_t index = 0; index < card->known_count; index++)
        if (card->known[index].id == id) card->known[index--] = card->known[--card->known_count];
}

static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = added,
                                                          .global_remove = removed};

void watch_registry(struct card *card) {
    card->registry = pw_core_get_registry(card->core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(card->registry, &card->registry_listener, &registry_events, card);
}
