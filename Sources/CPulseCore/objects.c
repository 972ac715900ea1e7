/* Reads and changes modules, the core, sinks, sources, streams, cards and ports. */
#define _GNU_SOURCE
#include "layout.h"

#include <stdlib.h>
#include <string.h>

static const pa_sample_spec no_sample_spec = {.format = PA_SAMPLE_INVALID};

/* The functions that read a field. */
#define NOTHING(type, field, value, offset)
#define READER(type, field, value, offset, function, otherwise) \
    function(type *object) { return CPC_READ(object, type, field, otherwise); }
#define BIT_READER(type, field, offset, mask, function) \
    bool function(type *object) { \
        return CPC_CAN_READ(object, type) && \
            (((uint8_t *)object)[cpc_layout->type##_##field] & cpc_layout->type##_##field##_mask) != 0; \
    }
CPC_FIELDS(NOTHING, READER)
CPC_BITS(BIT_READER)

/* MARK: Modules */

void cpc_module_set_userdata(pa_module *module, void *userdata) {
    if (CPC_CAN_READ(module, pa_module)) CPC_FIELD(module, pa_module, userdata) = userdata;
}

/* A module to be loaded. */
struct wanted_module {
    pa_core *core;
    char *name, *argument;
};

static void forget(struct wanted_module *wanted) {
    free(wanted->name);
    free(wanted->argument);
    free(wanted);
}

static void load(pa_mainloop_api *api, void *data) {
    struct wanted_module *wanted = data;
    pa_module *module;
    (void)api;
    /* The daemon logs a failure itself. */
    pa_module_load(&module, wanted->core, wanted->name, wanted->argument);
    forget(wanted);
}

void cpc_module_load_later(pa_core *core, const char *name, const char *argument) {
    pa_mainloop_api *api = cpc_mainloop(core);
    if (api == NULL || name == NULL) return;
    struct wanted_module *wanted = calloc(1, sizeof *wanted);
    if (wanted == NULL) return;
    *wanted = (struct wanted_module){core, strdup(name), argument == NULL ? NULL : strdup(argument)};
    /* The daemon would abort on a module without a name. */
    if (wanted->name == NULL || (argument != NULL && wanted->argument == NULL))
        forget(wanted);
    else
        pa_mainloop_api_once(api, load, wanted);
}

void cpc_module_unload_later(pa_module *module) {
    if (CPC_CAN_READ(module, pa_module)) pa_module_unload_request(module, true);
}

/* MARK: The core and its sets */

void cpc_choose_default_sink(pa_core *core, const char *name) {
    if (CPC_CAN_READ(core, pa_core)) pa_core_set_configured_default_sink(core, name);
}

void cpc_choose_default_source(pa_core *core, const char *name) {
    if (CPC_CAN_READ(core, pa_core)) pa_core_set_configured_default_source(core, name);
}

static pa_idxset *objects(pa_core *core, enum cpc_set set) {
    if (!CPC_CAN_READ(core, pa_core)) return NULL;
    switch (set) {
    case CPC_CARDS: return CPC_FIELD(core, pa_core, cards);
    case CPC_SINKS: return CPC_FIELD(core, pa_core, sinks);
    case CPC_SOURCES: return CPC_FIELD(core, pa_core, sources);
    case CPC_SINK_INPUTS: return CPC_FIELD(core, pa_core, sink_inputs);
    case CPC_SOURCE_OUTPUTS: return CPC_FIELD(core, pa_core, source_outputs);
    case CPC_MODULES: return CPC_FIELD(core, pa_core, modules);
    }
    return NULL;
}

void *cpc_iterate(pa_core *core, enum cpc_set set, void **state) {
    pa_idxset *all = objects(core, set);
    return all == NULL || state == NULL ? NULL : pa_idxset_iterate(all, state, NULL);
}

void *cpc_object(pa_core *core, enum cpc_set set, uint32_t index) {
    pa_idxset *all = objects(core, set);
    return all == NULL ? NULL : pa_idxset_get_by_index(all, index);
}

/* MARK: Streams */

double cpc_sink_input_volume(pa_sink_input *input) {
    if (!CPC_CAN_READ(input, pa_sink_input)) return 1;
    return pa_sw_volume_to_linear(pa_cvolume_max(&CPC_FIELD(input, pa_sink_input, reference_ratio)));
}

uint32_t cpc_source_output_rate(pa_source_output *output) {
    return CPC_CAN_READ(output, pa_source_output) ? CPC_FIELD(output, pa_source_output, sample_spec).rate : 0;
}

/* MARK: Sinks, sources, cards and ports */

#define PORTS(type) \
    pa_device_port *cpc_##type##_ports(pa_##type *object, void **state) { \
        pa_hashmap *ports = CPC_READ(object, pa_##type, ports, NULL); \
        return ports == NULL || state == NULL ? NULL : pa_hashmap_iterate(ports, state, NULL); \
    }
PORTS(sink)
PORTS(source)
PORTS(card)

#define DEVICE(type) \
    int cpc_##type##_set_port(pa_##type *device, const char *name, bool is_saved) { \
        if (name == NULL || CPC_READ(device, pa_##type, ports, NULL) == NULL) return -PA_ERR_NOENTITY; \
        return pa_##type##_set_port(device, name, is_saved); \
    } \
    /* The daemon aborts when the device is not in use yet, or not any more. */ \
    pa_usec_t cpc_##type##_latency(pa_##type *device) { \
        return CPC_READ(device, pa_##type, state, -1) < 0 ? 0 : pa_##type##_get_requested_latency(device); \
    }
DEVICE(sink)
DEVICE(source)

bool cpc_sink_is_network(pa_sink *sink) { return (CPC_READ(sink, pa_sink, flags, 0) & PA_SINK_NETWORK) != 0; }
bool cpc_sink_is_open(pa_sink *sink) { return PA_SINK_IS_OPENED(CPC_READ(sink, pa_sink, state, PA_SINK_UNLINKED)); }

double cpc_sink_slider(pa_sink *sink) {
    /* As for its latency. Not refreshed, because the daemon would wait for the sink's thread. */
    if (CPC_READ(sink, pa_sink, state, PA_SINK_UNLINKED) < 0 || pa_sink_get_mute(sink, false)) return 0;
    return (double)pa_cvolume_max(&CPC_FIELD(sink, pa_sink, reference_volume)) / PA_VOLUME_NORM;
}

const char *cpc_card_profile(pa_card *card) {
    pa_card_profile *profile = CPC_READ(card, pa_card, active_profile, NULL);
    return CPC_READ(profile, pa_card_profile, name, NULL);
}

int cpc_card_use_profile_for(pa_card *card, pa_device_port *port) {
    pa_card_profile *active = CPC_READ(card, pa_card, active_profile, NULL);
    pa_hashmap *profiles = CPC_READ(port, pa_device_port, profiles, NULL);
    /* A card without an active profile is not set up yet. */
    if (active == NULL || profiles == NULL) return -PA_ERR_NOENTITY;

    pa_card_profile *best = NULL, *profile;
    void *state = NULL;
    while ((profile = pa_hashmap_iterate(profiles, &state, NULL)) != NULL) {
        if (profile == active) return 0;
        if (!CPC_CAN_READ(profile, pa_card_profile)) return -PA_ERR_NOENTITY;
        /* The daemon would abort on a profile of another card. */
        if (CPC_FIELD(profile, pa_card_profile, card) != card) continue;
        if (CPC_FIELD(profile, pa_card_profile, available) == CPC_AVAILABLE_NO) continue;
        unsigned priority = CPC_FIELD(profile, pa_card_profile, priority);
        if (best == NULL || priority > CPC_FIELD(best, pa_card_profile, priority)) best = profile;
    }
    return best == NULL ? -PA_ERR_NOENTITY : pa_card_set_profile(card, best, true);
}

enum cpc_available cpc_port_available(pa_device_port *port) {
    unsigned available = CPC_READ(port, pa_device_port, available, CPC_AVAILABLE_UNKNOWN);
    return available > CPC_AVAILABLE_YES ? CPC_AVAILABLE_UNKNOWN : (enum cpc_available)available;
}

bool cpc_port_is_output(pa_device_port *port) {
    return (CPC_READ(port, pa_device_port, direction, 0) & CPC_DIRECTION_OUTPUT) != 0;
}
