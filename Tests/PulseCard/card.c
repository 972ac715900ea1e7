/* The card as the daemon sees it: its profiles and its ports. What becomes of a stream when they change is done in the
 * order in which the daemon's own drivers do it. */
#include "fixture.h"

#include <ctype.h>

#include <pulse/xmalloc.h>
#include <pulsecore/core-util.h>
#include <pulsecore/queue.h>

static bool is_bluetooth(const struct fixture *fixture) { return pa_startswith(fixture->plan->api, "bluez"); }

char *pulse_word(const char *text) {
    char *word = pa_xstrdup(text);
    for (char *letter = word; *letter != '\0'; letter++)
        if (*letter == '-') *letter = '_';
    return word;
}

static pa_available_t pulse_availability(enum spa_param_availability value) {
    return value == SPA_PARAM_AVAILABILITY_yes  ? PA_AVAILABLE_YES
           : value == SPA_PARAM_AVAILABILITY_no ? PA_AVAILABLE_NO
                                                : PA_AVAILABLE_UNKNOWN;
}

static pa_device_port_type_t port_type(const char *name) {
    static const struct {
        const char *name;
        pa_device_port_type_t type;
    } types[] = {
        {"speaker", PA_DEVICE_PORT_TYPE_SPEAKER},   {"headphones", PA_DEVICE_PORT_TYPE_HEADPHONES},
        {"mic", PA_DEVICE_PORT_TYPE_MIC},           {"headset", PA_DEVICE_PORT_TYPE_HEADSET},
        {"headset-mic", PA_DEVICE_PORT_TYPE_HEADSET}, {"hdmi", PA_DEVICE_PORT_TYPE_HDMI},
        {"earpiece", PA_DEVICE_PORT_TYPE_EARPIECE},
    };
    for (size_t index = 0; index < PA_ELEMENTSOF(types); index++)
        if (pa_streq(types[index].name, name)) return types[index].type;
    return PA_DEVICE_PORT_TYPE_UNKNOWN;
}

/* MARK: - Building it */

static pa_device_port *make_port(struct fixture *fixture, uint32_t number) {
    const struct port_plan *plan = &fixture->plan->ports[number];
    pa_device_port_new_data data;
    pa_device_port_new_data_init(&data);
    pa_device_port_new_data_set_name(&data, plan->name);
    pa_device_port_new_data_set_description(&data, plan->description);
    pa_device_port_new_data_set_direction(
        &data, plan->direction == SPA_DIRECTION_OUTPUT ? PA_DIRECTION_OUTPUT : PA_DIRECTION_INPUT);
    pa_device_port_new_data_set_type(&data, port_type(plan->type));
    pa_device_port_new_data_set_available(&data, pulse_availability(fixture->available[number]));
    pa_device_port *port = pa_device_port_new(fixture->core, &data, 0);
    pa_device_port_new_data_done(&data);
    port->priority = plan->priority;
    for (int index = 0; index < MOST_PROPERTIES && plan->properties[index].key != NULL; index++)
        pa_proplist_sets(port->proplist, plan->properties[index].key, plan->properties[index].value);
    return port;
}

/* The part of "output:…+input:…" that begins so. */
static char *part_of(const char *name, const char *beginning) {
    const char *part = strstr(name, beginning);
    return part != NULL ? pa_xstrndup(part, strcspn(part, "+")) : NULL;
}

static pa_card_profile *make_profile(struct fixture *fixture, uint32_t number) {
    const struct profile_plan *plan = &fixture->plan->profiles[number];
    char *name = is_bluetooth(fixture) ? pulse_word(plan->name) : pa_xstrdup(plan->name);
    pa_card_profile *profile = pa_card_profile_new(name, plan->description, sizeof(uint32_t));
    pa_xfree(name);
    *(uint32_t *)PA_CARD_PROFILE_DATA(profile) = number;
    profile->priority = plan->priority;
    profile->available = pulse_availability(profile_availability(fixture->plan, fixture->available, number));
    profile->output_name = part_of(plan->name, "output:");
    profile->input_name = part_of(plan->name, "input:");
    for (uint32_t device = 0; device < fixture->plan->device_count; device++) {
        if ((plan->devices & ONLY(device)) == 0) continue;
        if (fixture->plan->devices[device].direction == SPA_DIRECTION_OUTPUT)
            profile->n_sinks++, profile->max_sink_channels = CHANNELS;
        else
            profile->n_sources++, profile->max_source_channels = CHANNELS;
    }
    return profile;
}

static void describe(const struct fixture *fixture, pa_proplist *list) {
    const struct card_plan *plan = fixture->plan;
    pa_proplist_sets(list, PA_PROP_DEVICE_DESCRIPTION, plan->description);
    pa_proplist_sets(list, PA_PROP_DEVICE_CLASS, "sound");
    pa_proplist_sets(list, PA_PROP_DEVICE_API, is_bluetooth(fixture) ? "bluez" : plan->api);
    for (int index = 0; index < MOST_PROPERTIES && plan->properties[index].key != NULL; index++) {
        if (!pa_startswith(plan->properties[index].key, "device.")) continue;
        char *key = pulse_word(plan->properties[index].key);
        pa_proplist_sets(list, key, plan->properties[index].value);
        pa_xfree(key);
    }
}

uint32_t current_profile(const pa_card *card) { return *(uint32_t *)PA_CARD_PROFILE_DATA(card->active_profile); }

static pa_card_profile *profile_of(pa_card *card, uint32_t number) {
    pa_card_profile *profile;
    void *state;
    PA_HASHMAP_FOREACH(profile, card->profiles, state)
        if (*(uint32_t *)PA_CARD_PROFILE_DATA(profile) == number) return profile;
    return NULL;
}

static void make_device(struct fixture *fixture, uint32_t number) {
    struct device *device = &fixture->devices[number];
    if (device->sink != NULL || device->source != NULL) return;
    if (fixture->plan->devices[number].direction == SPA_DIRECTION_OUTPUT)
        make_sink(device);
    else
        make_source(device);
}

/* MARK: - Changing profiles */

/* As the driver for ALSA: the streams are taken off what goes, and put on what comes. */
static int change_profile(pa_card *card, pa_card_profile *profile) {
    struct fixture *fixture = card->userdata;
    uint32_t old = fixture->plan->profiles[current_profile(card)].devices;
    uint32_t new = fixture->plan->profiles[*(uint32_t *)PA_CARD_PROFILE_DATA(profile)].devices;
    pa_queue *inputs = NULL, *outputs = NULL;
    note("profile %s", profile->name);
    for (uint32_t number = 0; number < fixture->plan->device_count; number++) {
        struct device *device = &fixture->devices[number];
        if ((old & ~new & ONLY(number)) == 0) continue;
        if (!is_bluetooth(fixture)) {
            if (device->sink != NULL) inputs = pa_sink_move_all_start(device->sink, inputs);
            if (device->source != NULL) outputs = pa_source_move_all_start(device->source, outputs);
        }
        /* The driver for Bluetooth leaves its streams to the daemon, which moves them to the default sink. */
        remove_device(device);
    }
    for (uint32_t number = 0; number < fixture->plan->device_count; number++) {
        struct device *device = &fixture->devices[number];
        if ((new & ONLY(number)) == 0) continue;
        make_device(fixture, number);
        if (inputs != NULL && device->sink != NULL) {
            pa_sink_move_all_finish(device->sink, inputs, false);
            inputs = NULL;
        }
        if (outputs != NULL && device->source != NULL) {
            pa_source_move_all_finish(device->source, outputs, false);
            outputs = NULL;
        }
    }
    if (inputs != NULL) pa_sink_move_all_fail(inputs);
    if (outputs != NULL) pa_source_move_all_fail(outputs);
    return 0;
}

int choose_profile(struct fixture *fixture, uint32_t profile) {
    if (fixture->card == NULL) return -1;
    return pa_card_set_profile(fixture->card, profile_of(fixture->card, profile), true);
}

/* MARK: - What happens to it */

void set_available(struct fixture *fixture, uint32_t port, enum spa_param_availability available) {
    if (fixture->available[port] == available) return;
    fixture->available[port] = available;
    note("available %s %s", fixture->plan->ports[port].key, availability_name(available));
    if (fixture->card == NULL) return;
    pa_device_port_set_available(pa_hashmap_get(fixture->card->ports, fixture->plan->ports[port].name),
                                 pulse_availability(available));
    for (uint32_t profile = 0; profile < fixture->plan->profile_count; profile++)
        pa_card_profile_set_available(
            profile_of(fixture->card, profile),
            pulse_availability(profile_availability(fixture->plan, fixture->available, profile)));
}

void appear(struct fixture *fixture) {
    const struct card_plan *plan = fixture->plan;
    if (fixture->card != NULL) return;
    note("appear");
    pa_card_new_data data;
    pa_card_new_data_init(&data);
    data.driver = "fixture-card";
    data.module = fixture->module;
    data.name = pa_sprintf_malloc("%s%s%s", plan->name, fixture->instance[0] != '\0' ? "." : "", fixture->instance);
    describe(fixture, data.proplist);
    pa_device_port *ports[MOST_PORTS];
    for (uint32_t port = 0; port < plan->port_count; port++) {
        ports[port] = make_port(fixture, port);
        pa_hashmap_put(data.ports, ports[port]->name, ports[port]);
    }
    for (uint32_t number = 0; number < plan->profile_count; number++) {
        pa_card_profile *profile = make_profile(fixture, number);
        pa_hashmap_put(data.profiles, profile->name, profile);
        for (uint32_t port = 0; port < plan->port_count; port++)
            if ((plan->ports[port].profiles & ONLY(number)) != 0)
                pa_hashmap_put(ports[port]->profiles, profile->name, profile);
    }
    fixture->card = pa_card_new(fixture->core, &data);
    pa_card_new_data_done(&data);
    fixture->card->userdata = fixture;
    fixture->card->set_profile = change_profile;
    pa_card_choose_initial_profile(fixture->card);
    pa_card_put(fixture->card);
    uint32_t devices = plan->profiles[current_profile(fixture->card)].devices;
    for (uint32_t number = 0; number < plan->device_count; number++)
        if ((devices & ONLY(number)) != 0) make_device(fixture, number);
}

void vanish(struct fixture *fixture) {
    if (fixture->card == NULL) return;
    note("vanish");
    for (uint32_t number = 0; number < fixture->plan->device_count; number++)
        remove_device(&fixture->devices[number]);
    pa_card_free(fixture->card);
    fixture->card = NULL;
}
