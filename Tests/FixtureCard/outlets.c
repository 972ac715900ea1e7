/* Where the sound comes out. The sinks' monitors are led through a filter with a pair of output ports for each plug, of
 * which one pair at most is open: the plug in use. A test records the pairs and has every sample that came out of each.
 *
 * The filter outlives the sinks, and which pair is open is decided once for each cycle of the graph, so a sample comes
 * out of one plug only and a change of the route is heard from the next cycle on. */
#include <stdlib.h>
#include <string.h>

#include <spa/param/latency-utils.h>
#include <spa/pod/builder.h>

#include "model.h"

static const char *const channel_names[CHANNELS] = {"FL", "FR"};

static void process_outlets(void *data, struct spa_io_position *position) {
    struct card *card = data;
    uint32_t frames = position->clock.duration;
    int heard = card->heard;
    for (int channel = 0; channel < CHANNELS; channel++) {
        const float *input = pw_filter_get_dsp_buffer(card->inputs[channel], frames);
        for (uint32_t port = 0; port < card->plan->port_count; port++) {
            if (card->outputs[port][channel] == NULL) continue;
            float *output = pw_filter_get_dsp_buffer(card->outputs[port][channel], frames);
            if (output == NULL) continue;
            if (input != NULL && (int)port == heard)
                memcpy(output, input, frames * sizeof(float));
            else
                memset(output, 0, frames * sizeof(float));
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
    card->heard = -1;
    card->outlets = pw_filter_new(card->core, name,
                                  pw_properties_new(PW_KEY_NODE_NAME, name, PW_KEY_NODE_AUTOCONNECT, "false", NULL));
    pw_filter_add_listener(card->outlets, &card->outlets_listener, &events, card);
    for (int channel = 0; channel < CHANNELS; channel++)
        card->inputs[channel] = add_port(card, PW_DIRECTION_INPUT, "input", channel);
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
    uint32_t input = known_port(card, pw_filter_get_node_id(card->outlets), false, "input", channel);
    if (output == SPA_ID_INVALID || input == SPA_ID_INVALID) return false;
    char numbers[2][16];
    snprintf(numbers[0], sizeof(numbers[0]), "%u", output);
    snprintf(numbers[1], sizeof(numbers[1]), "%u", input);
    struct spa_dict_item items[] = {{PW_KEY_LINK_OUTPUT_PORT, numbers[0]}, {PW_KEY_LINK_INPUT_PORT, numbers[1]}};
    return pw_core_create_object(card->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK,
                                 &SPA_DICT_INIT_ARRAY(items), 0) != NULL;
}

void update_outlets(struct card *card) {
    int heard = -1;
    for (uint32_t number = 0; number < card->plan->device_count; number++) {
        struct device *device = &card->devices[number];
        const struct port_plan *port = &card->plan->ports[device->port];
        bool is_active = card->present && (card->plan->profiles[card->profile].devices & ONLY(number)) != 0;
        device->tone = is_active && port->direction == SPA_DIRECTION_INPUT ? port->tone : 0;
        if (is_active && card->plan->devices[number].direction == SPA_DIRECTION_OUTPUT) heard = (int)device->port;
        for (int channel = 0; device->sink != NULL && device->node != SPA_ID_INVALID && channel < CHANNELS; channel++)
            if (!device->linked[channel]) device->linked[channel] = link_channel(card, device, channel);
    }
    card->heard = heard;
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
