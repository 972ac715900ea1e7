/* The functions of libpulsecore and libpulsecommon that are called. The daemon has already loaded both libraries.
 * Our object does not name them, so that one object serves all releases. Each enum is declared as the integer type
 * that compilers choose for it. */
#ifndef CPULSECORE_FUNCTIONS_H
#define CPULSECORE_FUNCTIONS_H

#include "CPulseCore.h"

typedef struct pa_idxset pa_idxset;
typedef struct pa_hashmap pa_hashmap;
typedef struct pa_hook pa_hook;
typedef struct pa_asyncmsgq pa_asyncmsgq;
typedef struct pa_msgobject pa_msgobject;
typedef struct pa_memchunk pa_memchunk;
typedef struct pa_memblock pa_memblock;
typedef struct pa_object pa_object;
typedef struct pa_json_object pa_json_object;

/* The header of each reference-counted object of the daemon; the address of the second function tells the object's
 * type. */
typedef bool (*cpc_check_type)(const char *type);
bool pa_core_check_type(const char *type);
bool pa_sink_check_type(const char *type);
bool pa_source_check_type(const char *type);
bool pa_sink_input_check_type(const char *type);
bool pa_source_output_check_type(const char *type);
bool pa_device_port_check_type(const char *type);

typedef int (*cpc_process_msg)(pa_msgobject *object, int code, void *data, int64_t offset, pa_memchunk *chunk);
/* Gives a sink at most so many bytes of a stream; negative if there are none. */
typedef int (*cpc_pop)(pa_sink_input *input, size_t size, pa_memchunk *chunk);
/* Takes so many bytes of a stream back. */
typedef void (*cpc_process_rewind)(pa_sink_input *input, size_t size);
typedef int (*cpc_module_init)(pa_module *module);
typedef void (*cpc_module_done)(pa_module *module);

void *pa_namereg_get(pa_core *core, const char *name, unsigned type);

pa_idxset *pa_idxset_new(
    unsigned (*hash)(const void *object), int (*compare)(const void *first, const void *second));
void pa_idxset_free(pa_idxset *set, void (*free_object)(void *object));
void *pa_idxset_iterate(pa_idxset *set, void **state, uint32_t *index);
void *pa_idxset_get_by_index(pa_idxset *set, uint32_t index);
void *pa_hashmap_iterate(const pa_hashmap *map, void **state, const void **key);
void *pa_hashmap_get(const pa_hashmap *map, const void *key);

pa_hook_slot *pa_hook_connect(
    pa_hook *hook, int priority, int (*callback)(void *hook_data, void *call_data, void *slot_data), void *data);
void pa_hook_slot_free(pa_hook_slot *slot);

int pa_asyncmsgq_send(
    pa_asyncmsgq *queue, pa_msgobject *object, int code, const void *userdata, int64_t offset,
    const pa_memchunk *memchunk);

extern const char pa_msgobject_type_id[];
pa_msgobject *pa_msgobject_new_internal(size_t size, const char *type, bool (*check_type)(const char *type));
void pa_object_unref(pa_object *object);

/* On a sink's thread. */
void pa_sink_input_request_rewind(pa_sink_input *input, size_t size, bool rewrites, bool flushes, bool is_queue_kept);
pa_memchunk *pa_memchunk_make_writable(pa_memchunk *chunk, size_t minimum);
pa_memchunk *pa_memchunk_reset(pa_memchunk *chunk);
void *pa_memblock_acquire_chunk(const pa_memchunk *chunk);
void pa_memblock_release(pa_memblock *block);

int pa_module_load(pa_module **module, pa_core *core, const char *name, const char *argument);
void pa_module_unload_request(pa_module *module, bool force);
void pa_core_set_configured_default_sink(pa_core *core, const char *name);
void pa_core_set_configured_default_source(pa_core *core, const char *name);
pa_time_event *pa_core_rttime_new(pa_core *core, pa_usec_t at, pa_time_event_cb_t callback, void *userdata);
void pa_core_rttime_restart(pa_core *core, pa_time_event *event, pa_usec_t at);

void pa_sink_input_add_volume_factor(pa_sink_input *input, const char *key, const pa_cvolume *volume);
int pa_sink_input_remove_volume_factor(pa_sink_input *input, const char *key);
bool pa_sink_input_is_passthrough(pa_sink_input *input);
void pa_sink_input_send_event(pa_sink_input *input, const char *event, pa_proplist *data);
void pa_sink_input_kill(pa_sink_input *input);
int pa_sink_input_move_to(pa_sink_input *input, pa_sink *sink, bool is_saved);

bool pa_source_output_is_passthrough(pa_source_output *output);
void pa_source_output_send_event(pa_source_output *output, const char *event, pa_proplist *data);
void pa_source_output_kill(pa_source_output *output);
int pa_source_output_move_to(pa_source_output *output, pa_source *source, bool is_saved);

bool pa_sink_get_mute(pa_sink *sink, bool is_refreshed);
pa_usec_t pa_sink_get_requested_latency(pa_sink *sink);
pa_usec_t pa_source_get_requested_latency(pa_source *source);
int pa_sink_set_port(pa_sink *sink, const char *name, bool is_saved);
int pa_source_set_port(pa_source *source, const char *name, bool is_saved);
int pa_card_set_profile(pa_card *card, pa_card_profile *profile, bool is_saved);

/* Not called in release 14, where the callback gets a text in place of the object, and integers are shorter. */
#ifndef CPC_BEFORE_JSON_MESSAGES
typedef int (*cpc_message_handler)(
    const char *path, const char *message, const pa_json_object *parameters, char **response, void *userdata);

/* Weak, because the library of release 14 does not export them, and the module would not load there. */
__attribute__((weak)) unsigned pa_json_object_get_type(const pa_json_object *object);
__attribute__((weak)) int64_t pa_json_object_get_int(const pa_json_object *object);
__attribute__((weak)) bool pa_json_object_get_bool(const pa_json_object *object);
__attribute__((weak)) const char *pa_json_object_get_string(const pa_json_object *object);

void pa_message_handler_register(
    pa_core *core, const char *path, const char *description, cpc_message_handler callback, void *userdata);
void pa_message_handler_unregister(pa_core *core, const char *path);
#endif

void pa_log_level_meta(unsigned level, const char *file, int line, const char *function, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
