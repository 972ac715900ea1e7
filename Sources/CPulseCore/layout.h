/* Where the fields are, and which number a hook has: what differs between the daemon's releases, or may. */
#ifndef CPULSECORE_LAYOUT_H
#define CPULSECORE_LAYOUT_H

#include "functions.h"

/* Every field that is read or written: its struct, its name, its type (of an enum: the integer that compilers make of
 * it). */
#define CPC_FIELDS(FIELD)                                                  \
    FIELD(pa_module, core, pa_core *)                                      \
    FIELD(pa_module, name, char *)                                         \
    FIELD(pa_module, argument, char *)                                     \
    FIELD(pa_module, userdata, void *)                                     \
    FIELD(pa_core, mainloop, pa_mainloop_api *)                            \
    FIELD(pa_core, cards, pa_idxset *)                                     \
    FIELD(pa_core, sinks, pa_idxset *)                                     \
    FIELD(pa_core, sources, pa_idxset *)                                   \
    FIELD(pa_core, sink_inputs, pa_idxset *)                               \
    FIELD(pa_core, source_outputs, pa_idxset *)                            \
    FIELD(pa_core, modules, pa_idxset *)                                   \
    FIELD(pa_core, message_handlers, pa_hashmap *)                         \
    FIELD(pa_core, default_sink, pa_sink *)                                \
    FIELD(pa_core, default_source, pa_source *)                            \
    FIELD(pa_client, proplist, pa_proplist *)                              \
    FIELD(pa_sink_input, index, uint32_t)                                  \
    FIELD(pa_sink_input, state, unsigned)                                  \
    FIELD(pa_sink_input, proplist, pa_proplist *)                          \
    FIELD(pa_sink_input, module, pa_module *)                              \
    FIELD(pa_sink_input, client, pa_client *)                              \
    FIELD(pa_sink_input, sink, pa_sink *)                                  \
    FIELD(pa_sink_input, origin_sink, pa_sink *)                           \
    FIELD(pa_sink_input, volume_factor_items, pa_hashmap *)                \
    FIELD(volume_factor_entry, volume, pa_cvolume)                         \
    FIELD(pa_source_output, index, uint32_t)                               \
    FIELD(pa_source_output, state, unsigned)                               \
    FIELD(pa_source_output, proplist, pa_proplist *)                       \
    FIELD(pa_source_output, module, pa_module *)                           \
    FIELD(pa_source_output, client, pa_client *)                           \
    FIELD(pa_source_output, source, pa_source *)                           \
    FIELD(pa_source_output, destination_source, pa_source *)               \
    FIELD(pa_source_output, direct_on_input, pa_sink_input *)              \
    FIELD(pa_source_output, sample_spec, pa_sample_spec)                   \
    FIELD(pa_source_output, real_ratio, pa_cvolume)                        \
    FIELD(pa_source_output, volume_factor, pa_cvolume)                     \
    FIELD(pa_source_output, soft_volume, pa_cvolume)                       \
    FIELD(pa_sink, index, uint32_t)                                        \
    FIELD(pa_sink, state, int)                                             \
    FIELD(pa_sink, flags, unsigned)                                        \
    FIELD(pa_sink, name, char *)                                           \
    FIELD(pa_sink, proplist, pa_proplist *)                                \
    FIELD(pa_sink, module, pa_module *)                                    \
    FIELD(pa_sink, card, pa_card *)                                        \
    FIELD(pa_sink, sample_spec, pa_sample_spec)                            \
    FIELD(pa_sink, input_to_master, pa_sink_input *)                       \
    FIELD(pa_sink, asyncmsgq, pa_asyncmsgq *)                              \
    FIELD(pa_sink, ports, pa_hashmap *)                                    \
    FIELD(pa_sink, active_port, pa_device_port *)                          \
    FIELD(pa_source, index, uint32_t)                                      \
    FIELD(pa_source, state, int)                                           \
    FIELD(pa_source, name, char *)                                         \
    FIELD(pa_source, proplist, pa_proplist *)                              \
    FIELD(pa_source, card, pa_card *)                                      \
    FIELD(pa_source, sample_spec, pa_sample_spec)                          \
    FIELD(pa_source, monitor_of, pa_sink *)                                \
    FIELD(pa_source, output_from_master, pa_source_output *)               \
    FIELD(pa_source, asyncmsgq, pa_asyncmsgq *)                            \
    FIELD(pa_source, ports, pa_hashmap *)                                  \
    FIELD(pa_source, active_port, pa_device_port *)                        \
    FIELD(pa_card, index, uint32_t)                                        \
    FIELD(pa_card, name, char *)                                           \
    FIELD(pa_card, proplist, pa_proplist *)                                \
    FIELD(pa_card, active_profile, pa_card_profile *)                      \
    FIELD(pa_card, ports, pa_hashmap *)                                    \
    FIELD(pa_card_profile, card, pa_card *)                                \
    FIELD(pa_card_profile, name, char *)                                   \
    FIELD(pa_card_profile, priority, unsigned)                             \
    FIELD(pa_card_profile, available, unsigned)                            \
    FIELD(pa_device_port, card, pa_card *)                                 \
    FIELD(pa_device_port, name, char *)                                    \
    FIELD(pa_device_port, description, char *)                             \
    FIELD(pa_device_port, type, unsigned)                                  \
    FIELD(pa_device_port, available, unsigned)                             \
    FIELD(pa_device_port, proplist, pa_proplist *)                         \
    FIELD(pa_device_port, profiles, pa_hashmap *)                          \
    FIELD(pa_device_port, direction, unsigned)                             \
    FIELD(pa_message_handler, callback, cpc_message_handler)               \
    FIELD(pa_message_handler, userdata, void *)

/* The hooks, by the names that are both ours (CPC_...) and the daemon's (PA_CORE_HOOK_...). */
#define CPC_HOOK_NAMES(HOOK)              \
    HOOK(SINK_PUT)                        \
    HOOK(SINK_UNLINK)                     \
    HOOK(SINK_PROPLIST_CHANGED)           \
    HOOK(SINK_PORT_CHANGED)               \
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

/* A release: offsets in bytes, numbers of hooks. */
struct cpc_layout {
    unsigned major;
#define CPC_OFFSET(type, field, value) uint16_t type##_##field;
    CPC_FIELDS(CPC_OFFSET)
#undef CPC_OFFSET
    /* The array of hooks, and a hook's size in it. */
    uint16_t pa_core_hooks;
    uint16_t hook_size;
    /* A bit field's byte, and the bit in it. */
    uint16_t pa_source_muted;
    uint8_t pa_source_muted_mask;
    uint8_t hooks[CPC_HOOKS];
};

/* By major release; NULL for one that is not known. */
const struct cpc_layout *cpc_layout_of(unsigned major);
/* The one that cpc_begin has chosen. */
extern const struct cpc_layout *cpc_layout;

/* The numbers below are the same in all releases. */

/* Messages to the thread that plays or records. */
enum {
    CPC_SINK_INPUT_MESSAGE_SET_STATE = 4,
    CPC_SOURCE_OUTPUT_MESSAGE_SET_STATE = 2,
    CPC_SOURCE_OUTPUT_MESSAGE_SET_SOFT_VOLUME = 5,
};
enum { CPC_DIRECTION_OUTPUT = 1 };
enum { CPC_JSON_NULL = 1, CPC_JSON_INTEGER = 2, CPC_JSON_BOOLEAN = 4, CPC_JSON_STRING = 5 };
/* As the levels of cpc_log. */
enum { CPC_LOG_ERROR, CPC_LOG_WARNING, CPC_LOG_NOTICE, CPC_LOG_INFORMATION, CPC_LOG_DEBUG };

/* The types of the fields, for CPC_FIELD. */
#define CPC_TYPE(type, field, value) typedef value cpc_##type##_##field;
CPC_FIELDS(CPC_TYPE)
#undef CPC_TYPE

/* A field of an object, to read or to write. */
#define CPC_FIELD(object, type, field) (*(cpc_##type##_##field *)((char *)(object) + cpc_layout->type##_##field))
/* The same to read, of an object that may be NULL. */
#define CPC_READ(object, type, field, otherwise) ((object) == NULL ? (otherwise) : CPC_FIELD(object, type, field))

#endif
