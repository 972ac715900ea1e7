/* The part of the interface between PulseAudio's daemon and its modules that our module needs. No distribution has a
 * development package for this interface. It is declared here in our own words, from facts: the functions that libpulsecore
 * exports and their arguments, the offsets of fields that have no function, and the numbers of hooks. Offsets and hook numbers
 * differ between releases, so they come from a table for the running release (cpc_begin).
 *
 * Tests/PulseCore compiles the daemon's own headers and compares everything.
 *
 * All functions are for the daemon's main thread. Functions accept NULL for any object, and then return NULL, 0, false,
 * PA_INVALID_INDEX or an error. Where the daemon would abort over a call that does not fit an object's state, these functions
 * do nothing. Pointers belong to the daemon and are valid until it unlinks the object. Exception: the sink of a sink input (the
 * source of a source output) is NULL during a move. */
#ifndef CPULSECORE_H
#define CPULSECORE_H

#include <pulse/pulseaudio.h>
#include <pulse/rtclock.h>
#include <stdbool.h>
#include <stdint.h>

#include "CPulseFields.h"

typedef struct pa_core pa_core;
typedef struct pa_module pa_module;
typedef struct pa_client pa_client;
typedef struct pa_card pa_card;
typedef struct pa_card_profile pa_card_profile;
typedef struct pa_device_port pa_device_port;
typedef struct pa_sink pa_sink;
typedef struct pa_source pa_source;
typedef struct pa_sink_input pa_sink_input;
typedef struct pa_source_output pa_source_output;
typedef struct pa_hook_slot pa_hook_slot;
/* A sink input if it plays, otherwise a source output. */
typedef struct cpc_stream cpc_stream;
/* A sink for a stream that plays, otherwise a source. */
typedef struct cpc_device cpc_device;

/* MARK: The release that runs */

/* The release in the name of the libpulsecore that the daemon has loaded: "16.1"; NULL outside of a daemon. */
const char *cpc_running_release(void);
/* The path of the file that contains this code; NULL if unknown. */
const char *cpc_own_file(void);
/* Chooses the tables for a release. False for an unknown release, which includes most prereleases, and on machines without
 * 64-bit pointers. Must be called before cpc_verify. */
bool cpc_begin(const char *release);
/* The known releases, for people: "14, 15, 15.99, 16, 17". */
const char *cpc_known_releases(void);
/* Proves on the running daemon that its structs match a table of its release; changes nothing and connects nothing. Must be
 * called before all functions below. Returns NULL, or a description of the difference for people; after a difference, none of
 * the functions below does anything. */
const char *cpc_verify(pa_module *module);
/* Sets a callback for later differences. If no object of a kind exists yet, the first one is checked when it appears. If its
 * layout differs, the callback is called once for the kind, with a description for people, and all objects of the kind are
 * treated as NULL from then on. The callback may come during any function below. NULL removes the callback. */
typedef void (*cpc_doubt_callback)(const char *what, void *userdata);
void cpc_on_doubt(cpc_doubt_callback callback, void *userdata);

/* MARK: What objects say of themselves */

/* Each field with a function that reads it: `pa_proplist *cpc_sink_proplist(pa_sink *)`. */
#define CPC_NOT_DECLARED(type, field, value, offset)
#define CPC_DECLARED(type, field, value, offset, function, otherwise) function(type *object);
#define CPC_BIT_DECLARED(type, field, offset, mask, function) bool function(type *object);
CPC_FIELDS(CPC_NOT_DECLARED, CPC_DECLARED)
CPC_BITS(CPC_BIT_DECLARED)

/* MARK: Modules and the core */

void cpc_module_set_userdata(pa_module *module, void *userdata);
/* Loads a module after the daemon has finished its present work; not if the daemon exits before. */
void cpc_module_load_later(pa_core *core, const char *name, const char *argument);
/* Unloads a module after the daemon has finished its present work. */
void cpc_module_unload_later(pa_module *module);
/* Sets the default sink as the user's own choice, which the daemon remembers. */
void cpc_choose_default_sink(pa_core *core, const char *name);
void cpc_choose_default_source(pa_core *core, const char *name);

/* The sets of a core. */
enum cpc_set { CPC_CARDS, CPC_SINKS, CPC_SOURCES, CPC_SINK_INPUTS, CPC_SOURCE_OUTPUTS, CPC_MODULES };
/* The first object of a set (state NULL) and those that follow; NULL after the last. */
void *cpc_iterate(pa_core *core, enum cpc_set set, void **state);
/* The object with an index, or NULL. */
void *cpc_object(pa_core *core, enum cpc_set set, uint32_t index);

/* MARK: Hooks */

/* CPC_SINK_PUT and so on, and behind them their number. */
#define CPC_HOOK_DECLARED(name, number) CPC_##name,
enum cpc_hook { CPC_HOOK_NAMES(CPC_HOOK_DECLARED) CPC_HOOKS };
/* The order in which the listeners of a hook are called; any number is allowed. */
enum { CPC_EARLY = -100, CPC_NORMAL = 0 };
/* Must return 0. `object` is the hook's object, such as the sink or the port; NULL when a default was removed. */
typedef int (*cpc_callback)(void *core, void *object, void *userdata);
pa_hook_slot *cpc_connect(pa_core *core, enum cpc_hook hook, int priority, cpc_callback callback, void *userdata);
void cpc_disconnect(pa_hook_slot *slot);

/* MARK: Streams */

enum cpc_state { CPC_INIT, CPC_RUNNING, CPC_CORKED, CPC_UNLINKED };

enum cpc_state cpc_stream_state(cpc_stream *stream, bool is_playback);
/* Whether the sound is encoded, and passed through unchanged: it can neither be mixed nor have a factor. */
bool cpc_stream_is_passthrough(cpc_stream *stream, bool is_playback);
/* Sets our own factor on the stream's amplitude, which no mixer shows or saves; 1 removes it. A source output has only one such
 * factor, which is ours from the first call on. The factor takes effect at once, so a fade needs many calls. Only for linked
 * streams that are not moving. False if the stream can have no factor. */
bool cpc_stream_set_factor(cpc_stream *stream, bool is_playback, double factor);
/* Holds the stream, so that the device does not process it, as if it were corked; or releases it. The state that the client
 * sets stays as it is. A later change of that state ends the hold. Streams that are synchronized
 * (pa_stream_connect_playback's sync_stream) are held together. Only for linked streams that are not moving. Sound that was
 * mixed ahead may be audible after the call, unless the stream's factor was set to 0 before. False if nothing was done. */
bool cpc_stream_hold(cpc_stream *stream, bool is_playback, bool is_held);
/* Sends an event to the client; does nothing if the client takes no events. `data` may be NULL. */
void cpc_stream_send_event(cpc_stream *stream, bool is_playback, const char *event, pa_proplist *data);
void cpc_stream_kill(cpc_stream *stream, bool is_playback);
/* Moves the stream, but not as the user's choice. Returns 0 or a negative PA_ERR_.... */
int cpc_stream_move(cpc_stream *stream, bool is_playback, cpc_device *device);

/* The factor that the stream's user or client has set for its loudest channel, without ours; 1 at the full level. With flat
 * volumes, relative to the sink's. */
double cpc_sink_input_volume(pa_sink_input *input);
/* Whether the stream's gain can change with every sample: its samples have 16 or 32 bits, or are floating point, in the
 * machine's byte order, and the stream is linked and not moving; or its gain does so already. */
bool cpc_sink_input_can_ramp(pa_sink_input *input);
/* Whether we multiply the stream's samples: from the first ramp until cpc_sink_input_end_ramp. */
bool cpc_sink_input_is_ramping(pa_sink_input *input);
/* Ramps our gain to a target within some seconds, sample by sample, from the present gain or from silence, beginning with the
 * first sample that has not been played. `position` is that of a volume slider from 0 to 1, whose third power is the gain.
 * False if the stream moves, or its gain cannot change so. */
bool cpc_sink_input_ramp(pa_sink_input *input, float position, double seconds, bool is_from_silence);
/* Gives the stream back its full level at once, and its own functions. Must be called before the stream is unlinked. */
void cpc_sink_input_end_ramp(pa_sink_input *input);
/* Frees the rest when no stream has a gain of ours any more. */
void cpc_end_ramps(void);
/* In frames per second; level meters use a low rate. */
uint32_t cpc_source_output_rate(pa_source_output *output);

/* MARK: Sinks, sources, cards, ports */

/* Whether the sound goes over the network, as that of a tunnel does. */
bool cpc_sink_is_network(pa_sink *sink);
/* Whether the sink has its card open: it is neither suspended nor gone. */
bool cpc_sink_is_open(pa_sink *sink);
/* The position of the volume slider of the sink's loudest channel, 1 at the full level; more if it is louder; 0 while it is
 * muted. */
double cpc_sink_slider(pa_sink *sink);
/* The most that the device buffers for its present streams, in microseconds; 0 while it is suspended. The daemon waits for the
 * device's thread. */
pa_usec_t cpc_sink_latency(pa_sink *sink);
pa_usec_t cpc_source_latency(pa_source *source);
/* Iterate over the ports of a device or card, as cpc_iterate. */
pa_device_port *cpc_sink_ports(pa_sink *sink, void **state);
pa_device_port *cpc_source_ports(pa_source *source, void **state);
pa_device_port *cpc_card_ports(pa_card *card, void **state);
int cpc_sink_set_port(pa_sink *sink, const char *name, bool is_saved);
int cpc_source_set_port(pa_source *source, const char *name, bool is_saved);

/* The name of the active profile. */
const char *cpc_card_profile(pa_card *card);
/* Activates a profile that contains a port, as the user's choice: the active profile if it does, otherwise the one of the
 * highest priority that is not unavailable. Returns 0 or a negative PA_ERR_...; PA_ERR_NOENTITY if there is none. */
int cpc_card_use_profile_for(pa_card *card, pa_device_port *port);

enum cpc_available { CPC_AVAILABLE_UNKNOWN, CPC_AVAILABLE_NO, CPC_AVAILABLE_YES };
enum cpc_available cpc_port_available(pa_device_port *port);
bool cpc_port_is_output(pa_device_port *port);

/* MARK: Meters */

/* A client of the daemon in its own process, on a thread of its own, which records other streams for their peaks. */
struct cpc_meters;
enum { CPC_METER_RATE = 50 };
/* Called on the main loop, some CPC_METER_RATE times in a second for each stream that is measured and plays. */
typedef void (*cpc_meter_callback)(uint32_t sink_input_index, float peak, void *userdata);
/* NULL if there is no memory, descriptor or thread for it. */
struct cpc_meters *cpc_meters_new(pa_core *core, cpc_meter_callback callback, void *userdata);
/* Measures a stream where it plays now. */
void cpc_meters_begin(struct cpc_meters *meters, pa_sink_input *input);
/* No longer measures the stream with this index. */
void cpc_meters_end(struct cpc_meters *meters, uint32_t sink_input_index);
void cpc_meters_free(struct cpc_meters *meters);

/* MARK: Time, messages, the log */

/* A timer on the main loop; `at` is in microseconds on CLOCK_MONOTONIC. */
pa_time_event *cpc_timer(pa_core *core, pa_usec_t at, pa_time_event_cb_t callback, void *userdata);
void cpc_timer_restart(pa_core *core, pa_time_event *event, pa_usec_t at);
int64_t cpc_monotonic_nanoseconds(void);

/* Answers messages to an object path (pactl send-message). False before release 15, and for a path that is invalid or taken.
 * The callback allocates the response with malloc or strdup. `parameters` is a JSON value as text: a string without quotes, an
 * integer as digits, "true" or "false"; NULL for null or no parameters. An object, an array or a fraction is refused with
 * PA_ERR_INVALID before the callback. The callback returns 0 or a negative PA_ERR_..., of which the sender sees only the
 * number. */
typedef int (*cpc_message_callback)(const char *message, const char *parameters, char **response, void *userdata);
bool cpc_handle_messages(
    pa_core *core, const char *path, const char *description, cpc_message_callback callback, void *userdata);
/* Ends the answers of cpc_handle_messages for a path; a callback may call it for its own path. Must be called before the module
 * is unloaded. */
void cpc_handle_messages_no_more(pa_core *core, const char *path);

/* `level`: 0 error, 1 warning, 2 notice, 3 info, 4 debug. */
void cpc_log(int level, const char *text);

#endif
