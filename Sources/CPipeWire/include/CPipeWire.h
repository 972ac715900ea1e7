/* PipeWire's headers for Swift, and thin shims for what Swift cannot call: macros, inline functions, variadics.
 * Nothing here decides anything. */
#ifndef CPIPEWIRE_H
#define CPIPEWIRE_H

#include <stdbool.h>
#include <stdint.h>

#include <pipewire/impl.h>

#include <pipewire/extensions/client-node.h>
#include <pipewire/extensions/metadata.h>

/* Hooks and dictionaries: inline functions. */
void cpw_hook_remove(struct spa_hook *hook);
const char *cpw_dict_lookup(const struct spa_dict *dict, const char *key);

/* Sends -EPERM and a text to the client that has a resource. */
void cpw_resource_refuse(struct pw_resource *resource, const char *text);

/* One property of the daemon; NULL removes it. */
void cpw_context_set_property(struct pw_context *context, const char *key, const char *value);

/* The loop: macros over a table of functions. Times are nanoseconds on CLOCK_MONOTONIC; 0 disarms a timer. */
struct spa_source *cpw_loop_add_timer(struct pw_loop *loop, void (*func)(void *data, uint64_t expirations), void *data);
void cpw_loop_arm_timer(struct pw_loop *loop, struct spa_source *source, int64_t at_nanoseconds);
struct spa_source *cpw_loop_add_event(struct pw_loop *loop, void (*func)(void *data, uint64_t count), void *data);
struct spa_source *cpw_loop_add_input(struct pw_loop *loop, int descriptor,
                                      void (*func)(void *data, int descriptor, uint32_t mask), void *data);
/* A descriptor of which nothing is asked at first; what is asked is a mask of CPW_IO_IN and CPW_IO_OUT. */
enum { CPW_IO_IN = 1 << 0, CPW_IO_OUT = 1 << 2, CPW_IO_GONE = 1 << 3 | 1 << 4 };
struct spa_source *cpw_loop_add_io(struct pw_loop *loop, int descriptor,
                                   void (*func)(void *data, int descriptor, uint32_t mask), void *data);
void cpw_loop_update_io(struct pw_loop *loop, struct spa_source *source, uint32_t mask);
void cpw_loop_signal_event(struct pw_loop *loop, struct spa_source *source);
void cpw_loop_destroy_source(struct pw_loop *loop, struct spa_source *source);
int64_t cpw_monotonic_nanoseconds(void);

/* The log: variadic macros, under the topic "mod.audio-session". */
void cpw_log_open(void);
enum cpw_log_level { CPW_LOG_ERROR = 1, CPW_LOG_WARN = 2, CPW_LOG_INFO = 3, CPW_LOG_DEBUG = 4 };
bool cpw_log_enabled(enum cpw_log_level level);
void cpw_log(enum cpw_log_level level, const char *text);

/* What a node's Props parameter says of its volumes. */
#define CPW_MAX_CHANNELS 64
struct cpw_volumes {
    uint32_t channel_count;
    uint32_t soft_count;
    float channel[CPW_MAX_CHANNELS];
    float soft[CPW_MAX_CHANNELS];
    bool mute;
    bool soft_mute;
};

/* Reads Props; returns whether the node has soft volumes at all. */
bool cpw_node_read_volumes(struct pw_impl_node *node, struct cpw_volumes *volumes);
/* Writes softVolumes and softMute, and nothing else; returns a negative errno on failure. */
int cpw_node_write_soft_volumes(struct pw_impl_node *node, const float *volumes, uint32_t count, bool mute);

/* What a Route or EnumRoute parameter says of a port of a card. Texts that are too long are cut. */
struct cpw_route {
    uint32_t index;
    /* SPA_DIRECTION_INPUT or SPA_DIRECTION_OUTPUT, seen from the card. */
    uint32_t direction;
    /* The device of the profile that it is used with; -1 where it does not say. */
    int32_t device;
    /* SPA_PARAM_AVAILABILITY_unknown, _no or _yes. */
    uint32_t available;
    char name[128];
    char description[128];
    char type[64];
};

/* Returns whether a parameter is a Route with at least an index. */
bool cpw_route_read(const struct spa_pod *param, struct cpw_route *route);
enum { CPW_PARAM_ENUM_ROUTE = 12, CPW_PARAM_ROUTE = 13 };

/* A client of the daemon inside the daemon: macros over tables of functions. */
struct pw_core *cpw_context_connect(struct pw_context *context);
struct pw_registry *cpw_core_get_registry(struct pw_core *core);
void cpw_registry_add_listener(struct pw_registry *registry, struct spa_hook *hook,
                               const struct pw_registry_events *events, void *data);
/* Returns the proxy, or NULL. */
struct pw_proxy *cpw_registry_bind(struct pw_registry *registry, uint32_t id, const char *type, uint32_t version);
void cpw_device_add_listener(struct pw_proxy *device, struct spa_hook *hook, const struct pw_device_events *events,
                             void *data);
void cpw_device_subscribe_routes(struct pw_proxy *device);
void cpw_device_enumerate(struct pw_proxy *device, uint32_t param);
void cpw_metadata_add_listener(struct pw_proxy *metadata, struct spa_hook *hook,
                               const struct pw_metadata_events *events, void *data);

/* Takes this object's own code and constants out of the process's memory. They are in the file, so what is used again is
 * mapped again; what was used only to start is not counted any more. */
void cpw_release_code(void);

#endif
