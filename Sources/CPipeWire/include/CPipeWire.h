/* PipeWire's headers for Swift, and thin shims for what Swift cannot call: macros, inline functions, variadics. The
 * shims make no decisions. */
#ifndef CPIPEWIRE_H
#define CPIPEWIRE_H

#include <stdbool.h>
#include <stdint.h>

#include <pipewire/impl.h>

#include <pipewire/extensions/client-node.h>
#include <pipewire/extensions/metadata.h>
#include <spa/monitor/device.h>

#include "functions.h"

/* The first required function that the daemon's library lacks, or NULL. If one is missing, only the next two
 * functions may be called: the first returns the library's release, or NULL if unknown; the second writes a line to
 * the daemon's log, or else to standard error. */
const char *cpw_missing_function(void);
const char *cpw_release(void);
void cpw_complain(const char *text);

/* Hooks: inline functions. */
void cpw_hook_remove(struct spa_hook *hook);

/* Sends the error -EPERM with a text to the client that owns a resource. */
void cpw_resource_refuse(struct pw_resource *resource, const char *text);

/* Sets a property of the daemon; a value of NULL removes the property. */
void cpw_context_set_property(struct pw_context *context, const char *key, const char *value);

/* Sets a property of a node, which may make the daemon recalculate the graph; a value of NULL removes the property. */
void cpw_node_set_property(struct pw_impl_node *node, const char *key, const char *value);

/* The loop: macros over a table of functions. Times are nanoseconds on CLOCK_MONOTONIC; 0 disarms a timer. */
struct spa_source *cpw_loop_add_timer(struct pw_loop *loop, void (*func)(void *data, uint64_t expirations), void *data);
void cpw_loop_arm_timer(struct pw_loop *loop, struct spa_source *source, int64_t at_nanoseconds);
struct spa_source *cpw_loop_add_event(struct pw_loop *loop, void (*func)(void *data, uint64_t count), void *data);
/* Watches a descriptor, at first for nothing; the mask is made of CPW_IO_IN and CPW_IO_OUT. */
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

/* The volumes in a node's Props parameter. */
#define CPW_MAX_CHANNELS 64
struct cpw_volumes {
    uint32_t channel_count;
    uint32_t soft_count;
    float channel[CPW_MAX_CHANNELS];
    float soft[CPW_MAX_CHANNELS];
    bool mute;
    bool soft_mute;
    /* Whether the factor for all channels, which some clients have besides, is zero. */
    bool is_scaled_to_zero;
};

/* Adds the volumes of one Props parameter. */
void cpw_props_read(const struct spa_pod *param, struct cpw_volumes *volumes);
/* Reads a node's Props; returns whether the node has soft volumes. */
bool cpw_node_read_volumes(struct pw_impl_node *node, struct cpw_volumes *volumes);
/* The position of the volume slider of the loudest channel: the cube root of its factor, as the tools of the desktop
 * show it. */
float cpw_volumes_slider(const struct cpw_volumes *volumes);
/* Writes softVolumes and softMute only; returns a negative errno on failure. */
int cpw_node_write_soft_volumes(struct pw_impl_node *node, const float *volumes, uint32_t count, bool mute);

/* Links: the gain of a stream before the mixers of sinks, for sinks that the server itself mixes for. The gain changes with
 * every sample, and the stream's own volumes stay as they are. Elsewhere, streams have soft volumes only.
 *
 * The callback is called when a stream may have got or lost such links. Returns whether the server has the functions for it. */
bool cpw_links_open(struct pw_context *context, void (*callback)(void *data), void *data);
/* Ends the callbacks; the gains stay as they are. */
void cpw_links_close(void);
/* Takes part in the mixing for a sink as soon as its inputs get a format. */
void cpw_links_watch(struct pw_impl_node *sink);
/* The number of a stream's links whose gain can change with every sample. */
uint32_t cpw_links_count(struct pw_impl_node *stream);
/* Ramps the gain of all such links, also of later ones, within a number of frames; with 0 the gain jumps. The ramp begins at
 * the present gain, or at silence for a stream that is not heard. The slider, from 0 to 1, is the cube root of the gain.
 * Returns false if there is no memory. */
bool cpw_links_ramp(struct pw_impl_node *stream, float slider, uint32_t frames, bool is_from_silence);
/* The frames in which links give a gain back once soft volumes lower the stream: a tenth of a second at 48 kHz. */
enum { CPW_LINKS_RETURN = 4800 };
/* Forgets the gain that later links of a stream would get. */
void cpw_links_forget(struct pw_impl_node *stream);

/* Meters: streams of our own that record other streams, for the highest sample of each period. The core is a connection
 * of the daemon to itself. The target is the serial number of a node. NULL if there is no memory or descriptor for it. */
enum { CPW_METER_RATE = 50 };
struct cpw_meter;
typedef void (*cpw_meter_callback)(void *data, float peak);
struct pw_core *cpw_meters_connect(struct pw_context *context);
struct cpw_meter *cpw_meter_new(struct pw_core *core, const char *target, cpw_meter_callback callback, void *data);
void cpw_meter_destroy(struct cpw_meter *meter);

/* The clock of a graph. */
enum { CPW_MAX_QUANTUM = 1 << 16, CPW_MAX_RATE = 10000000 };
/* The clock of the graph that a node drives, valid as long as the node exists; NULL if it cannot be found. Lets another node
 * follow the driver for a moment, so must not be called while the daemon is in the middle of its work. */
const struct spa_io_clock *cpw_node_clock(struct pw_context *context, struct pw_impl_node *driver);
/* Reads the rate, and the frames of a cycle: since 0.3.69 as the daemon has decided last, before as they are in the present
 * cycle. Returns false if the clock has no valid numbers. */
bool cpw_clock_read(const struct spa_io_clock *clock, uint32_t *rate, uint32_t *quantum);

/* The latency that a node's ports state: the sum of that many quanta, frames and nanoseconds. */
#define CPW_MAX_QUANTA 1024
struct cpw_latency {
    /* From 0 to CPW_MAX_QUANTA. */
    float quanta;
    uint32_t frames;
    int64_t nanoseconds;
};

/* Reads the longest latency of a sink's inputs (the time until their sound is heard) or of a source's outputs (the time since
 * their sound was recorded). */
void cpw_node_read_latency(struct pw_impl_node *node, bool is_sink, struct cpw_latency *latency);

/* A Route or EnumRoute parameter: one port of a card. Longer texts are cut. */
#define CPW_MAX_ROUTE_DEVICES 32
struct cpw_route {
    uint32_t index;
    /* SPA_DIRECTION_INPUT or SPA_DIRECTION_OUTPUT, seen from the machine. */
    uint32_t direction;
    /* The device of the profile that uses the port (Route); -1 if not stated. */
    int32_t device;
    /* SPA_PARAM_AVAILABILITY_unknown, _no or _yes. */
    uint32_t available;
    /* The devices of the profile that can use the port (EnumRoute). */
    uint32_t device_count;
    uint32_t devices[CPW_MAX_ROUTE_DEVICES];
    /* The first profile that contains the port (EnumRoute); -1 if not stated. */
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

/* A device of the daemon, or of a client that exports the device: both send their answers as result events. */
void cpw_device_add_listener(struct pw_impl_device *device, struct spa_hook *hook,
                             const struct spa_device_events *events, void *data);
/* Request a parameter, or an empty result that comes after all earlier ones. Both return the sequence number of the
 * results, or a negative errno; a device inside the daemon answers before the call returns, with the given number. */
int cpw_device_enumerate(struct pw_impl_device *device, int number, uint32_t param);
int cpw_device_sync(struct pw_impl_device *device, int number);
/* The parameter in a result, or NULL; `param` receives its id. */
const struct spa_pod *cpw_result_param(uint32_t type, const void *result, uint32_t *param);
/* Activates a port for a device of the profile; returns a negative errno on failure. */
int cpw_device_use_route(struct pw_impl_device *device, uint32_t index, int32_t profile_device, bool save);
int cpw_device_use_profile(struct pw_impl_device *device, uint32_t index, bool save);

/* Metadata that a client exports, accessed through the client's own resource. */
void cpw_metadata_add_listener(struct pw_resource *metadata, struct spa_hook *hook,
                               const struct pw_metadata_events *events, void *data);
/* A value of NULL removes the key. */
void cpw_metadata_set(struct pw_resource *metadata, uint32_t subject, const char *key, const char *type,
                      const char *value);

/* The path of the file that contains this code; NULL if unknown. */
const char *cpw_own_file(void);

#endif
