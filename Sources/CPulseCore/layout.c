/* The layout tables of the releases, and the choice of one. */
#define _GNU_SOURCE
#include "layout.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* Fields with the same offset in all releases. */
#define SAME_FIELDS \
    .pa_object_check_type = 24, .pa_msgobject_process_msg = 32, .pa_memchunk_memblock = 0,                  \
    .pa_memchunk_length = 16, .pa_sink_input_pop = 1128, .pa_sink_input_process_rewind = 1144,              \
    .pa_hook_data = 16, .pa_module_core = 0, .pa_module_name = 8,                                           \
    .pa_module_argument = 16, .pa_module_index = 24, .pa_module_init = 40, .pa_module_done = 48,            \
    .pa_module_userdata = 64, .pa_module_proplist = 80, .pa_core_mainloop = 48, .pa_core_clients = 56,      \
    .pa_core_cards = 64, .pa_core_sinks = 72, .pa_core_sources = 80, .pa_core_sink_inputs = 88,             \
    .pa_core_source_outputs = 96, .pa_core_modules = 104, .pa_core_scache = 112, .pa_core_namereg = 120,    \
    .pa_core_shared = 128, .pa_core_message_handlers = 136, .pa_client_core = 8,                            \
    .pa_sink_input_index = 40, .pa_sink_input_core = 48, .pa_sink_input_state = 56,                         \
    .pa_sink_input_proplist = 72, .pa_sink_input_module = 80, .pa_sink_input_client = 88,                   \
    .pa_sink_input_sink = 96, .pa_sink_input_origin_sink = 112, .pa_sink_input_direct_outputs = 120,        \
    .pa_sink_input_sample_spec = 128, .pa_sink_input_reference_ratio = 428,                                 \
    .pa_sink_input_volume_factor = 692, .pa_sink_input_volume_factor_items = 824,                           \
    .pa_sink_input_soft_volume = 832, .pa_sink_input_volume_factor_sink_items = 1096,                       \
    .pa_sink_input_muted = 1104, .pa_sink_input_muted_mask = 2, .volume_factor_entry_key = 0,               \
    .volume_factor_entry_volume = 8,                                                                        \
    .pa_source_output_index = 40, .pa_source_output_core = 48, .pa_source_output_state = 56,                \
    .pa_source_output_proplist = 72, .pa_source_output_module = 80, .pa_source_output_client = 88,          \
    .pa_source_output_source = 96, .pa_source_output_destination_source = 112,                              \
    .pa_source_output_direct_on_input = 120, .pa_source_output_sample_spec = 128,                           \
    .pa_source_output_volume = 280, .pa_source_output_reference_ratio = 412,                                \
    .pa_source_output_real_ratio = 544, .pa_source_output_volume_factor = 676,                              \
    .pa_source_output_soft_volume = 808, .pa_sink_index = 40, .pa_sink_core = 48, .pa_sink_state = 56,      \
    .pa_sink_flags = 64, .pa_sink_name = 72, .pa_sink_proplist = 88, .pa_sink_module = 96,                  \
    .pa_sink_card = 104, .pa_sink_sample_spec = 112, .pa_sink_inputs = 272, .pa_sink_monitor_source = 288,  \
    .pa_sink_input_to_master = 296, .pa_sink_reference_volume = 312, .pa_sink_asyncmsgq = 848,              \
    .pa_sink_ports = 880, .pa_sink_active_port = 888, .pa_source_index = 40, .pa_source_core = 48,          \
    .pa_source_state = 56, .pa_source_name = 72, .pa_source_proplist = 88, .pa_source_card = 104,           \
    .pa_source_sample_spec = 112, .pa_source_outputs = 272, .pa_source_monitor_of = 288,                    \
    .pa_source_output_from_master = 296, .pa_source_reference_volume = 312, .pa_source_real_volume = 444,   \
    .pa_source_soft_volume = 576, .pa_source_muted = 708, .pa_source_muted_mask = 1,                        \
    .pa_source_asyncmsgq = 848, .pa_source_ports = 880, .pa_source_active_port = 888, .pa_card_index = 0,   \
    .pa_card_core = 8, .pa_card_name = 16, .pa_card_proplist = 24, .pa_card_sinks = 48,                     \
    .pa_card_sources = 56, .pa_card_profiles = 64, .pa_card_active_profile = 72, .pa_card_ports = 80,       \
    .pa_card_profile_card = 0, .pa_card_profile_name = 8, .pa_card_profile_description = 16,                \
    .pa_card_profile_priority = 40, .pa_card_profile_available = 44, .pa_device_port_core = 32,             \
    .pa_device_port_card = 40, .pa_device_port_name = 48, .pa_device_port_description = 56,                 \
    .pa_device_port_type = 72, .pa_device_port_available = 80, .pa_device_port_proplist = 96,               \
    .pa_device_port_profiles = 104, .pa_device_port_direction = 112, .pa_message_handler_object_path = 0,   \
    .pa_message_handler_callback = 16, .pa_message_handler_userdata = 24,                                   \
    .hook_size = 24

/* Ubuntu's clients have the label of their confinement before the property list. */
#define CLIENT .pa_client_proplist = 16
#define CLIENT_OF_UBUNTU .pa_client_proplist = 24
/* The number of hooks that Ubuntu adds behind the daemon's own. */
enum { CPC_HOOKS_OF_UBUNTU = 42 };

#define HOOKS_OF_14 \
    [CPC_SINK_PUT] = 2, [CPC_SINK_UNLINK] = 3, [CPC_SINK_PROPLIST_CHANGED] = 6, [CPC_SINK_PORT_CHANGED] = 7, \
    [CPC_SINK_VOLUME_CHANGED] = 9, [CPC_SINK_MUTE_CHANGED] = 10,                                             \
    [CPC_SOURCE_PUT] = 14, [CPC_SOURCE_UNLINK] = 15, [CPC_SOURCE_PROPLIST_CHANGED] = 18,                     \
    [CPC_SOURCE_PORT_CHANGED] = 19, [CPC_SOURCE_MUTE_CHANGED] = 22, [CPC_SINK_INPUT_PUT] = 26,               \
    [CPC_SINK_INPUT_UNLINK] = 27, [CPC_SINK_INPUT_MOVE_START] = 29, [CPC_SINK_INPUT_MOVE_FINISH] = 30,       \
    [CPC_SINK_INPUT_STATE_CHANGED] = 32, [CPC_SINK_INPUT_PROPLIST_CHANGED] = 33,                             \
    [CPC_SINK_INPUT_VOLUME_CHANGED] = 34, [CPC_SINK_INPUT_MUTE_CHANGED] = 35,                                \
    [CPC_SOURCE_OUTPUT_PUT] = 39, [CPC_SOURCE_OUTPUT_UNLINK] = 40, [CPC_SOURCE_OUTPUT_MOVE_START] = 42,      \
    [CPC_SOURCE_OUTPUT_MOVE_FINISH] = 43, [CPC_SOURCE_OUTPUT_STATE_CHANGED] = 45,                            \
    [CPC_SOURCE_OUTPUT_PROPLIST_CHANGED] = 46, [CPC_CLIENT_PUT] = 51, [CPC_CLIENT_UNLINK] = 52, [CPC_CLIENT_PROPLIST_CHANGED] = 53, [CPC_CARD_PUT] = 57,      \
    [CPC_CARD_UNLINK] = 58, [CPC_CARD_PROFILE_CHANGED] = 60, [CPC_PORT_AVAILABLE_CHANGED] = 64,              \
    [CPC_DEFAULT_SINK_CHANGED] = 66, [CPC_DEFAULT_SOURCE_CHANGED] = 67, [CPC_MODULE_NEW] = 68,               \
    [CPC_MODULE_UNLINK] = 70

/* One more hook, for a changed preference, among those of sink inputs and among those of source outputs. */
#define HOOKS_SINCE_15 \
    [CPC_SINK_PUT] = 2, [CPC_SINK_UNLINK] = 3, [CPC_SINK_PROPLIST_CHANGED] = 6, [CPC_SINK_PORT_CHANGED] = 7, \
    [CPC_SINK_VOLUME_CHANGED] = 9, [CPC_SINK_MUTE_CHANGED] = 10,                                             \
    [CPC_SOURCE_PUT] = 14, [CPC_SOURCE_UNLINK] = 15, [CPC_SOURCE_PROPLIST_CHANGED] = 18,                     \
    [CPC_SOURCE_PORT_CHANGED] = 19, [CPC_SOURCE_MUTE_CHANGED] = 22, [CPC_SINK_INPUT_PUT] = 26,               \
    [CPC_SINK_INPUT_UNLINK] = 27, [CPC_SINK_INPUT_MOVE_START] = 29, [CPC_SINK_INPUT_MOVE_FINISH] = 30,       \
    [CPC_SINK_INPUT_STATE_CHANGED] = 32, [CPC_SINK_INPUT_PROPLIST_CHANGED] = 33,                             \
    [CPC_SINK_INPUT_VOLUME_CHANGED] = 34, [CPC_SINK_INPUT_MUTE_CHANGED] = 35,                                \
    [CPC_SOURCE_OUTPUT_PUT] = 40, [CPC_SOURCE_OUTPUT_UNLINK] = 41, [CPC_SOURCE_OUTPUT_MOVE_START] = 43,      \
    [CPC_SOURCE_OUTPUT_MOVE_FINISH] = 44, [CPC_SOURCE_OUTPUT_STATE_CHANGED] = 46,                            \
    [CPC_SOURCE_OUTPUT_PROPLIST_CHANGED] = 47, [CPC_CLIENT_PUT] = 53, [CPC_CLIENT_UNLINK] = 54, [CPC_CLIENT_PROPLIST_CHANGED] = 55, [CPC_CARD_PUT] = 59,      \
    [CPC_CARD_UNLINK] = 60, [CPC_CARD_PROFILE_CHANGED] = 62, [CPC_PORT_AVAILABLE_CHANGED] = 66,              \
    [CPC_DEFAULT_SINK_CHANGED] = 68, [CPC_DEFAULT_SOURCE_CHANGED] = 69, [CPC_MODULE_NEW] = 70,               \
    [CPC_MODULE_UNLINK] = 72

/* More than the longest release number needs. */
enum { CPC_RELEASE_SIZE = 16 };

#define DEFAULTS .pa_core_default_sink = 160, .pa_core_default_source = 168, .pa_core_hooks = 568
/* Two more names before the default sink: the defaults set by a policy module. */
#define DEFAULTS_SINCE_17 .pa_core_default_sink = 176, .pa_core_default_source = 184, .pa_core_hooks = 584

static const struct cpc_layout layouts[] = {
    {SAME_FIELDS, CLIENT, DEFAULTS, .major = 14, .hook_count = 74, .hooks = {HOOKS_OF_14}},
    {SAME_FIELDS, CLIENT, DEFAULTS, .major = 15, .hook_count = 76, .hooks = {HOOKS_SINCE_15}},
    {SAME_FIELDS, CLIENT, DEFAULTS, .major = 16, .hook_count = 76, .hooks = {HOOKS_SINCE_15}},
    {SAME_FIELDS, CLIENT, DEFAULTS_SINCE_17, .major = 17, .hook_count = 76, .hooks = {HOOKS_SINCE_15}},
    {
        SAME_FIELDS, CLIENT_OF_UBUNTU, DEFAULTS, .major = 14, .variant = CPC_UBUNTU,
        .hook_count = 74 + CPC_HOOKS_OF_UBUNTU, .hooks = {HOOKS_OF_14},
    },
    {
        SAME_FIELDS, CLIENT_OF_UBUNTU, DEFAULTS, .major = 15, .variant = CPC_UBUNTU,
        .hook_count = 76 + CPC_HOOKS_OF_UBUNTU, .hooks = {HOOKS_SINCE_15},
    },
    {
        SAME_FIELDS, CLIENT_OF_UBUNTU, DEFAULTS, .major = 16, .variant = CPC_UBUNTU,
        .hook_count = 76 + CPC_HOOKS_OF_UBUNTU, .hooks = {HOOKS_SINCE_15},
    },
    {
        SAME_FIELDS, CLIENT_OF_UBUNTU, DEFAULTS_SINCE_17, .major = 17, .variant = CPC_UBUNTU,
        .hook_count = 76 + CPC_HOOKS_OF_UBUNTU, .hooks = {HOOKS_SINCE_15},
    },
};

const struct cpc_layout *cpc_layout;
unsigned cpc_major;

const struct cpc_layout *cpc_layout_of(unsigned major, enum cpc_variant variant) {
/* The tables hold for little-endian machines with 64-bit pointers and longs. */
#if defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (size_t index = 0; index < sizeof layouts / sizeof layouts[0]; index++)
        if (layouts[index].major == major && layouts[index].variant == variant) return &layouts[index];
#endif
    (void)major;
    (void)variant;
    return NULL;
}

const char *cpc_known_releases(void) { return "14, 15, 15.99, 16, 17"; }

bool cpc_begin(const char *release) {
    if (release == NULL) return false;
    char *end;
    unsigned long major = strtoul(release, &end, 10);
    if (end == release || *end != '.' || major > UINT8_MAX) return false;
    /* A minor number of 90 or more marks a prerelease of the next major version, whose layout is unknown. The
     * exception is the one that a distribution has shipped for years. */
    const char *minor = end + 1;
    bool is_prerelease = strtoul(minor, &end, 10) >= 90;
    if (end == minor || (is_prerelease && strcmp(release, "15.99") != 0)) return false;
    if (is_prerelease) major++;
    if (cpc_layout_of((unsigned)major, CPC_AS_RELEASED) == NULL) return false;
    cpc_major = (unsigned)major;
    return true;
}

static int look_for_library(struct dl_phdr_info *object, size_t size, void *data) {
    static const char prefix[] = "libpulsecore-", suffix[] = ".so";
    char *release = data;
    (void)size;
    const char *name = strrchr(object->dlpi_name, '/');
    name = name == NULL ? object->dlpi_name : name + 1;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return 0;
    name += sizeof prefix - 1;
    const char *end = strstr(name, suffix);
    if (end == NULL || end == name || end - name >= CPC_RELEASE_SIZE) return 0;
    memcpy(release, name, (size_t)(end - name));
    release[end - name] = '\0';
    return 1;
}

const char *cpc_running_release(void) {
    static char release[CPC_RELEASE_SIZE];
    return dl_iterate_phdr(look_for_library, release) != 0 ? release : NULL;
}

const char *cpc_own_file(void) {
    Dl_info file;
    return dladdr((const void *)cpc_own_file, &file) != 0 ? file.dli_fname : NULL;
}
