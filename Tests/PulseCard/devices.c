/* The sinks and sources of the card. */
#include "fixture.h"

#include <pulse/xmalloc.h>
#include <pulsecore/core-util.h>

static const pa_sample_spec format = {.format = PA_SAMPLE_FLOAT32NE, .rate = RATE, .channels = CHANNELS};
static const pa_channel_map positions = {
    .channels = CHANNELS, .map = {PA_CHANNEL_POSITION_FRONT_LEFT, PA_CHANNEL_POSITION_FRONT_RIGHT}};

/* MARK: - Names and properties */

static char *name_of(const struct device *device) {
    const struct card_plan *card = device->fixture->plan;
    const struct device_plan *plan = &card->devices[device->number];
    const char *instance = device->fixture->instance, *dot = instance[0] != '\0' ? "." : "";
    const char *middle = strchr(card->name, '.') + 1;
    for (int index = 0; index < MOST_PROPERTIES && plan->properties[index].key != NULL; index++) {
        /* bluez_sink.ADDRESS.a2dp_sink, so that it has another name in each profile. */
        if (!pa_streq(plan->properties[index].key, "api.bluez5.profile")) continue;
        char *profile = pulse_word(plan->properties[index].value);
        char *name = pa_sprintf_malloc("%s.%s%s%s.%s",
                                       plan->direction == SPA_DIRECTION_OUTPUT ? "bluez_sink" : "bluez_source", middle,
                                       dot, instance, profile);
        pa_xfree(profile);
        return name;
    }
    return pa_sprintf_malloc("%s.%s%s%s.%s", plan->prefix, middle, dot, instance, plan->suffix);
}

static void describe(const struct device *device, pa_proplist *list) {
    const struct card_plan *card = device->fixture->plan;
    const struct device_plan *plan = &card->devices[device->number];
    pa_proplist_setf(list, PA_PROP_DEVICE_DESCRIPTION, "%s %s", card->description, plan->description);
    for (int index = 0; index < MOST_PROPERTIES && plan->properties[index].key != NULL; index++) {
        const struct property *property = &plan->properties[index];
        if (pa_startswith(property->key, "device.")) pa_proplist_sets(list, property->key, property->value);
        if (pa_streq(property->key, "api.bluez5.codec")) pa_proplist_sets(list, "bluetooth.codec", property->value);
        if (pa_streq(property->key, "api.bluez5.profile")) {
            char *profile = pulse_word(property->value);
            pa_proplist_sets(list, "bluetooth.protocol", profile);
            if (pa_startswith(profile, "headset"))
                pa_proplist_sets(list, PA_PROP_DEVICE_INTENDED_ROLES, "phone");
            pa_xfree(profile);
        }
    }
}

/* Puts the ports of the device into its list, and returns the one that it comes up with. */
static uint32_t add_ports(const struct device *device, pa_hashmap *ports) {
    const struct fixture *fixture = device->fixture;
    for (uint32_t number = 0; number < fixture->plan->port_count; number++) {
        if ((fixture->plan->ports[number].devices & ONLY(device->number)) == 0) continue;
        pa_device_port *port = pa_hashmap_get(fixture->card->ports, fixture->plan->ports[number].name);
        pa_hashmap_put(ports, port->name, port);
        pa_device_port_ref(port);
    }
    return best_port(fixture->plan, fixture->available, device->number);
}

/* The number of the port in use, which may not be the one that it should have come up with: others have a say. */
static uint32_t port_number(const struct device *device, const pa_device_port *port) {
    const struct card_plan *plan = device->fixture->plan;
    for (uint32_t number = 0; number < plan->port_count; number++)
        if ((plan->ports[number].devices & ONLY(device->number)) != 0 && pa_streq(plan->ports[number].name, port->name))
            return number;
    return 0;
}

/* MARK: - Sinks */

static int process_sink_message(pa_msgobject *object, int code, void *data, int64_t offset, pa_memchunk *chunk) {
    struct device *device = PA_SINK(object)->userdata;
    if (code == PA_SINK_MESSAGE_GET_LATENCY) {
        *(int64_t *)data = device_latency(device);
        return 0;
    }
    return pa_sink_process_msg(object, code, data, offset, chunk);
}

/* In the thread of the sound, as all that it calls. */
static void update_sink_latency(pa_sink *sink) {
    struct device *device = sink->userdata;
    pa_usec_t latency = pa_sink_get_requested_latency_within_thread(sink);
    if (latency == (pa_usec_t)-1) latency = sink->thread_info.max_latency;
    pthread_mutex_lock(&device->fixture->lock);
    bool is_less = latency < device->latency;
    device->latency = latency;
    pthread_mutex_unlock(&device->fixture->lock);
    pa_sink_set_max_request_within_thread(sink, pa_usec_to_bytes(latency, &sink->sample_spec));
    /* What is too far ahead now would otherwise stay, and be heard before what begins. As much as there is can be taken
     * back, so the limit for that does not follow the latency. */
    if (is_less) pa_sink_request_rewind(sink, (size_t)-1);
}

static int set_sink_state(pa_sink *sink, pa_sink_state_t state, pa_suspend_cause_t cause) {
    (void)cause;
    bool was_open = PA_SINK_IS_OPENED(sink->thread_info.state), is_open = PA_SINK_IS_OPENED(state);
    if (is_open && !was_open) {
        update_sink_latency(sink);
        open_device(sink->userdata);
    }
    if (!is_open && was_open) close_device(sink->userdata);
    return 0;
}

/* In the main thread, at once, as a mixer's switch. */
static int set_sink_port(pa_sink *sink, pa_device_port *port) {
    use_port(sink->userdata, port_number(sink->userdata, port));
    return 0;
}

void make_sink(struct device *device) {
    struct fixture *fixture = device->fixture;
    pa_sink_new_data data;
    pa_sink_new_data_init(&data);
    data.driver = "fixture-card";
    data.module = fixture->module;
    data.card = fixture->card;
    data.name = name_of(device);
    data.namereg_fail = true;
    pa_sink_new_data_set_sample_spec(&data, &format);
    pa_sink_new_data_set_channel_map(&data, &positions);
    describe(device, data.proplist);
    uint32_t port = add_ports(device, data.ports);
    pa_sink_new_data_set_port(&data, fixture->plan->ports[port].name);
    pa_sink *sink = pa_sink_new(fixture->core, &data, PA_SINK_HARDWARE | PA_SINK_LATENCY | PA_SINK_DYNAMIC_LATENCY);
    pa_sink_new_data_done(&data);
    if (sink == NULL) return note("no sink");
    sink->userdata = device;
    sink->parent.process_msg = process_sink_message;
    sink->set_state_in_io_thread = set_sink_state;
    sink->update_requested_latency = update_sink_latency;
    sink->set_port = set_sink_port;
    pa_sink_set_asyncmsgq(sink, fixture->queues.inq);
    pa_sink_set_rtpoll(sink, fixture->poll);
    pa_sink_set_latency_range(sink, SHORTEST_LATENCY, LONGEST_LATENCY);
    pa_sink_set_max_rewind(sink, pa_usec_to_bytes(LONGEST_LATENCY, &format));
    pa_sink_set_max_request(sink, pa_usec_to_bytes(LONGEST_LATENCY, &format));
    device->ring = pa_xmalloc0(RING * FRAME_SIZE);
    device->latency = LONGEST_LATENCY;
    use_port(device, port_number(device, sink->active_port));
    /* Before the others learn of it, as they may set its port at once. */
    pthread_mutex_lock(&fixture->lock);
    device->sink = sink;
    pthread_mutex_unlock(&fixture->lock);
    pa_sink_put(sink);
    note("sink %u %s", sink->index, sink->name);
}

/* MARK: - Sources */

static int process_source_message(pa_msgobject *object, int code, void *data, int64_t offset, pa_memchunk *chunk) {
    struct device *device = PA_SOURCE(object)->userdata;
    if (code == PA_SOURCE_MESSAGE_GET_LATENCY) {
        *(int64_t *)data = device_latency(device);
        return 0;
    }
    return pa_source_process_msg(object, code, data, offset, chunk);
}

static int set_source_state(pa_source *source, pa_source_state_t state, pa_suspend_cause_t cause) {
    (void)cause;
    bool was_open = PA_SOURCE_IS_OPENED(source->thread_info.state), is_open = PA_SOURCE_IS_OPENED(state);
    if (is_open && !was_open) open_device(source->userdata);
    if (!is_open && was_open) close_device(source->userdata);
    return 0;
}

static int set_source_port(pa_source *source, pa_device_port *port) {
    use_port(source->userdata, port_number(source->userdata, port));
    return 0;
}

void make_source(struct device *device) {
    struct fixture *fixture = device->fixture;
    pa_source_new_data data;
    pa_source_new_data_init(&data);
    data.driver = "fixture-card";
    data.module = fixture->module;
    data.card = fixture->card;
    data.name = name_of(device);
    data.namereg_fail = true;
    pa_source_new_data_set_sample_spec(&data, &format);
    pa_source_new_data_set_channel_map(&data, &positions);
    describe(device, data.proplist);
    uint32_t port = add_ports(device, data.ports);
    pa_source_new_data_set_port(&data, fixture->plan->ports[port].name);
    pa_source *source = pa_source_new(fixture->core, &data, PA_SOURCE_HARDWARE | PA_SOURCE_LATENCY);
    pa_source_new_data_done(&data);
    if (source == NULL) return note("no source");
    source->userdata = device;
    source->parent.process_msg = process_source_message;
    source->set_state_in_io_thread = set_source_state;
    source->set_port = set_source_port;
    pa_source_set_asyncmsgq(source, fixture->queues.inq);
    pa_source_set_rtpoll(source, fixture->poll);
    pa_source_set_fixed_latency(source, 10 * PA_USEC_PER_MSEC);
    use_port(device, port_number(device, source->active_port));
    pthread_mutex_lock(&fixture->lock);
    device->source = source;
    pthread_mutex_unlock(&fixture->lock);
    pa_source_put(source);
    note("source %u %s", source->index, source->name);
}

void remove_device(struct device *device) {
    pa_sink *sink = device->sink;
    pa_source *source = device->source;
    if (sink != NULL) {
        note("sink %u goes", sink->index);
        pa_sink_unlink(sink);
    }
    if (source != NULL) {
        note("source %u goes", source->index);
        pa_source_unlink(source);
    }
    pthread_mutex_lock(&device->fixture->lock);
    device->sink = NULL;
    device->source = NULL;
    pa_xfree(device->ring);
    device->ring = NULL;
    pthread_mutex_unlock(&device->fixture->lock);
    if (sink != NULL) pa_sink_unref(sink);
    if (source != NULL) pa_source_unref(source);
}
