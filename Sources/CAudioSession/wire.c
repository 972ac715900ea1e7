/* Makes values of messages, and results of the service's errors. sd-bus has checked that a message is well-formed. */
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16, PARTS = 8192, TEXT = 65536 };

static AudioSessionValueRef read_any(sd_bus_message *message, int depth, unsigned *parts);

static AudioSessionValueRef read_basic(sd_bus_message *message, char type) {
    union {
        const char *text;
        uint8_t u8;
        int16_t s16;
        uint16_t u16;
        int32_t s32;
        uint32_t u32;
        int64_t s64;
        uint64_t u64;
        double real;
    } it = { .u64 = 0 };
    if (sd_bus_message_read_basic(message, type, &it) <= 0) return NULL;
    switch (type) {
    case 's':
    case 'o':
    case 'g': return strlen(it.text) > TEXT ? NULL : AudioSessionValueCreateString(it.text);
    case 'y': return AudioSessionValueCreateNumber(it.u8);
    case 'n': return AudioSessionValueCreateNumber(it.s16);
    case 'q': return AudioSessionValueCreateNumber(it.u16);
    case 'b': return AudioSessionValueCreateNumber(it.s32 != 0);
    case 'i': return AudioSessionValueCreateNumber(it.s32);
    case 'u': return AudioSessionValueCreateNumber(it.u32);
    case 'x': return AudioSessionValueCreateNumber((double)it.s64);
    case 't': return AudioSessionValueCreateNumber((double)it.u64);
    case 'd': return AudioSessionValueCreateNumber(it.real);
    default: return AudioSessionValueCreateNumber(0);
    }
}

/* An entry of a dictionary whose keys are texts. */
static bool read_entry(sd_bus_message *message, struct AudioSessionValue *value, int depth, unsigned *parts) {
    const char *key = NULL;
    AudioSessionValueRef element = NULL;
    if (sd_bus_message_enter_container(message, 'e', NULL) <= 0) return false;
    if (sd_bus_message_read_basic(message, 's', &key) <= 0 || strlen(key) > TEXT) return false;
    element = read_any(message, depth, parts);
    return as_value_append(value, key, element) && sd_bus_message_exit_container(message) >= 0;
}

static AudioSessionValueRef read_many(sd_bus_message *message, char type, const char *contents, int depth,
                                      unsigned *parts) {
    bool is_dictionary = type == 'a' && contents[0] == '{';
    /* Only a later service may have dictionaries with other keys. The rest of its message counts. */
    if (is_dictionary && contents[1] != 's') {
        return sd_bus_message_skip(message, NULL) < 0 ? NULL : as_value_new(kAudioSessionValueKind_Array);
    }
    struct AudioSessionValue *value =
        as_value_new(is_dictionary ? kAudioSessionValueKind_Dictionary : kAudioSessionValueKind_Array);
    bool is_read = value != NULL && sd_bus_message_enter_container(message, type, contents) > 0;
    while (is_read && sd_bus_message_at_end(message, 0) == 0) {
        is_read = is_dictionary ? read_entry(message, value, depth, parts)
                                : as_value_append(value, NULL, read_any(message, depth, parts));
    }
    if (is_read && sd_bus_message_exit_container(message) >= 0) return value;
    AudioSessionValueRelease(value);
    return NULL;
}

static AudioSessionValueRef read_any(sd_bus_message *message, int depth, unsigned *parts) {
    char type = 0;
    const char *contents = NULL;
    if (depth == 0 || ++*parts > PARTS || sd_bus_message_peek_type(message, &type, &contents) <= 0) return NULL;
    switch (type) {
    case 'a':
    case 'r': return read_many(message, type, contents, depth - 1, parts);
    case 'v': {
        if (sd_bus_message_enter_container(message, 'v', contents) <= 0) return NULL;
        AudioSessionValueRef value = read_any(message, depth - 1, parts);
        if (value == NULL || sd_bus_message_exit_container(message) >= 0) return value;
        AudioSessionValueRelease(value);
        return NULL;
    }
    default: return read_basic(message, type);
    }
}

AudioSessionValueRef as_message_value(sd_bus_message *message) {
    unsigned parts = 0;
    return read_any(message, DEPTH, &parts);
}

OSStatus as_error_status(const sd_bus_error *error) {
    static const struct {
        const char *name;
        OSStatus status;
    } known[] = {
#include "errors.inc"
    };
    for (size_t index = 0; index < sizeof known / sizeof *known; index++) {
        if (sd_bus_error_has_name(error, known[index].name)) return known[index].status;
    }
    return kAudioSessionUnspecifiedError;
}
