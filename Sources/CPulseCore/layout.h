/* The offsets of fields and the numbers of hooks in the daemon that runs, and the access to fields. */
#ifndef CPULSECORE_LAYOUT_H
#define CPULSECORE_LAYOUT_H

#include "functions.h"

/* Whether a distribution has changed the structs. */
enum cpc_variant { CPC_AS_RELEASED, CPC_UBUNTU, CPC_VARIANTS };

/* The layout of one release: offsets in bytes, numbers of hooks. */
struct cpc_layout {
    unsigned major;
#define CPC_OFFSET(type, field, ...) uint16_t type##_##field;
    CPC_FIELDS(CPC_OFFSET, CPC_OFFSET)
#undef CPC_OFFSET
    /* Bit fields: the offset of the byte, and the bit in that byte. */
#define CPC_BIT(type, field, ...) uint16_t type##_##field; uint8_t type##_##field##_mask;
    CPC_BITS(CPC_BIT)
#undef CPC_BIT
    /* The offset of the array of hooks, the size of one hook, and their number, with those that a distribution has added behind
     * the daemon's own. */
    uint16_t pa_core_hooks, hook_size, hook_count;
    uint8_t hooks[CPC_HOOKS];
};

/* The layout of a release, until the next call; NULL if the release is unknown. */
const struct cpc_layout *cpc_layout_of(unsigned major, enum cpc_variant variant);
/* The major version of the release given to cpc_begin. */
extern unsigned cpc_major;
/* The layout that cpc_verify has found to be the daemon's. */
extern const struct cpc_layout *cpc_layout;
/* cpc_verify with one given table, for tests. */
const char *cpc_verify_as(const struct cpc_layout *layout, const pa_module *module);

/* The kinds of structs that are read. */
enum cpc_kind {
    CPC_KIND_pa_module, CPC_KIND_pa_core, CPC_KIND_pa_client, CPC_KIND_pa_card, CPC_KIND_pa_card_profile,
    CPC_KIND_pa_device_port, CPC_KIND_pa_sink, CPC_KIND_pa_source, CPC_KIND_pa_sink_input, CPC_KIND_pa_source_output, CPC_KINDS,
};
/* Whether the layout of each kind has been proved. */
extern bool cpc_is_proved[CPC_KINDS];
/* Checks the layout of a kind with its first object. False if the layout differs; then also for all later objects of that
 * kind. */
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

/* The queue to the thread that plays a stream; NULL if the stream is not linked, or if it or a filter below it is moving. */
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
#define CPC_TYPE(type, field, value, ...) typedef value cpc_##type##_##field;
CPC_FIELDS(CPC_TYPE, CPC_TYPE)
#undef CPC_TYPE

/* A field of an object, to read or to write; CPC_CAN_READ must hold. */
#define CPC_FIELD(object, type, field) (*(cpc_##type##_##field *)((char *)(object) + cpc_layout->type##_##field))
/* A field to read, or `otherwise` if the object is NULL or its layout is unknown. */
#define CPC_READ(object, type, field, otherwise) \
    (CPC_CAN_READ(object, type) ? CPC_FIELD(object, type, field) : (otherwise))

#endif
