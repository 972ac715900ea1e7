/*
 * What a module of ours needs of PulseAudio's daemon: a subset of the interface between the daemon and its modules,
 * for which no distribution has a development package. Declared here in our own words, from facts: which functions
 * libpulsecore exports, with which arguments; where the fields are that have no function; and which number a hook has.
 * The last two differ between releases, so they are looked up in a table of the release that runs (cpc_begin).
 *
 * Tests/PulseCore compiles the daemon's own headers and compares all of it.
 *
 * Everything is for the daemon's main thread. Functions take NULL for any object: NULL, 0, false, PA_INVALID_INDEX or
 * an error comes back. The daemon ends itself over a call that does not fit an object's state; such a call does
 * nothing here. Pointers are the daemon's own, and valid until it says that the object is unlinked; but for the sink
 * of a sink input (the source of a source output), which is NULL while it moves.
 */
#ifndef CPULSECORE_H
#define CPULSECORE_H

#include <pulse/pulseaudio.h>
#include <pulse/rtclock.h>
#include <stdbool.h>
#include <stdint.h>

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

/* MARK: The release that runs */

/* The number in the name of the libpulsecore that the daemon has loaded: "16.1"; NULL outside of a daemon. */
const char *cpc_running_release(void);
/* The path of the file that this code is in; NULL where it cannot be told. */
const char *cpc_own_file(void);
/* Chooses the tables for a release; false for one that is not known, most prereleases among them, and on machines whose
 * pointers have not 64 bits. Comes before cpc_verify. */
bool cpc_begin(const char *release);
/* The known releases, for people: "14, 15, 15.99, 16, 17". */
const char *cpc_known_releases(void);
/* Proves on the living daemon that its structs are what a table of its release says; changes nothing and connects nothing.
 * Comes before everything below. Returns NULL, or what is not as it should be, for people: then nothing below does
 * anything. */
const char *cpc_verify(pa_module *module);
/* Of what there is no example yet, the first one is looked at when it comes. If it is not as it should be, whoever is
 * named here is told, once for each kind of object, for people; and objects of that kind are as NULL from then on. May
 * come in the middle of any function below. NULL for nobody. */
typedef void (*cpc_doubt_callback)(const char *what, void *userdata);
void cpc_on_doubt(cpc_doubt_callback callback, void *userdata);

/* MARK: Modules and the core */

pa_core *cpc_module_core(pa_module *module);
const char *cpc_module_name(pa_module *module);
const char *cpc_module_argument(pa_module *module);
void *cpc_module_userdata(pa_module *module);
void cpc_module_set_userdata(pa_module *module, void *userdata);
pa_mainloop_api *cpc_mainloop(pa_core *core);
/* NULL where there is none. */
pa_sink *cpc_default_sink(pa_core *core);
pa_source *cpc_default_source(pa_core *core);
/* Has a module loaded, when the daemon has finished what it is doing; not if it ends before. */
void cpc_module_load_later(pa_core *core, const char *name, const char *argument);
/* Has a module unloaded, when the daemon has finished what it is doing. */
void cpc_module_unload_later(pa_module *module);
/* As the user's own choice, which the daemon remembers. */
void cpc_choose_default_sink(pa_core *core, const char *name);
void cpc_choose_default_source(pa_core *core, const char *name);

/* The sets of a core. */
enum cpc_set {
    CPC_CARDS,
    CPC_SINKS,
    CPC_SOURCES,
    CPC_SINK_INPUTS,
    CPC_SOURCE_OUTPUTS,
    CPC_MODULES,
};
/* The first object of a set (state NULL) and those that follow; NULL after the last. */
void *cpc_iterate(pa_core *core, enum cpc_set set, void **state);
/* The one of this index, or NULL. */
void *cpc_object(pa_core *core, enum cpc_set set, uint32_t index);

/* MARK: Hooks */

enum cpc_hook {
    CPC_SINK_PUT,
    CPC_SINK_UNLINK,
    CPC_SINK_PROPLIST_CHANGED,
    CPC_SINK_PORT_CHANGED,
    CPC_SOURCE_PUT,
    CPC_SOURCE_UNLINK,
    CPC_SOURCE_PROPLIST_CHANGED,
    CPC_SOURCE_PORT_CHANGED,
    CPC_SOURCE_MUTE_CHANGED,
    CPC_SINK_INPUT_PUT,
    CPC_SINK_INPUT_UNLINK,
    CPC_SINK_INPUT_MOVE_START,
    CPC_SINK_INPUT_MOVE_FINISH,
    CPC_SINK_INPUT_STATE_CHANGED,
    CPC_SINK_INPUT_PROPLIST_CHANGED,
    CPC_SOURCE_OUTPUT_PUT,
    CPC_SOURCE_OUTPUT_UNLINK,
    CPC_SOURCE_OUTPUT_MOVE_START,
    CPC_SOURCE_OUTPUT_MOVE_FINISH,
    CPC_SOURCE_OUTPUT_STATE_CHANGED,
    CPC_SOURCE_OUTPUT_PROPLIST_CHANGED,
    CPC_CLIENT_PUT,
    CPC_CLIENT_UNLINK,
    CPC_CLIENT_PROPLIST_CHANGED,
    CPC_CARD_PUT,
    CPC_CARD_UNLINK,
    CPC_CARD_PROFILE_CHANGED,
    CPC_PORT_AVAILABLE_CHANGED,
    CPC_DEFAULT_SINK_CHANGED,
    CPC_DEFAULT_SOURCE_CHANGED,
    CPC_MODULE_NEW,
    CPC_MODULE_UNLINK,
    CPC_HOOKS,
};
/* The order in which those who listen to a hook are called; any number. */
enum { CPC_EARLY = -100, CPC_NORMAL = 0 };
/* Returns 0, to go on. `object` is what the hook is about: the sink, the port, ...; NULL for a default that there is none
 * of any more. */
typedef int (*cpc_callback)(void *core, void *object, void *userdata);
pa_hook_slot *cpc_connect(pa_core *core, enum cpc_hook hook, int priority, cpc_callback callback, void *userdata);
void cpc_disconnect(pa_hook_slot *slot);

/* MARK: Sink inputs and source outputs */

enum cpc_state { CPC_INIT, CPC_RUNNING, CPC_CORKED, CPC_UNLINKED };

uint32_t cpc_sink_input_index(pa_sink_input *input);
enum cpc_state cpc_sink_input_state(pa_sink_input *input);
pa_proplist *cpc_sink_input_proplist(pa_sink_input *input);
pa_client *cpc_sink_input_client(pa_sink_input *input);
pa_sink *cpc_sink_input_sink(pa_sink_input *input);
/* The sink of which this input is the other end, as a filter's is; NULL for a stream of an application. */
pa_sink *cpc_sink_input_origin(pa_sink_input *input);
/* The module that made it, NULL for a stream of an application. */
pa_module *cpc_sink_input_module(pa_sink_input *input);
/* Its sound is not samples, and is handed on as it is: nothing can be mixed into it, and no factor set. */
bool cpc_sink_input_is_passthrough(pa_sink_input *input);
/* Sets a factor on the stream's amplitude that is ours: neither seen by anybody as its volume nor saved. 1 takes it
 * away. Takes effect at once: fades are made of many. Linked streams that are not moving only. False where it can have
 * none. */
bool cpc_sink_input_set_factor(pa_sink_input *input, double factor);
/* Lets the sink not process the stream, or lets it again, as if it were corked; its state, which its client knows and
 * sets, stays as it is. A later change of its state ends it. Streams that are synchronized
 * (pa_stream_connect_playback's sync_stream) are held together. Linked streams that are not moving only. What has been mixed
 * ahead may be heard after this returns, but for that of a stream whose factor was set to 0 before. False where nothing was
 * done. */
bool cpc_sink_input_hold(pa_sink_input *input, bool is_held);
/* Tells the client; nothing where it has no ears. `data` may be NULL. */
void cpc_sink_input_send_event(pa_sink_input *input, const char *event, pa_proplist *data);
void cpc_sink_input_kill(pa_sink_input *input);
/* Not as its user's choice. Returns 0 or a negative PA_ERR_.... */
int cpc_sink_input_move(pa_sink_input *input, pa_sink *sink);

uint32_t cpc_source_output_index(pa_source_output *output);
enum cpc_state cpc_source_output_state(pa_source_output *output);
pa_proplist *cpc_source_output_proplist(pa_source_output *output);
pa_client *cpc_source_output_client(pa_source_output *output);
pa_source *cpc_source_output_source(pa_source_output *output);
/* The source of which this output is the other end, as a filter's is; NULL for a stream of an application. */
pa_source *cpc_source_output_destination(pa_source_output *output);
pa_module *cpc_source_output_module(pa_source_output *output);
/* It records one stream, not a source. */
bool cpc_source_output_is_direct(pa_source_output *output);
/* In frames a second; what only looks at levels has few. */
uint32_t cpc_source_output_rate(pa_source_output *output);
bool cpc_source_output_is_passthrough(pa_source_output *output);
/* As for a sink input, but there is only one such factor: it is ours from the first call on. */
bool cpc_source_output_set_factor(pa_source_output *output, double factor);
bool cpc_source_output_hold(pa_source_output *output, bool is_held);
void cpc_source_output_send_event(pa_source_output *output, const char *event, pa_proplist *data);
void cpc_source_output_kill(pa_source_output *output);
int cpc_source_output_move(pa_source_output *output, pa_source *source);

pa_proplist *cpc_client_proplist(pa_client *client);

/* MARK: Sinks, sources, cards, ports */

uint32_t cpc_sink_index(pa_sink *sink);
const char *cpc_sink_name(pa_sink *sink);
pa_proplist *cpc_sink_proplist(pa_sink *sink);
pa_card *cpc_sink_card(pa_sink *sink);
pa_module *cpc_sink_module(pa_sink *sink);
/* Its sound goes over the network, as a tunnel's does. */
bool cpc_sink_is_network(pa_sink *sink);
/* Of a sink that plays into another sink: its stream there; else NULL. */
pa_sink_input *cpc_sink_master(pa_sink *sink);
pa_sample_spec cpc_sink_sample_spec(pa_sink *sink);
pa_device_port *cpc_sink_active_port(pa_sink *sink);
/* The ports of a sink, as cpc_iterate. */
pa_device_port *cpc_sink_ports(pa_sink *sink, void **state);
int cpc_sink_set_port(pa_sink *sink, const char *name, bool is_saved);

uint32_t cpc_source_index(pa_source *source);
const char *cpc_source_name(pa_source *source);
pa_proplist *cpc_source_proplist(pa_source *source);
pa_card *cpc_source_card(pa_source *source);
/* The sink whose sound it is; NULL for a microphone. */
pa_sink *cpc_source_monitor_of(pa_source *source);
bool cpc_source_is_muted(pa_source *source);
pa_sample_spec cpc_source_sample_spec(pa_source *source);
pa_device_port *cpc_source_active_port(pa_source *source);
pa_device_port *cpc_source_ports(pa_source *source, void **state);
int cpc_source_set_port(pa_source *source, const char *name, bool is_saved);

uint32_t cpc_card_index(pa_card *card);
const char *cpc_card_name(pa_card *card);
pa_proplist *cpc_card_proplist(pa_card *card);
pa_device_port *cpc_card_ports(pa_card *card, void **state);
/* Name of the profile in use. */
const char *cpc_card_profile(pa_card *card);
/* Chooses, as its user, a profile that can have a port: the one in use if it can, else of those that are not
 * unavailable the one of the highest priority. Returns 0 or a negative PA_ERR_...; PA_ERR_NOENTITY where there is
 * none. */
int cpc_card_use_profile_for(pa_card *card, pa_device_port *port);

enum cpc_available { CPC_AVAILABLE_UNKNOWN, CPC_AVAILABLE_NO, CPC_AVAILABLE_YES };

const char *cpc_port_name(pa_device_port *port);
const char *cpc_port_description(pa_device_port *port);
pa_proplist *cpc_port_proplist(pa_device_port *port);
/* PA_DEVICE_PORT_TYPE_...; unknown before release 14. */
int cpc_port_type(pa_device_port *port);
enum cpc_available cpc_port_available(pa_device_port *port);
bool cpc_port_is_output(pa_device_port *port);
pa_card *cpc_port_card(pa_device_port *port);

/* MARK: Time, messages, the log */

/* On the main loop, at a moment of CLOCK_MONOTONIC in microseconds. */
pa_time_event *cpc_timer(pa_core *core, pa_usec_t at, pa_time_event_cb_t callback, void *userdata);
void cpc_timer_restart(pa_core *core, pa_time_event *event, pa_usec_t at);
int64_t cpc_monotonic_nanoseconds(void);

/* Answers messages to an object path (pactl send-message); false before release 15, and for a path that is none or is
 * taken. The response is made with malloc or strdup. `parameters` is a JSON value as text: a string as it is, an
 * integer as digits, "true" or "false"; NULL for null or where there are none. An object, an array or a fraction is
 * refused with PA_ERR_INVALID before the callback. Returns 0 or a negative PA_ERR_..., of which the caller sees only
 * the number. */
typedef int (*cpc_message_callback)(const char *message, const char *parameters, char **response, void *userdata);
bool cpc_handle_messages(
    pa_core *core, const char *path, const char *description, cpc_message_callback callback, void *userdata);
/* Of cpc_handle_messages only; a callback may call it for itself. To be called before the module goes. */
void cpc_handle_messages_no_more(pa_core *core, const char *path);

/* 0 error, 1 warning, 2 notice, 3 info, 4 debug. */
void cpc_log(int level, const char *text);

#endif
