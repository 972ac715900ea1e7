/* Compares what CPulseCore believes of the daemon with the daemon's own headers, which come first. Function prototypes
 * are compared by the compiler, as both stand here; the rest when this runs. One line of text for every difference. */
#include <config.h>

/* First, as others need it and do not say so. */
#include <pulsecore/core.h>

#include <pulsecore/asyncmsgq.h>
#include <pulsecore/card.h>
#include <pulsecore/client.h>
#include <pulsecore/device-port.h>
#include <pulsecore/hashmap.h>
#include <pulsecore/hook-list.h>
#include <pulsecore/idxset.h>
#include <pulsecore/log.h>
#include <pulsecore/message-handler.h>
#include <pulsecore/module.h>
#include <pulsecore/namereg.h>
#include <pulsecore/msgobject.h>
#include <pulsecore/sink-input.h>
#include <pulsecore/sink.h>
#include <pulsecore/source-output.h>
#include <pulsecore/source.h>

/* The test takes it out of the daemon's sources, as it stands in none of the headers. */
#include "volume-factor-entry.h"

#if RELEASE < 15
#include <pulse/json.h>
typedef pa_message_handler_cb_t cpc_message_handler;
#define CPC_BEFORE_JSON_MESSAGES
#else
#include <pulsecore/json.h>
#endif

typedef struct pa_message_handler pa_message_handler;
typedef struct volume_factor_entry volume_factor_entry;

#include "declared-functions.h"
#include "layout.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int differences;

static void compare(const char *what, long expected, long found) {
    if (expected == found) return;
    differences++;
    printf("PulseAudio %s: %s: expected %ld, found %ld\n", RELEASE_NAME, what, expected, found);
}

/* The byte of a bit field, and its bit in it, are found by setting it. */
#define COMPARE_MUTED(type)                                                                    \
    static type object_of_##type;                                                              \
    object_of_##type.muted = true;                                                             \
    for (size_t offset = 0; offset < sizeof(type); offset++) {                                 \
        unsigned char byte = ((const unsigned char *)&object_of_##type)[offset];               \
        if (byte == 0) continue;                                                               \
        compare(#type ".muted (byte)", layout->type##_muted, (long)offset);                    \
        compare(#type ".muted (mask)", layout->type##_muted_mask, byte);                       \
    }

static void compare_muted(const struct cpc_layout *layout) {
    COMPARE_MUTED(pa_source)
    COMPARE_MUTED(pa_sink_input)
}

int main(void) {
    const struct cpc_layout *layout = cpc_layout_of(TABLE, VARIANT);
    if (layout == NULL) {
        printf("PulseAudio %s: there is no table of release %d\n", RELEASE_NAME, TABLE);
        return 1;
    }
    compare("the table's release", TABLE, layout->major);

#define FIELD(type, field, value, ...)                                                                \
    compare(#type "." #field, layout->type##_##field, (long)offsetof(type, field));                   \
    compare("size of " #type "." #field, sizeof(value), sizeof(((type *)NULL)->field));               \
    compare(                                                                                          \
        #type "." #field " has the type " #value, true,                                               \
        __builtin_types_compatible_p(value, __typeof__(((type *)NULL)->field)));
    CPC_FIELDS(FIELD, FIELD)
    compare("pa_core.hooks", layout->pa_core_hooks, offsetof(pa_core, hooks));
    compare("size of pa_hook", layout->hook_size, sizeof(pa_hook));
    compare("number of all hooks", layout->hook_count, ALL_HOOKS);
    compare_muted(layout);

    int hooks = 0;
#define HOOK(name, ...)                                                                 \
    compare("PA_CORE_HOOK_" #name, layout->hooks[CPC_##name], PA_CORE_HOOK_##name);     \
    hooks++;
    CPC_HOOK_NAMES(HOOK)
    compare("number of hooks", CPC_HOOKS, hooks);

#define NUMBER(ours, theirs) compare(#theirs, ours, theirs);
    NUMBER(CPC_EARLY, PA_HOOK_EARLY)
    NUMBER(CPC_NORMAL, PA_HOOK_NORMAL)
    NUMBER(0, PA_HOOK_OK)
    NUMBER(CPC_INIT, PA_SINK_INPUT_INIT)
    NUMBER(CPC_RUNNING, PA_SINK_INPUT_RUNNING)
    NUMBER(CPC_CORKED, PA_SINK_INPUT_CORKED)
    NUMBER(CPC_UNLINKED, PA_SINK_INPUT_UNLINKED)
    NUMBER(CPC_INIT, PA_SOURCE_OUTPUT_INIT)
    NUMBER(CPC_RUNNING, PA_SOURCE_OUTPUT_RUNNING)
    NUMBER(CPC_CORKED, PA_SOURCE_OUTPUT_CORKED)
    NUMBER(CPC_UNLINKED, PA_SOURCE_OUTPUT_UNLINKED)
    NUMBER(CPC_AVAILABLE_UNKNOWN, PA_AVAILABLE_UNKNOWN)
    NUMBER(CPC_AVAILABLE_NO, PA_AVAILABLE_NO)
    NUMBER(CPC_AVAILABLE_YES, PA_AVAILABLE_YES)
    NUMBER(CPC_SINK_INPUT_MESSAGE_SET_STATE, PA_SINK_INPUT_MESSAGE_SET_STATE)
    NUMBER(CPC_SOURCE_OUTPUT_MESSAGE_SET_STATE, PA_SOURCE_OUTPUT_MESSAGE_SET_STATE)
    NUMBER(CPC_SOURCE_OUTPUT_MESSAGE_SET_SOFT_VOLUME, PA_SOURCE_OUTPUT_MESSAGE_SET_SOFT_VOLUME)
    NUMBER(CPC_DIRECTION_OUTPUT, PA_DIRECTION_OUTPUT)
    NUMBER(CPC_JSON_NULL, PA_JSON_TYPE_NULL)
    NUMBER(CPC_JSON_INTEGER, PA_JSON_TYPE_INT)
    NUMBER(CPC_JSON_BOOLEAN, PA_JSON_TYPE_BOOL)
    NUMBER(CPC_JSON_STRING, PA_JSON_TYPE_STRING)
    NUMBER(CPC_LOG_ERROR, PA_LOG_ERROR)
    NUMBER(CPC_LOG_WARNING, PA_LOG_WARN)
    NUMBER(CPC_LOG_NOTICE, PA_LOG_NOTICE)
    NUMBER(CPC_LOG_INFORMATION, PA_LOG_INFO)
    NUMBER(CPC_LOG_DEBUG, PA_LOG_DEBUG)
    /* What counts as linked. */
    for (int state = 0; state < 4; state++) {
        bool is_linked = state == CPC_RUNNING || state == CPC_CORKED;
        compare("PA_SINK_INPUT_IS_LINKED", is_linked, PA_SINK_INPUT_IS_LINKED(state));
        compare("PA_SOURCE_OUTPUT_IS_LINKED", is_linked, PA_SOURCE_OUTPUT_IS_LINKED(state));
    }
    for (int state = -4; state < 4; state++) {
        compare("PA_SINK_IS_LINKED", state >= 0 && state < 3, PA_SINK_IS_LINKED(state));
        compare("PA_SOURCE_IS_LINKED", state >= 0 && state < 3, PA_SOURCE_IS_LINKED(state));
    }
    return differences != 0;
}
