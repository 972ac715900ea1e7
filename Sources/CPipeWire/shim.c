#define _GNU_SOURCE
#include "CPipeWire.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <spa/node/utils.h>
#include <spa/param/latency-utils.h>
#include <spa/param/props.h>
#include <spa/pod/builder.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>
#include <spa/utils/result.h>

void cpw_hook_remove(struct spa_hook *hook) { spa_hook_remove(hook); }

void cpw_resource_refuse(struct pw_resource *resource, const char *text) {
    pw_resource_errorf(resource, -EPERM, "%s", text);
}

void cpw_context_set_property(struct pw_context *context, const char *key, const char *value) {
    pw_context_update_properties(context, &SPA_DICT_INIT_ARRAY(((struct spa_dict_item[]){{key, value}})));
}

void cpw_node_set_property(struct pw_impl_node *node, const char *key, const char *value) {
    pw_impl_node_update_properties(node, &SPA_DICT_INIT_ARRAY(((struct spa_dict_item[]){{key, value}})));
}

struct spa_source *cpw_loop_add_timer(struct pw_loop *loop, void (*func)(void *, uint64_t), void *data) {
    return pw_loop_add_timer(loop, func, data);
}

void cpw_loop_arm_timer(struct pw_loop *loop, struct spa_source *source, int64_t at) {
    struct timespec value = {.tv_sec = at / SPA_NSEC_PER_SEC, .tv_nsec = at % SPA_NSEC_PER_SEC};
    pw_loop_update_timer(loop, source, &value, NULL, true);
}

struct spa_source *cpw_loop_add_event(struct pw_loop *loop, void (*func)(void *, uint64_t), void *data) {
    return pw_loop_add_event(loop, func, data);
}

_Static_assert(CPW_IO_IN == SPA_IO_IN && CPW_IO_OUT == SPA_IO_OUT && CPW_IO_GONE == (SPA_IO_ERR | SPA_IO_HUP),
               "the masks are those of the loop");

struct spa_source *cpw_loop_add_io(struct pw_loop *loop, int descriptor, void (*func)(void *, int, uint32_t),
                                   void *data) {
    return pw_loop_add_io(loop, descriptor, 0, false, func, data);
}

void cpw_loop_update_io(struct pw_loop *loop, struct spa_source *source, uint32_t mask) {
    pw_loop_update_io(loop, source, mask);
}

void cpw_loop_signal_event(struct pw_loop *loop, struct spa_source *source) { pw_loop_signal_event(loop, source); }

void cpw_loop_destroy_source(struct pw_loop *loop, struct spa_source *source) { pw_loop_destroy_source(loop, source); }

int64_t cpw_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SPA_NSEC_PER_SEC + now.tv_nsec;
}

/* Not by PW_LOG_TOPIC_STATIC, which since 1.1 calls pw_log_topic_register at load: older daemons have no such function. */
static struct spa_log_topic topic_value = SPA_LOG_TOPIC(0, "mod.audio-session");
static struct spa_log_topic *const topic = &topic_value;

/* Since 1.1, registering a topic sets its level; the older function has no effect there. */
__attribute__((weak)) void pw_log_topic_register(struct spa_log_topic *topic);

void cpw_log_open(void) {
    if (pw_log_topic_register != NULL)
        pw_log_topic_register(topic);
    else
        PW_LOG_TOPIC_INIT(topic);
}

bool cpw_log_enabled(enum cpw_log_level level) { return pw_log_topic_enabled((enum spa_log_level)level, topic); }

void cpw_log(enum cpw_log_level level, const char *text) { pw_logt((enum spa_log_level)level, topic, "%s", text); }

const char *cpw_missing_function(void) {
#define LOOK(name) \
    if (&name == NULL) return #name;
    CPW_FUNCTIONS(LOOK)
    return NULL;
}

const char *cpw_release(void) { return pw_get_library_version == NULL ? NULL : pw_get_library_version(); }

void cpw_complain(const char *text) {
    if (pw_log_logt != NULL && &pw_log_level != NULL && pw_log_get != NULL) {
        cpw_log_open();
        cpw_log(CPW_LOG_ERROR, text);
    } else {
        fprintf(stderr, "audio-session: %s\n", text);
    }
}

/* Copies an array whose elements have the given type and four bytes each; refuses any other array. The pod comes
 * from a client, and spa_pod_copy_array of 0.3.65 trusts the element size that the pod states. */
static uint32_t copy_array(const struct spa_pod *pod, uint32_t type, void *values, uint32_t max_values) {
    if (!spa_pod_is_array(pod) || SPA_POD_ARRAY_VALUE_SIZE(pod) != sizeof(uint32_t)) return 0;
    return spa_pod_copy_array(pod, type, values, max_values);
}

void cpw_props_read(const struct spa_pod *param, struct cpw_volumes *volumes) {
    const struct spa_pod_prop *prop;
    if (!spa_pod_is_object_type(param, SPA_TYPE_OBJECT_Props)) return;
    SPA_POD_OBJECT_FOREACH((const struct spa_pod_object *)param, prop) {
        switch (prop->key) {
        case SPA_PROP_channelVolumes:
            volumes->channel_count = copy_array(&prop->value, SPA_TYPE_Float, volumes->channel, CPW_MAX_CHANNELS);
            break;
        case SPA_PROP_softVolumes:
            volumes->soft_count = copy_array(&prop->value, SPA_TYPE_Float, volumes->soft, CPW_MAX_CHANNELS);
            break;
        case SPA_PROP_mute:
            spa_pod_get_bool(&prop->value, &volumes->mute);
            break;
        case SPA_PROP_volume: {
            float scale = 1;
            volumes->is_scaled_to_zero = spa_pod_get_float(&prop->value, &scale) == 0 && scale <= 0;
            break;
        }
        case SPA_PROP_softMute:
            spa_pod_get_bool(&prop->value, &volumes->soft_mute);
            break;
        }
    }
}

static int take_props(void *data, int seq, uint32_t id, uint32_t index, uint32_t next, struct spa_pod *param) {
    (void)seq, (void)id, (void)index, (void)next;
    cpw_props_read(param, data);
    return 0;
}

bool cpw_node_read_volumes(struct pw_impl_node *node, struct cpw_volumes *volumes) {
    *volumes = (struct cpw_volumes){0};
    pw_impl_node_for_each_param(node, 0, SPA_PARAM_Props, 0, UINT32_MAX, NULL, take_props, volumes);
    return volumes->soft_count > 0;
}

static int ask_port_for_latency(void *data, struct pw_impl_port *port) {
    struct cpw_latency *latency = data;
    struct spa_node *node = pw_impl_node_get_implementation(pw_impl_port_get_node(port));
    enum spa_direction direction = (enum spa_direction)pw_impl_port_get_direction(port);
    uint32_t index = 0;
    /* A port has one latency for each direction. A client may own the node, and send any number of them. */
    for (int turn = 0; turn < 8; turn++) {
        uint8_t buffer[1024];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
        struct spa_pod *param = NULL;
        struct spa_latency_info info;
        int32_t frames;
        if (node == NULL || spa_node_port_enum_params_sync(node, direction, pw_impl_port_get_id(port), SPA_PARAM_Latency,
                                                           &index, NULL, &param, &builder) != 1)
            break;
        if (spa_latency_parse(param, &info) < 0 || info.direction != direction) continue;
        /* In some releases the number of frames has a sign. */
        frames = (int32_t)info.max_rate;
        if (info.max_quantum > latency->quanta) latency->quanta = fminf(info.max_quantum, CPW_MAX_QUANTA);
        if (frames > 0 && (uint32_t)frames > latency->frames) latency->frames = (uint32_t)frames;
        if ((int64_t)info.max_ns > latency->nanoseconds) latency->nanoseconds = (int64_t)info.max_ns;
    }
    return 0;
}

void cpw_node_read_latency(struct pw_impl_node *node, bool is_sink, struct cpw_latency *latency) {
    *latency = (struct cpw_latency){0};
    pw_impl_node_for_each_port(node, is_sink ? PW_DIRECTION_INPUT : PW_DIRECTION_OUTPUT, ask_port_for_latency, latency);
}

float cpw_volumes_slider(const struct cpw_volumes *volumes) {
    float loudest = 0;
    for (uint32_t channel = 0; channel < volumes->channel_count; channel++) {
        if (volumes->channel[channel] > loudest) loudest = volumes->channel[channel];
    }
    return cbrtf(loudest);
}

int cpw_node_write_soft_volumes(struct pw_impl_node *node, const float *volumes, uint32_t count, bool mute) {
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
    struct spa_pod *pod;
    if (count > CPW_MAX_CHANNELS) count = CPW_MAX_CHANNELS;
    pod = spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props, SPA_PROP_softMute,
                                     SPA_POD_Bool(mute), SPA_PROP_softVolumes,
                                     SPA_POD_Array(sizeof(float), SPA_TYPE_Float, count, volumes));
    return pod == NULL ? -ENOSPC : pw_impl_node_set_param(node, SPA_PARAM_Props, 0, pod);
}

_Static_assert(CPW_PARAM_ENUM_ROUTE == SPA_PARAM_EnumRoute && CPW_PARAM_ROUTE == SPA_PARAM_Route,
               "the numbers are those of the parameters");
_Static_assert(CPW_DEVICE_CHANGED_PARAMS == SPA_DEVICE_CHANGE_MASK_PARAMS, "the bit is the device's");

static void copy_text(const char *value, char *text, uint32_t size) {
    if (value != NULL) snprintf(text, size, "%s", value);
}

static void read_text(const struct spa_pod *pod, char *text, uint32_t size) {
    const char *value = NULL;
    if (spa_pod_get_string(pod, &value) >= 0) copy_text(value, text, size);
}

/* Reads a struct of a count and that many pairs of keys and values. */
static void read_info(const struct spa_pod *info, struct cpw_route *route) {
    struct spa_pod_parser parser;
    struct spa_pod_frame frame;
    int32_t count = 0;
    spa_pod_parser_pod(&parser, info);
    if (spa_pod_parser_push_struct(&parser, &frame) < 0 || spa_pod_parser_get_int(&parser, &count) < 0) return;
    for (int32_t index = 0; index < count; index++) {
        const char *key, *value;
        if (spa_pod_parser_get_string(&parser, &key) < 0 || spa_pod_parser_get_string(&parser, &value) < 0) return;
        if (key == NULL) continue;
        if (strcmp(key, "port.type") == 0) copy_text(value, route->type, sizeof(route->type));
        if (strcmp(key, "device.icon-name") == 0) copy_text(value, route->icon_name, sizeof(route->icon_name));
    }
}

bool cpw_route_read(const struct spa_pod *param, struct cpw_route *route) {
    const struct spa_pod_prop *prop;
    bool has_index = false;
    *route = (struct cpw_route){.device = -1, .profile = -1};
    if (param == NULL || !spa_pod_is_object_type(param, SPA_TYPE_OBJECT_ParamRoute)) return false;
    SPA_POD_OBJECT_FOREACH((const struct spa_pod_object *)param, prop) {
        int32_t number = 0;
        switch (prop->key) {
        case SPA_PARAM_ROUTE_index:
            has_index = spa_pod_get_int(&prop->value, &number) >= 0;
            route->index = (uint32_t)number;
            break;
        case SPA_PARAM_ROUTE_direction:
            spa_pod_get_id(&prop->value, &route->direction);
            break;
        case SPA_PARAM_ROUTE_device:
            spa_pod_get_int(&prop->value, &route->device);
            break;
        case SPA_PARAM_ROUTE_devices:
            route->device_count = copy_array(&prop->value, SPA_TYPE_Int, route->devices, CPW_MAX_ROUTE_DEVICES);
            break;
        case SPA_PARAM_ROUTE_profiles: {
            uint32_t profiles[32];
            if (copy_array(&prop->value, SPA_TYPE_Int, profiles, 32) > 0) route->profile = (int32_t)profiles[0];
            break;
        }
        case SPA_PARAM_ROUTE_available:
            spa_pod_get_id(&prop->value, &route->available);
            break;
        case SPA_PARAM_ROUTE_name:
            read_text(&prop->value, route->name, sizeof(route->name));
            break;
        case SPA_PARAM_ROUTE_description:
            read_text(&prop->value, route->description, sizeof(route->description));
            break;
        case SPA_PARAM_ROUTE_info:
            read_info(&prop->value, route);
            break;
        }
    }
    return has_index;
}

void cpw_device_add_listener(struct pw_impl_device *device, struct spa_hook *hook,
                             const struct spa_device_events *events, void *data) {
    struct spa_device *implementation = pw_impl_device_get_implementation(device);
    if (implementation != NULL) spa_device_add_listener(implementation, hook, events, data);
}

static int number_of(int result, int number) { return result < 0 || SPA_RESULT_IS_ASYNC(result) ? result : number; }

int cpw_device_enumerate(struct pw_impl_device *device, int number, uint32_t param) {
    struct spa_device *implementation = pw_impl_device_get_implementation(device);
    if (implementation == NULL) return -ENOTSUP;
    return number_of(spa_device_enum_params(implementation, number, param, 0, UINT32_MAX, NULL), number);
}

int cpw_device_sync(struct pw_impl_device *device, int number) {
    struct spa_device *implementation = pw_impl_device_get_implementation(device);
    return implementation == NULL ? -ENOTSUP : number_of(spa_device_sync(implementation, number), number);
}

const struct spa_pod *cpw_result_param(uint32_t type, const void *result, uint32_t *param) {
    const struct spa_result_device_params *params = result;
    if (type != SPA_RESULT_TYPE_DEVICE_PARAMS || params == NULL) return NULL;
    *param = params->id;
    return params->param;
}

static int set_device_param(struct pw_impl_device *device, uint32_t id, const struct spa_pod *pod) {
    struct spa_device *implementation = pw_impl_device_get_implementation(device);
    if (implementation == NULL) return -ENOTSUP;
    return pod == NULL ? -ENOSPC : spa_device_set_param(implementation, id, 0, pod);
}

int cpw_device_use_route(struct pw_impl_device *device, uint32_t index, int32_t profile_device, bool save) {
    uint8_t buffer[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
    struct spa_pod *pod = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamRoute, SPA_PARAM_Route, SPA_PARAM_ROUTE_index, SPA_POD_Int((int32_t)index),
        SPA_PARAM_ROUTE_device, SPA_POD_Int(profile_device), SPA_PARAM_ROUTE_save, SPA_POD_Bool(save));
    return set_device_param(device, SPA_PARAM_Route, pod);
}

int cpw_device_use_profile(struct pw_impl_device *device, uint32_t index, bool save) {
    uint8_t buffer[256];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
    struct spa_pod *pod = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamProfile, SPA_PARAM_Profile, SPA_PARAM_PROFILE_index, SPA_POD_Int((int32_t)index),
        SPA_PARAM_PROFILE_save, SPA_POD_Bool(save));
    return set_device_param(device, SPA_PARAM_Profile, pod);
}

void cpw_metadata_add_listener(struct pw_resource *metadata, struct spa_hook *hook,
                               const struct pw_metadata_events *events, void *data) {
    pw_metadata_add_listener((struct pw_metadata *)metadata, hook, events, data);
}

void cpw_metadata_set(struct pw_resource *metadata, uint32_t subject, const char *key, const char *type,
                      const char *value) {
    pw_metadata_set_property((struct pw_metadata *)metadata, subject, key, type, value);
}

const char *cpw_own_file(void) {
    Dl_info file;
    return dladdr((const void *)cpw_own_file, &file) != 0 ? file.dli_fname : NULL;
}
