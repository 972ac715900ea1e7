#include "CPipeWire.h"

#include <errno.h>
#include <time.h>

#include <spa/param/props.h>
#include <spa/pod/builder.h>
#include <spa/pod/iter.h>

void cpw_hook_remove(struct spa_hook *hook) { spa_hook_remove(hook); }

const char *cpw_dict_lookup(const struct spa_dict *dict, const char *key) {
    return dict == NULL ? NULL : spa_dict_lookup(dict, key);
}

void cpw_resource_refuse(struct pw_resource *resource, const char *text) {
    pw_resource_errorf(resource, -EPERM, "%s", text);
}

void cpw_context_set_property(struct pw_context *context, const char *key, const char *value) {
    pw_context_update_properties(context, &SPA_DICT_INIT_ARRAY(((struct spa_dict_item[]){{key, value}})));
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

struct spa_source *cpw_loop_add_input(struct pw_loop *loop, int descriptor, void (*func)(void *, int, uint32_t),
                                      void *data) {
    return pw_loop_add_io(loop, descriptor, SPA_IO_IN, false, func, data);
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

PW_LOG_TOPIC_STATIC(topic, "mod.audio-session");

/* Since 1.1 a topic gets its level by being registered; the function before has no effect there. */
__attribute__((weak)) void pw_log_topic_register(struct spa_log_topic *topic);

void cpw_log_open(void) {
    if (pw_log_topic_register != NULL)
        pw_log_topic_register(topic);
    else
        PW_LOG_TOPIC_INIT(topic);
}

bool cpw_log_enabled(enum cpw_log_level level) { return pw_log_topic_enabled((enum spa_log_level)level, topic); }

void cpw_log(enum cpw_log_level level, const char *text) { pw_logt((enum spa_log_level)level, topic, "%s", text); }

static int take_props(void *data, int seq, uint32_t id, uint32_t index, uint32_t next, struct spa_pod *param) {
    struct cpw_volumes *volumes = data;
    const struct spa_pod_prop *prop;
    (void)seq, (void)id, (void)index, (void)next;
    if (!spa_pod_is_object_type(param, SPA_TYPE_OBJECT_Props)) return 0;
    SPA_POD_OBJECT_FOREACH((const struct spa_pod_object *)param, prop) {
        switch (prop->key) {
        case SPA_PROP_channelVolumes:
            volumes->channel_count =
                spa_pod_copy_array(&prop->value, SPA_TYPE_Float, volumes->channel, CPW_MAX_CHANNELS);
            break;
        case SPA_PROP_softVolumes:
            volumes->soft_count = spa_pod_copy_array(&prop->value, SPA_TYPE_Float, volumes->soft, CPW_MAX_CHANNELS);
            break;
        case SPA_PROP_mute:
            spa_pod_get_bool(&prop->value, &volumes->mute);
            break;
        case SPA_PROP_softMute:
            spa_pod_get_bool(&prop->value, &volumes->soft_mute);
            break;
        default:
            break;
        }
    }
    return 0;
}

bool cpw_node_read_volumes(struct pw_impl_node *node, struct cpw_volumes *volumes) {
    *volumes = (struct cpw_volumes){0};
    pw_impl_node_for_each_param(node, 0, SPA_PARAM_Props, 0, UINT32_MAX, NULL, take_props, volumes);
    return volumes->soft_count > 0;
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
