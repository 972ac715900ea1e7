/* What is known of the daemon's structs and hooks. Each field is said once: layout.c makes the table of a release of it,
 * layout.h the access, CPulseCore.h and objects.c the function that reads it, and verify.c derives a proof from its type.
 *
 * The offsets and numbers are those of release 14. `since_15`, `since_17` and `is_ubuntu` are 1 or 0 for the release that a
 * table is made for. */
#ifndef CPULSEFIELDS_H
#define CPULSEFIELDS_H

/* Sinks and sources, and sink inputs and source outputs, have these in common. */

#define CPC_DEVICE_FIELDS(FIELD, READER, device)                                                                               \
    READER(pa_##device, index, uint32_t, 40, uint32_t cpc_##device##_index, PA_INVALID_INDEX)                                  \
    FIELD(pa_##device, core, pa_core *, 48) FIELD(pa_##device, state, int, 56)                                                 \
    READER(pa_##device, name, char *, 72, const char *cpc_##device##_name, NULL)                                               \
    READER(pa_##device, proplist, pa_proplist *, 88, pa_proplist *cpc_##device##_proplist, NULL)                               \
    READER(pa_##device, card, pa_card *, 104, pa_card *cpc_##device##_card, NULL)                                              \
    READER(pa_##device, sample_spec, pa_sample_spec, 112, pa_sample_spec cpc_##device##_sample_spec, no_sample_spec)           \
    FIELD(pa_##device, reference_volume, pa_cvolume, 312) FIELD(pa_##device, asyncmsgq, pa_asyncmsgq *, 848)                   \
    FIELD(pa_##device, ports, pa_hashmap *, 880)                                                                               \
    READER(pa_##device, active_port, pa_device_port *, 888, pa_device_port *cpc_##device##_active_port, NULL)

#define CPC_STREAM_FIELDS(FIELD, READER, stream)                                                                               \
    READER(pa_##stream, index, uint32_t, 40, uint32_t cpc_##stream##_index, PA_INVALID_INDEX)                                  \
    FIELD(pa_##stream, core, pa_core *, 48) FIELD(pa_##stream, state, unsigned, 56)                                            \
    READER(pa_##stream, proplist, pa_proplist *, 72, pa_proplist *cpc_##stream##_proplist, NULL)                               \
    /* The module that created the stream; NULL for an application's stream. */                                                \
    READER(pa_##stream, module, pa_module *, 80, pa_module *cpc_##stream##_module, NULL)                                       \
    READER(pa_##stream, client, pa_client *, 88, pa_client *cpc_##stream##_client, NULL)                                       \
    FIELD(pa_##stream, sample_spec, pa_sample_spec, 128)

/* Every field that is read or written, and those that verify.c uses to check the others.
 * FIELD: struct, name, type (for an enum, the integer type that compilers choose), offset in bytes.
 * READER: also the type and name of a function that reads it, and what that returns where there is no object. */
#define CPC_FIELDS(FIELD, READER)                                                                                              \
    FIELD(pa_object, check_type, cpc_check_type, 24)                                                                           \
    FIELD(pa_msgobject, process_msg, cpc_process_msg, 32)                                                                      \
    FIELD(pa_memchunk, memblock, pa_memblock *, 0) FIELD(pa_memchunk, length, size_t, 16)                                      \
    FIELD(pa_hook, data, void *, 16)                                                                                           \
    READER(pa_module, core, pa_core *, 0, pa_core *cpc_module_core, NULL)                                                      \
    READER(pa_module, name, char *, 8, const char *cpc_module_name, NULL)                                                      \
    READER(pa_module, argument, char *, 16, const char *cpc_module_argument, NULL)                                             \
    FIELD(pa_module, index, uint32_t, 24) FIELD(pa_module, init, cpc_module_init, 40)                                          \
    FIELD(pa_module, done, cpc_module_done, 48)                                                                                \
    READER(pa_module, userdata, void *, 64, void *cpc_module_userdata, NULL)                                                   \
    FIELD(pa_module, proplist, pa_proplist *, 80)                                                                              \
    READER(pa_core, mainloop, pa_mainloop_api *, 48, pa_mainloop_api *cpc_mainloop, NULL)                                      \
    FIELD(pa_core, clients, pa_idxset *, 56) FIELD(pa_core, cards, pa_idxset *, 64) FIELD(pa_core, sinks, pa_idxset *, 72)     \
    FIELD(pa_core, sources, pa_idxset *, 80) FIELD(pa_core, sink_inputs, pa_idxset *, 88)                                      \
    FIELD(pa_core, source_outputs, pa_idxset *, 96) FIELD(pa_core, modules, pa_idxset *, 104)                                  \
    FIELD(pa_core, scache, pa_idxset *, 112) FIELD(pa_core, namereg, pa_hashmap *, 120)                                        \
    FIELD(pa_core, shared, pa_hashmap *, 128) FIELD(pa_core, message_handlers, pa_hashmap *, 136)                              \
    /* Since 17, two more names come before: the defaults that a policy module sets. NULL if there is none. */                 \
    READER(pa_core, default_sink, pa_sink *, 160 + 16 * since_17, pa_sink *cpc_default_sink, NULL)                             \
    READER(pa_core, default_source, pa_source *, 168 + 16 * since_17, pa_source *cpc_default_source, NULL)                     \
    FIELD(pa_client, core, pa_core *, 8)                                                                                       \
    /* Ubuntu has the label of the client's confinement before. */                                                             \
    READER(pa_client, proplist, pa_proplist *, 16 + 8 * is_ubuntu, pa_proplist *cpc_client_proplist, NULL)                     \
    CPC_STREAM_FIELDS(FIELD, READER, sink_input)                                                                               \
    READER(pa_sink_input, sink, pa_sink *, 96, pa_sink *cpc_sink_input_sink, NULL)                                             \
    /* The sink whose filter this input belongs to; NULL for an application's stream. */                                       \
    READER(pa_sink_input, origin_sink, pa_sink *, 112, pa_sink *cpc_sink_input_origin, NULL)                                   \
    FIELD(pa_sink_input, direct_outputs, pa_idxset *, 120) FIELD(pa_sink_input, reference_ratio, pa_cvolume, 428)              \
    FIELD(pa_sink_input, volume_factor, pa_cvolume, 692) FIELD(pa_sink_input, volume_factor_items, pa_hashmap *, 824)          \
    FIELD(pa_sink_input, soft_volume, pa_cvolume, 832) FIELD(pa_sink_input, volume_factor_sink_items, pa_hashmap *, 1096)      \
    FIELD(pa_sink_input, pop, cpc_pop, 1128) FIELD(pa_sink_input, process_rewind, cpc_process_rewind, 1144)                    \
    FIELD(volume_factor_entry, key, char *, 0) FIELD(volume_factor_entry, volume, pa_cvolume, 8)                               \
    CPC_STREAM_FIELDS(FIELD, READER, source_output)                                                                            \
    READER(pa_source_output, source, pa_source *, 96, pa_source *cpc_source_output_source, NULL)                               \
    /* The source whose filter this output belongs to; NULL for an application's stream. */                                    \
    READER(pa_source_output, destination_source, pa_source *, 112, pa_source *cpc_source_output_destination, NULL)             \
    /* Whether the output records one stream, not a source. */                                                                 \
    READER(pa_source_output, direct_on_input, pa_sink_input *, 120, bool cpc_source_output_is_direct, NULL)                    \
    FIELD(pa_source_output, volume, pa_cvolume, 280) FIELD(pa_source_output, reference_ratio, pa_cvolume, 412)                 \
    FIELD(pa_source_output, real_ratio, pa_cvolume, 544) FIELD(pa_source_output, volume_factor, pa_cvolume, 676)               \
    FIELD(pa_source_output, soft_volume, pa_cvolume, 808)                                                                      \
    CPC_DEVICE_FIELDS(FIELD, READER, sink)                                                                                     \
    FIELD(pa_sink, flags, unsigned, 64)                                                                                        \
    READER(pa_sink, module, pa_module *, 96, pa_module *cpc_sink_module, NULL)                                                 \
    FIELD(pa_sink, inputs, pa_idxset *, 272) FIELD(pa_sink, monitor_source, pa_source *, 288)                                  \
    /* The stream through which a filter sink plays into another sink; NULL for other sinks. */                                \
    READER(pa_sink, input_to_master, pa_sink_input *, 296, pa_sink_input *cpc_sink_master, NULL)                               \
    CPC_DEVICE_FIELDS(FIELD, READER, source)                                                                                   \
    FIELD(pa_source, outputs, pa_idxset *, 272)                                                                                \
    /* The sink whose monitor this source is; NULL for a microphone. */                                                        \
    READER(pa_source, monitor_of, pa_sink *, 288, pa_sink *cpc_source_monitor_of, NULL)                                        \
    FIELD(pa_source, output_from_master, pa_source_output *, 296) FIELD(pa_source, real_volume, pa_cvolume, 444)               \
    FIELD(pa_source, soft_volume, pa_cvolume, 576)                                                                             \
    READER(pa_card, index, uint32_t, 0, uint32_t cpc_card_index, PA_INVALID_INDEX)                                             \
    FIELD(pa_card, core, pa_core *, 8)                                                                                         \
    READER(pa_card, name, char *, 16, const char *cpc_card_name, NULL)                                                         \
    READER(pa_card, proplist, pa_proplist *, 24, pa_proplist *cpc_card_proplist, NULL)                                         \
    FIELD(pa_card, sinks, pa_idxset *, 48) FIELD(pa_card, sources, pa_idxset *, 56)                                            \
    FIELD(pa_card, profiles, pa_hashmap *, 64) FIELD(pa_card, active_profile, pa_card_profile *, 72)                           \
    FIELD(pa_card, ports, pa_hashmap *, 80)                                                                                    \
    FIELD(pa_card_profile, card, pa_card *, 0) FIELD(pa_card_profile, name, char *, 8)                                         \
    FIELD(pa_card_profile, description, char *, 16) FIELD(pa_card_profile, priority, unsigned, 40)                             \
    FIELD(pa_card_profile, available, unsigned, 44)                                                                            \
    FIELD(pa_device_port, core, pa_core *, 32)                                                                                 \
    READER(pa_device_port, card, pa_card *, 40, pa_card *cpc_port_card, NULL)                                                  \
    READER(pa_device_port, name, char *, 48, const char *cpc_port_name, NULL)                                                  \
    READER(pa_device_port, description, char *, 56, const char *cpc_port_description, NULL)                                    \
    /* PA_DEVICE_PORT_TYPE_...; unknown before release 14. */                                                                  \
    READER(pa_device_port, type, unsigned, 72, int cpc_port_type, 0)                                                           \
    FIELD(pa_device_port, available, unsigned, 80)                                                                             \
    READER(pa_device_port, proplist, pa_proplist *, 96, pa_proplist *cpc_port_proplist, NULL)                                  \
    FIELD(pa_device_port, profiles, pa_hashmap *, 104) FIELD(pa_device_port, direction, unsigned, 112)                         \
    FIELD(pa_message_handler, object_path, char *, 0) FIELD(pa_message_handler, callback, cpc_message_handler, 16)             \
    FIELD(pa_message_handler, userdata, void *, 24)

/* Bit fields: struct, name, offset of the byte, the bit in that byte, the function that reads it. */
#define CPC_BITS(BIT)                                                                                                          \
    /* Whether the stream's user or client has muted it. */                                                                    \
    BIT(pa_sink_input, muted, 1104, 2, cpc_sink_input_is_muted)                                                                \
    BIT(pa_source, muted, 708, 1, cpc_source_is_muted)

/* The hooks by the names that we (CPC_...) and the daemon (PA_CORE_HOOK_...) share, with their numbers, which ascend. */
#define CPC_HOOK_NAMES(HOOK)                                                                                                   \
    HOOK(SINK_PUT, 2) HOOK(SINK_UNLINK, 3) HOOK(SINK_PROPLIST_CHANGED, 6) HOOK(SINK_PORT_CHANGED, 7)                           \
    HOOK(SINK_VOLUME_CHANGED, 9) HOOK(SINK_MUTE_CHANGED, 10)                                                                   \
    HOOK(SOURCE_PUT, 14) HOOK(SOURCE_UNLINK, 15) HOOK(SOURCE_PROPLIST_CHANGED, 18) HOOK(SOURCE_PORT_CHANGED, 19)               \
    HOOK(SOURCE_MUTE_CHANGED, 22)                                                                                              \
    HOOK(SINK_INPUT_PUT, 26) HOOK(SINK_INPUT_UNLINK, 27) HOOK(SINK_INPUT_MOVE_START, 29) HOOK(SINK_INPUT_MOVE_FINISH, 30)      \
    HOOK(SINK_INPUT_STATE_CHANGED, 32) HOOK(SINK_INPUT_PROPLIST_CHANGED, 33) HOOK(SINK_INPUT_VOLUME_CHANGED, 34)               \
    HOOK(SINK_INPUT_MUTE_CHANGED, 35)                                                                                          \
    HOOK(SOURCE_OUTPUT_PUT, 39) HOOK(SOURCE_OUTPUT_UNLINK, 40) HOOK(SOURCE_OUTPUT_MOVE_START, 42)                              \
    HOOK(SOURCE_OUTPUT_MOVE_FINISH, 43) HOOK(SOURCE_OUTPUT_STATE_CHANGED, 45) HOOK(SOURCE_OUTPUT_PROPLIST_CHANGED, 46)         \
    HOOK(CLIENT_PUT, 51) HOOK(CLIENT_UNLINK, 52) HOOK(CLIENT_PROPLIST_CHANGED, 53)                                             \
    HOOK(CARD_PUT, 57) HOOK(CARD_UNLINK, 58) HOOK(CARD_PROFILE_CHANGED, 60) HOOK(PORT_AVAILABLE_CHANGED, 64)                   \
    HOOK(DEFAULT_SINK_CHANGED, 66) HOOK(DEFAULT_SOURCE_CHANGED, 67) HOOK(MODULE_NEW, 68) HOOK(MODULE_UNLINK, 70)

#endif
