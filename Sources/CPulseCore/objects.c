/* Reads the properties of modules, sinks, sources, streams, cards and clients. */
#define _GNU_SOURCE
#include "layout.h"

#include <stdlib.h>
#include <string.h>

/* Modules. */

pa_core *cpc_module_core(pa_module *module) { return CPC_READ(module, pa_module, core, NULL); }
const char *cpc_module_name(pa_module *module) { return CPC_READ(module, pa_module, name, NULL); }
const char *cpc_module_argument(pa_module *module) { return CPC_READ(module, pa_module, argument, NULL); }
void *cpc_module_userdata(pa_module *module) { return CPC_READ(module, pa_module, userdata, NULL); }
void cpc_module_set_userdata(pa_module *module, void *userdata) {
    if (CPC_CAN_READ(module, pa_module)) CPC_FIELD(module, pa_module, userdata) = userdata;
}

/* The core and its sets. */

pa_mainloop_api *cpc_mainloop(pa_core *core) { return CPC_READ(core, pa_core, mainloop, NULL); }
pa_sink *cpc_default_sink(pa_core *core) { return CPC_READ(core, pa_core, default_sink, NULL); }
pa_source *cpc_default_source(pa_core *core) { return CPC_READ(core, pa_core, default_source, NULL); }

/* A module to be loaded. */
struct wanted_module {
    pa_core *core;
    char *name;
    char *argument;
};

static void load(pa_mainloop_api *api, void *data) {
    struct wanted_module *wanted = data;
    pa_module *module;
    (void)api;
    /* The daemon logs a failure itself. */
    pa_module_load(&module, wanted->core, wanted->name, wanted->argument);
    free(wanted->name);
    free(wanted->argument);
    free(wanted);
}

void cpc_module_load_later(pa_core *core, const char *name, const char *argument) {
    pa_mainloop_api *api = cpc_mainloop(core);
    if (api == NULL || name == NULL) return;
    struct wanted_module *wanted = calloc(1, sizeof *wanted);
    if (wanted == NULL) return;
    wanted->core = core;
    wanted->name = strdup(name);
    wanted->argument = argument == NULL ? NULL : strdup(argument);
    /* The daemon would abort on a module without a name. */
    if (wanted->name == NULL || (argument != NULL && wanted->argument == NULL)) {
        free(wanted->name);
        free(wanted->argument);
        free(wanted);
        return;
    }
    pa_mainloop_api_once(api, load, wanted);
}

void cpc_module_unload_later(pa_module *module) {
    if (CPC_CAN_READ(module, pa_module)) pa_module_unload_request(module, true);
}

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

static pa_device_port *next_port(pa_hashmap *ports, void **state) {
    return ports == NULL || state == NULL ? NULL : pa_hashmap_iterate(ports, state, NULL);
}

/* Streams. */

static enum cpc_state stream_state(unsigned state) {
    return state < CPC_UNLINKED ? (enum cpc_state)state : CPC_UNLINKED;
}

uint32_t cpc_sink_input_index(pa_sink_input *input) { return CPC_READ(input, pa_sink_input, index, PA_INVALID_INDEX); }
enum cpc_state cpc_sink_input_state(pa_sink_input *input) {
    return stream_state(CPC_READ(input, pa_sink_input, state, CPC_UNLINKED));
}
pa_proplist *cpc_sink_input_proplist(pa_sink_input *input) { return CPC_READ(input, pa_sink_input, proplist, NULL); }
pa_client *cpc_sink_input_client(pa_sink_input *input) { return CPC_READ(input, pa_sink_input, client, NULL); }
pa_sink *cpc_sink_input_sink(pa_sink_input *input) { return CPC_READ(input, pa_sink_input, sink, NULL); }
pa_module *cpc_sink_input_module(pa_sink_input *input) { return CPC_READ(input, pa_sink_input, module, NULL); }
pa_sink *cpc_sink_input_origin(pa_sink_input *input) { return CPC_READ(input, pa_sink_input, origin_sink, NULL); }

uint32_t cpc_source_output_index(pa_source_output *output) {
    return CPC_READ(output, pa_source_output, index, PA_INVALID_INDEX);
}
enum cpc_state cpc_source_output_state(pa_source_output *output) {
    return stream_state(CPC_READ(output, pa_source_output, state, CPC_UNLINKED));
}
pa_proplist *cpc_source_output_proplist(pa_source_output *output) {
    return CPC_READ(output, pa_source_output, proplist, NULL);
}
pa_client *cpc_source_output_client(pa_source_output *output) {
    return CPC_READ(output, pa_source_output, client, NULL);
}
pa_source *cpc_source_output_source(pa_source_output *output) {
    return CPC_READ(output, pa_source_output, source, NULL);
}
pa_source *cpc_source_output_destination(pa_source_output *output) {
    return CPC_READ(output, pa_source_output, destination_source, NULL);
}
pa_module *cpc_source_output_module(pa_source_output *output) {
    return CPC_READ(output, pa_source_output, module, NULL);
}
bool cpc_source_output_is_direct(pa_source_output *output) {
    return CPC_READ(output, pa_source_output, direct_on_input, NULL) != NULL;
}

pa_proplist *cpc_client_proplist(pa_client *client) { return CPC_READ(client, pa_client, proplist, NULL); }

/* Sinks and sources. */

static const pa_sample_spec no_sample_spec = {.format = PA_SAMPLE_INVALID};

uint32_t cpc_sink_index(pa_sink *sink) { return CPC_READ(sink, pa_sink, index, PA_INVALID_INDEX); }
const char *cpc_sink_name(pa_sink *sink) { return CPC_READ(sink, pa_sink, name, NULL); }
pa_proplist *cpc_sink_proplist(pa_sink *sink) { return CPC_READ(sink, pa_sink, proplist, NULL); }
pa_card *cpc_sink_card(pa_sink *sink) { return CPC_READ(sink, pa_sink, card, NULL); }
pa_module *cpc_sink_module(pa_sink *sink) { return CPC_READ(sink, pa_sink, module, NULL); }
bool cpc_sink_is_network(pa_sink *sink) { return (CPC_READ(sink, pa_sink, flags, 0) & PA_SINK_NETWORK) != 0; }
bool cpc_sink_input_is_muted(pa_sink_input *input) {
    if (!CPC_CAN_READ(input, pa_sink_input)) return false;
    return (((uint8_t *)input)[cpc_layout->pa_sink_input_muted] & cpc_layout->pa_sink_input_muted_mask) != 0;
}
double cpc_sink_input_volume(pa_sink_input *input) {
    if (!CPC_CAN_READ(input, pa_sink_input)) return 1;
    return pa_sw_volume_to_linear(pa_cvolume_max(&CPC_FIELD(input, pa_sink_input, reference_ratio)));
}
pa_sink_input *cpc_sink_master(pa_sink *sink) { return CPC_READ(sink, pa_sink, input_to_master, NULL); }
pa_sample_spec cpc_sink_sample_spec(pa_sink *sink) { return CPC_READ(sink, pa_sink, sample_spec, no_sample_spec); }
bool cpc_sink_is_open(pa_sink *sink) { return PA_SINK_IS_OPENED(CPC_READ(sink, pa_sink, state, PA_SINK_UNLINKED)); }
double cpc_sink_slider(pa_sink *sink) {
    /* The daemon ends itself when a sink is asked that is not in use yet, or not any more. */
    if (CPC_READ(sink, pa_sink, state, PA_SINK_UNLINKED) < 0) return 0;
    /* Without a refresh, for which the daemon would wait for the sink's thread. */
    if (pa_sink_get_mute(sink, false)) return 0;
    return (double)pa_cvolume_max(&CPC_FIELD(sink, pa_sink, reference_volume)) / PA_VOLUME_NORM;
}
pa_usec_t cpc_sink_latency(pa_sink *sink) {
    /* As above. */
    return CPC_READ(sink, pa_sink, state, PA_SINK_UNLINKED) < 0 ? 0 : pa_sink_get_requested_latency(sink);
}
pa_device_port *cpc_sink_active_port(pa_sink *sink) { return CPC_READ(sink, pa_sink, active_port, NULL); }
pa_device_port *cpc_sink_ports(pa_sink *sink, void **state) {
    return next_port(CPC_READ(sink, pa_sink, ports, NULL), state);
}

int cpc_sink_set_port(pa_sink *sink, const char *name, bool is_saved) {
    if (name == NULL || CPC_READ(sink, pa_sink, ports, NULL) == NULL) return -PA_ERR_NOENTITY;
    return pa_sink_set_port(sink, name, is_saved);
}

uint32_t cpc_source_index(pa_source *source) { return CPC_READ(source, pa_source, index, PA_INVALID_INDEX); }
const char *cpc_source_name(pa_source *source) { return CPC_READ(source, pa_source, name, NULL); }
pa_proplist *cpc_source_proplist(pa_source *source) { return CPC_READ(source, pa_source, proplist, NULL); }
pa_card *cpc_source_card(pa_source *source) { return CPC_READ(source, pa_source, card, NULL); }
pa_sink *cpc_source_monitor_of(pa_source *source) { return CPC_READ(source, pa_source, monitor_of, NULL); }
bool cpc_source_is_muted(pa_source *source) {
    if (!CPC_CAN_READ(source, pa_source)) return false;
    return (((uint8_t *)source)[cpc_layout->pa_source_muted] & cpc_layout->pa_source_muted_mask) != 0;
}
pa_sample_spec cpc_source_sample_spec(pa_source *source) {
    return CPC_READ(source, pa_source, sample_spec, no_sample_spec);
}
pa_usec_t cpc_source_latency(pa_source *source) {
    return CPC_READ(source, pa_source, state, PA_SOURCE_UNLINKED) < 0 ? 0 : pa_source_get_requested_latency(source);
}
pa_device_port *cpc_source_active_port(pa_source *source) { return CPC_READ(source, pa_source, active_port, NULL); }
pa_device_port *cpc_source_ports(pa_source *source, void **state) {
    return next_port(CPC_READ(source, pa_source, ports, NULL), state);
}

int cpc_source_set_port(pa_source *source, const char *name, bool is_saved) {
    if (name == NULL || CPC_READ(source, pa_source, ports, NULL) == NULL) return -PA_ERR_NOENTITY;
    return pa_source_set_port(source, name, is_saved);
}

/* Cards and ports. */

uint32_t cpc_card_index(pa_card *card) { return CPC_READ(card, pa_card, index, PA_INVALID_INDEX); }
const char *cpc_card_name(pa_card *card) { return CPC_READ(card, pa_card, name, NULL); }
pa_proplist *cpc_card_proplist(pa_card *card) { return CPC_READ(card, pa_card, proplist, NULL); }
pa_device_port *cpc_card_ports(pa_card *card, void **state) {
    return next_port(CPC_READ(card, pa_card, ports, NULL), state);
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

const char *cpc_port_name(pa_device_port *port) { return CPC_READ(port, pa_device_port, name, NULL); }
const char *cpc_port_description(pa_device_port *port) { return CPC_READ(port, pa_device_port, description, NULL); }
pa_proplist *cpc_port_proplist(pa_device_port *port) { return CPC_READ(port, pa_device_port, proplist, NULL); }
int cpc_port_type(pa_device_port *port) { return (int)CPC_READ(port, pa_device_port, type, 0); }
enum cpc_available cpc_port_available(pa_device_port *port) {
    unsigned available = CPC_READ(port, pa_device_port, available, CPC_AVAILABLE_UNKNOWN);
    return available > CPC_AVAILABLE_YES ? CPC_AVAILABLE_UNKNOWN : (enum cpc_available)available;
}
bool cpc_port_is_output(pa_device_port *port) {
    return (CPC_READ(port, pa_device_port, direction, 0) & CPC_DIRECTION_OUTPUT) != 0;
}
pa_card *cpc_port_card(pa_device_port *port) { return CPC_READ(port, pa_device_port, card, NULL); }
