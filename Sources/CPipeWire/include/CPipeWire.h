/* PipeWire's headers for Swift, and thin shims for what Swift cannot call: macros, inline functions, variadics.
 * Nothing here decides anything. */
#ifndef CPIPEWIRE_H
#define CPIPEWIRE_H

#include <stdbool.h>
#include <stdint.h>

#include <pipewire/impl.h>

#include <pipewire/extensions/client-node.h>
#include <pipewire/extensions/metadata.h>
#include <spa/monitor/device.h>

#include "functions.h"

/* The first function that the daemon's library lacks, or NULL. Where there is one, nothing else of PipeWire may be called
 * but these two: its release, or NULL where it does not say, and a line in its log, or else in its standard error. */
const char *cpw_missing_function(void);
const char *cpw_release(void);
void cpw_complain(const char *text);

/* Hooks: inline functions. */
void cpw_hook_remove(struct spa_hook *hook);

/* Sends -EPERM and a text to the client that has a resource. */
void cpw_resource_refuse(struct pw_resource *resource, const char *text);

/* One property of the daemon; NULL removes it. */
void cpw_context_set_property(struct pw_context *context, const char *key, const char *value);

/* One property of a node, which makes the daemon look at the graph anew where it matters; NULL removes it. */
void cpw_node_set_property(struct pw_impl_node *node, const char *key, const char *value);

/* The loop: macros over a table of functions. Times are nanoseconds on CLOCK_MONOTONIC; 0 disarms a timer. */
struct spa_source *cpw_loop_add_timer(struct pw_loop *loop, void (*func)(void *data, uint64_t expirations), void *data);
void cpw_loop_arm_timer(struct pw_loop *loop, struct spa_source *source, int64_t at_nanoseconds);
struct spa_source *cpw_loop_add_event(struct pw_loop *loop, void (*func)(void *data, uint64_t count), void *data);
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

/* Adds what one Props parameter says. */
void cpw_props_read(const struct spa_pod *param, struct cpw_volumes *volumes);
/* Reads Props; returns whether the node has soft volumes at all. */
bool cpw_node_read_volumes(struct pw_impl_node *node, struct cpw_volumes *volumes);
/* Writes softVolumes and softMute, and nothing else; returns a negative errno on failure. */
int cpw_node_write_soft_volumes(struct pw_impl_node *node, const float *volumes, uint32_t count, bool mute);

/* What a Route or EnumRoute parameter says of a port of a card. Texts that are too long are cut. */
#define CPW_MAX_ROUTE_DEVICES 32
struct cpw_route {
    uint32_t index;
    /* SPA_DIRECTION_INPUT or SPA_DIRECTION_OUTPUT, seen from the machine. */
    uint32_t direction;
    /* The device of the profile that it is used with (Route); -1 where it does not say. */
    int32_t device;
    /* SPA_PARAM_AVAILABILITY_unknown, _no or _yes. */
    uint32_t available;
    /* The devices of the profile that it can be used with (EnumRoute). */
    uint32_t device_count;
    uint32_t devices[CPW_MAX_ROUTE_DEVICES];
    /* The first of the profiles that it can be used in (EnumRoute); -1 where it does not say. */
    int32_t profile;
    char name[128];
    char description[128];
    char type[64];
    char icon_name[64];
};
enum { CPW_PARAM_ENUM_ROUTE = 12, CPW_PARAM_ROUTE = 13 };
enum { CPW_DEVICE_CHANGED_PARAMS = 1 << 2 };

/* Returns whether a parameter is a Route with at least an index. */
bool cpw_route_read(const struct spa_pod *param, struct cpw_route *route);

/* A device of the daemon, or of a client that exports it: both answer with results that listeners hear. */
void cpw_device_add_listener(struct pw_impl_device *device, struct spa_hook *hook,
                             const struct spa_device_events *events, void *data);
/* Ask for a parameter, or for a result of no content that comes after all before. Return the number that the results will
 * have, or a negative errno; a device in the daemon itself answers before they return, with the number that is given. */
int cpw_device_enumerate(struct pw_impl_device *device, int number, uint32_t param);
int cpw_device_sync(struct pw_impl_device *device, int number);
/* The parameter in a result, or NULL; and which one it is. */
const struct spa_pod *cpw_result_param(uint32_t type, const void *result, uint32_t *param);
/* Makes a port the active one of a device of the profile; returns a negative errno on failure. */
int cpw_device_use_route(struct pw_impl_device *device, uint32_t index, int32_t profile_device, bool save);
int cpw_device_use_profile(struct pw_impl_device *device, uint32_t index, bool save);

/* The metadata that a client exports, by its own resource. */
void cpw_metadata_add_listener(struct pw_resource *metadata, struct spa_hook *hook,
                               const struct pw_metadata_events *events, void *data);
/* A value of NULL removes the key. */
void cpw_metadata_set(struct pw_resource *metadata, uint32_t subject, const char *key, const char *type,
                      const char *value);

/* Takes this object's own code and constants out of the process's memory. They are in the file, so what is used again is
 * mapped again; what was used only to start is not counted any more. */
void cpw_release_code(void);
/* The path of the file that this code is in; NULL where it cannot be told. */
const char *cpw_own_file(void);

#endif
