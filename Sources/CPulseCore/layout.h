/* The offsets of fields and the numbers of hooks, which differ between the daemon's releases. */
#ifndef CPULSECORE_LAYOUT_H
#define CPULSECORE_LAYOUT_H

#include "functions.h"

/* Every field that is read or written, and those that verify.c uses to check the others: struct, name, type (for an
 * enum, the integer type that compilers choose). */
#define CPC_FIELDS(FIELD)                                                  \
    FIELD(pa_object, check_type, cpc_check_type)                           \
    FIELD(pa_msgobject, process_msg, cpc_process_msg)                      \
    FIELD(pa_memchunk, memblock, pa_memblock *)                            \
    FIELD(pa_memchunk, length, size_t)                                     \
    FIELD(pa_hook, data, void *)                                           \
    FIELD(pa_module, core, pa_core *)                                      \
    FIELD(pa_module, name, char *)                                         \
    FIELD(pa_module, argument, char *)                                     \
    FIELD(pa_module, index, uint32_t)                                      \
    FIELD(pa_module, init, cpc_module_init)                                \
    FIELD(pa_module, done, cpc_module_done)                                \
    FIELD(pa_module, userdata, void *)                                     \
    FIELD(pa_module, proplist, pa_proplist *)                              \
    FIELD(pa_core, mainloop, pa_mainloop_api *)                            \
    FIELD(pa_core, clients, pa_idxset *)                                   \
    FIELD(pa_core, cards, pa_idxset *)                                     \
    FIELD(pa_core, sinks, pa_idxset *)                                     \
    FIELD(pa_core, sources, pa_idxset *)                                   \
    FIELD(pa_core, sink_inputs, pa_idxset *)                               \
    FIELD(pa_core, source_outputs, pa_idxset *)                            \
    FIELD(pa_core, modules, pa_idxset *)                                   \
    FIELD(pa_core, scache, pa_idxset *)                                    \
    FIELD(pa_core, namereg, pa_hashmap *)                                  \
    FIELD(pa_core, shared, pa_hashmap *)                                   \
    FIELD(pa_core, message_handlers, pa_hashmap *)                         \
    FIELD(pa_core, default_sink, pa_sink *)                                \
    FIELD(pa_core, default_source, pa_source *)                            \
    FIELD(pa_client, core, pa_core *)                                      \
    FIELD(pa_client, proplist, pa_proplist *)                              \
    FIELD(pa_sink_input, index, uint32_t)                                  \
    FIELD(pa_sink_input, core, pa_core *)                                  \
    FIELD(pa_sink_input, state, unsigned)                                  \
    FIELD(pa_sink_input, proplist, pa_proplist *)                          \
    FIELD(pa_sink_input, module, pa_module *)                              \
    FIELD(pa_sink_input, client, pa_client *)                              \
    FIELD(pa_sink_input, sink, pa_sink *)                                  \
    FIELD(pa_sink_input, origin_sink, pa_sink *)                           \
    FIELD(pa_sink_input, direct_outputs, pa_idxset *)                      \
    FIELD(pa_sink_input, sample_spec, pa_sample_spec)                      \
    FIELD(pa_sink_input, reference_ratio, pa_cvolume)                      \
    FIELD(pa_sink_input, volume_factor, pa_cvolume)                        \
    FIELD(pa_sink_input, volume_factor_items, pa_hashmap *)                \
    FIELD(pa_sink_input, soft_volume, pa_cvolume)                          \
    FIELD(pa_sink_input, volume_factor_sink_items, pa_hashmap *)           \
    FIELD(pa_sink_input, pop, cpc_pop)                                     \
    FIELD(pa_sink_input, process_rewind, cpc_process_rewind)               \
    FIELD(volume_factor_entry, key, char *)                                \
    FIELD(volume_factor_entry, volume, pa_cvolume)                         \
    FIELD(pa_source_output, index, uint32_t)                               \
    FIELD(pa_source_output, core, pa_core *)                               \
    FIELD(pa_source_output, state, unsigned)                               \
    FIELD(pa_source_output, proplist, pa_proplist *)                       \
    FIELD(pa_source_output, module, pa_module *)                           \
    FIELD(pa_source_output, client, pa_client *)                           \
    FIELD(pa_source_output, source, pa_source *)                           \
    FIELD(pa_source_output, destination_source, pa_source *)               \
    FIELD(pa_source_output, direct_on_input, pa_sink_input *)              \
    FIELD(pa_source_output, sample_spec, pa_sample_spec)                   \
    FIELD(pa_source_output, volume, pa_cvolume)                            \
    FIELD(pa_source_output, reference_ratio, pa_cvolume)                   \
    FIELD(pa_source_output, real_ratio, pa_cvolume)                        \
    FIELD(pa_source_output, volume_factor, pa_cvolume)                     \
    FIELD(pa_source_output, soft_volume, pa_cvolume)                       \
    FIELD(pa_sink, index, uint32_t)                                        \
    FIELD(pa_sink, core, pa_core *)                                        \
    FIELD(pa_sink, state, int)                                             \
    FIELD(pa_sink, flags, unsigned)                                        \
    FIELD(pa_sink, name, char *)                                           \
    FIELD(pa_sink, proplist, pa_proplist *)                                \
    FIELD(pa_sink, module, pa_module *)                                    \
    FIELD(pa_sink, card, pa_card *)                                        \
    FIELD(pa_sink, sample_spec, pa_sample_spec)                            \
    FIELD(pa_sink, inputs, pa_idxset *)                                    \
    FIELD(pa_sink, monitor_source, pa_source *)                            \
    FIELD(pa_sink, input_to_master, pa_sink_input *)                       \
    FIELD(pa_sink, reference_volume, pa_cvolume)                           \
    FIELD(pa_sink, asyncmsgq, pa_asyncmsgq *)                              \
    FIELD(pa_sink, ports, pa_hashmap *)                                    \
    FIELD(pa_sink, active_port, pa_device_port *)                          \
    FIELD(pa_source, index, uint32_t)                                      \
    FIELD(pa_source, core, pa_core *)                                      \
    FIELD(pa_source, state, int)                                           \
    FIELD(pa_source, name, char *)                                         \
    FIELD(pa_source, proplist, pa_proplist *)                              \
    FIELD(pa_source, card, pa_card *)                                      \
    FIELD(pa_source, sample_spec, pa_sample_spec)                          \
    FIELD(pa_source, outputs, pa_idxset *)                                 \
    FIELD(pa_source, monitor_of, pa_sink *)                                \
    FIELD(pa_source, output_from_master, pa_source_output *)               \
    FIELD(pa_source, reference_volume, pa_cvolume)                         \
    FIELD(pa_source, real_volume, pa_cvolume)                              \
    FIELD(pa_source, soft_volume, pa_cvolume)                              \
    FIELD(pa_source, asyncmsgq, pa_asyncmsgq *)                            \
    FIELD(pa_source, ports, pa_hashmap *)                                  \
    FIELD(pa_source, active_port, pa_device_port *)                        \
    FIELD(pa_card, index, uint32_t)                                        \
    FIELD(pa_card, core, pa_core *)                                        \
    FIELD(pa_card, name, char *)                                           \
    FIELD(pa_card, proplist, pa_proplist *)                                \
    FIELD(pa_card, sinks, pa_idxset *)                                     \
    FIELD(pa_card, sources, pa_idxset *)                                   \
    FIELD(pa_card, profiles, pa_hashmap *)                                 \
    FIELD(pa_card, active_profile, pa_card_profile *)                      \
    FIELD(pa_card, ports, pa_hashmap *)                                    \
    FIELD(pa_card_profile, card, pa_card *)                                \
    FIELD(pa_card_profile, name, char *)                                   \
    FIELD(pa_card_profile, description, char *)                            \
    FIELD(pa_card_profile, priority, unsigned)                             \
    FIELD(pa_card_profile, available, unsigned)                            \
    FIELD(pa_device_port, core, pa_core *)                                 \
    FIELD(pa_device_port, card, pa_card *)                                 \
    FIELD(pa_device_port, name, char *)                                    \
    FIELD(pa_device_port, description, char *)                             \
    FIELD(pa_device_port, type, unsigned)                                  \
    FIELD(pa_device_port, available, unsigned)                             \
    FIELD(pa_device_port, proplist, pa_proplist *)                         \
    FIELD(pa_device_port, profiles, pa_hashmap *)                          \
    FIELD(pa_device_port, direction, unsigned)                             \
    FIELD(pa_message_handler, object_path, char *)                         \
    FIELD(pa_message_handler, callback, cpc_message_handler)               \
    FIELD(pa_message_handler, userdata, void *)

/* The hooks by the names that we (CPC_...) and the daemon (PA_CORE_HOOK_...) share. */
#define CPC_HOOK_NAMES(HOOK)              \
    HOOK(SINK_PUT)                        \
    HOOK(SINK_UNLINK)                     \
    HOOK(SINK_PROPLIST_CHANGED)           \
    HOOK(SINK_PORT_CHANGED)               \
    HOOK(SINK_VOLUME_CHANGED)             \
    HOOK(SINK_MUTE_CHANGED)               \
    HOOK(SOURCE_PUT)                      \
    HOOK(SOURCE_UNLINK)                   \
    HOOK(SOURCE_PROPLIST_CHANGED)         \
    HOOK(SOURCE_PORT_CHANGED)             \
    HOOK(SOURCE_MUTE_CHANGED)             \
    HOOK(SINK_INPUT_PUT)                  \
    HOOK(SINK_INPUT_UNLINK)               \
    HOOK(SINK_INPUT_MOVE_START)           \
    HOOK(SINK_INPUT_MOVE_FINISH)          \
    HOOK(SINK_INPUT_STATE_CHANGED)        \
    HOOK(SINK_INPUT_PROPLIST_CHANGED)     \
    HOOK(SINK_INPUT_VOLUME_CHANGED)       \
    HOOK(SINK_INPUT_MUTE_CHANGED)         \
    HOOK(SOURCE_OUTPUT_PUT)               \
    HOOK(SOURCE_OUTPUT_UNLINK)            \
    HOOK(SOURCE_OUTPUT_MOVE_START)        \
    HOOK(SOURCE_OUTPUT_MOVE_FINISH)       \
    HOOK(SOURCE_OUTPUT_STATE_CHANGED)     \
    HOOK(SOURCE_OUTPUT_PROPLIST_CHANGED)  \
    HOOK(CLIENT_PUT)                      \
    HOOK(CLIENT_UNLINK)                   \
    HOOK(CLIENT_PROPLIST_CHANGED)         \
    HOOK(CARD_PUT)                        \
    HOOK(CARD_UNLINK)                     \
    HOOK(CARD_PROFILE_CHANGED)            \
    HOOK(PORT_AVAILABLE_CHANGED)          \
    HOOK(DEFAULT_SINK_CHANGED)            \
    HOOK(DEFAULT_SOURCE_CHANGED)          \
    HOOK(MODULE_NEW)                      \
    HOOK(MODULE_UNLINK)

/* Whether a distribution has changed the structs. */
enum cpc_variant { CPC_AS_RELEASED, CPC_UBUNTU, CPC_VARIANTS };

/* The layout of one release: offsets in bytes, numbers of hooks. */
struct cpc_layout {
    unsigned major;
    enum cpc_variant variant;
#define CPC_OFFSET(type, field, value) uint16_t type##_##field;
    CPC_FIELDS(CPC_OFFSET)
#undef CPC_OFFSET
    /* The offset of the array of hooks, and the size of one hook. */
    uint16_t pa_core_hooks;
    uint16_t hook_size;
    /* The number of hooks in the array, with those that a distribution has added behind the daemon's own. */
    uint16_t hook_count;
    /* Bit fields: the offset of the byte, and the bit in that byte. */
    uint16_t pa_source_muted;
    uint8_t pa_source_muted_mask;
    uint16_t pa_sink_input_muted;
    uint8_t pa_sink_input_muted_mask;
    uint8_t hooks[CPC_HOOKS];
};

/* The layout of a release; NULL if the release is unknown. */
const struct cpc_layout *cpc_layout_of(unsigned major, enum cpc_variant variant);
/* The major version of the release given to cpc_begin. */
extern unsigned cpc_major;
/* The layout that cpc_verify has found to be the daemon's. */
extern const struct cpc_layout *cpc_layout;
/* cpc_verify with one given table, for tests. */
const char *cpc_verify_as(const struct cpc_layout *layout, const pa_module *module);

/* The kinds of structs that are read. */
enum cpc_kind {
    CPC_KIND_pa_module,
    CPC_KIND_pa_core,
    CPC_KIND_pa_client,
    CPC_KIND_pa_card,
    CPC_KIND_pa_card_profile,
    CPC_KIND_pa_device_port,
    CPC_KIND_pa_sink,
    CPC_KIND_pa_source,
    CPC_KIND_pa_sink_input,
    CPC_KIND_pa_source_output,
    CPC_KINDS,
};
/* Whether the layout of each kind has been proved. */
extern bool cpc_is_proved[CPC_KINDS];
/* Checks the layout of a kind with its first object. False if the layout differs; then also for all later objects of
 * that kind. */
bool cpc_prove(enum cpc_kind kind, const void *object);
/* Whether an object of the daemon may be read; false for NULL. Must be asked before CPC_FIELD. */
#define CPC_CAN_READ(object, type) \
    ((object) != NULL && (cpc_is_proved[CPC_KIND_##type] || cpc_prove(CPC_KIND_##type, (object))))
/* Checks the layout of an entry in a stream's list of factors. */
bool cpc_prove_factor(const void *entry, const char *key);
/* Whether a stream's functions for its sound are where the table says, and may be replaced. */
bool cpc_prove_callbacks(const void *input);
/* Checks that a message handler is the one for a path. */
bool cpc_prove_handler(const void *handler, const char *path);

/* The queue to the thread that plays a stream; NULL if the stream is not linked, or if it or a filter below it is
 * moving. */
pa_asyncmsgq *cpc_thread_of_input(pa_sink_input *input);

/* The numbers below are the same in all releases. */

/* Messages to a device's thread. */
enum {
    CPC_SINK_INPUT_MESSAGE_SET_STATE = 4,
    CPC_SOURCE_OUTPUT_MESSAGE_SET_STATE = 2,
    CPC_SOURCE_OUTPUT_MESSAGE_SET_SOFT_VOLUME = 5,
};
enum { CPC_DIRECTION_OUTPUT = 1 };
enum { CPC_JSON_NULL = 1, CPC_JSON_INTEGER = 2, CPC_JSON_BOOLEAN = 4, CPC_JSON_STRING = 5 };
/* The levels of cpc_log. */
enum { CPC_LOG_ERROR, CPC_LOG_WARNING, CPC_LOG_NOTICE, CPC_LOG_INFORMATION, CPC_LOG_DEBUG };

/* The types of the fields, for CPC_FIELD. */
#define CPC_TYPE(type, field, value) typedef value cpc_##type##_##field;
CPC_FIELDS(CPC_TYPE)
#undef CPC_TYPE

/* A field of an object, to read or to write; CPC_CAN_READ must hold. */
#define CPC_FIELD(object, type, field) (*(cpc_##type##_##field *)((char *)(object) + cpc_layout->type##_##field))
/* A field to read, or `otherwise` if the object is NULL or its layout is unknown. */
#define CPC_READ(object, type, field, otherwise) \
    (CPC_CAN_READ(object, type) ? CPC_FIELD(object, type, field) : (otherwise))

#endif
