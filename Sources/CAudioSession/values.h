/* Values, words and the table of properties, which need no session. */
#ifndef AUDIO_SESSION_VALUES_H
#define AUDIO_SESSION_VALUES_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "audio_session.h"

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

/* MARK: Values (values.c, constants.c, wire.c) */

struct AudioSessionValue *as_value_new(AudioSessionValueKind kind);
/* Sets how often a new value has to be released; nobody else may have the value yet. */
void as_value_count(struct AudioSessionValue *value, UInt32 references);
/* Adds an element, which is taken over, to an array, or with a key to a dictionary. False without memory, or for NULL. */
bool as_value_append(struct AudioSessionValue *value, const char *key, AudioSessionValueRef element);
bool as_value_equal(AudioSessionValueRef one, AudioSessionValueRef other);
/* The message's next value. NULL if it is too large, too deep, or there is none. */
AudioSessionValueRef as_message_value(sd_bus_message *message);
/* The result that stands for an error of the service. */
OSStatus as_error_status(const sd_bus_error *error);

/* MARK: Results (errors.c) */

/* The longest reason of a failure, in bytes. */
enum { AS_REASON = 256 };

/* Remembers why the calling thread's last function has failed; NULL for no reason. Returns the status. */
OSStatus as_because(OSStatus status, const char *reason);

/* MARK: Words (words.c) */

enum as_option { AS_MIX = 1, AS_DUCK = 2, AS_SPEAKER = 4, AS_BLUETOOTH = 8 };

/* The category that a category stands for; 0 for an unknown one. */
UInt32 as_category_known(UInt32 category);
/* The service's word; NULL for an unknown one. */
const char *as_category_word(UInt32 category);
const char *as_mode_word(UInt32 mode);
const char *as_option_word(enum as_option option);
/* The constant for the service's word; 0 for NULL and for a word that the library does not know. */
UInt32 as_category_of(const char *word);
UInt32 as_mode_of(const char *word);
bool as_category_takes(UInt32 category, enum as_option option);
/* The route's name in the phone's first interface. */
const char *as_route_name(AudioSessionValueRef description);

/* MARK: Properties (table.c) */

enum as_kind { UINT32, FLOAT32, FLOAT64, VALUE };
enum as_source { KEPT, SERVICE, INTERRUPTION, ENDING, NOWHERE };

struct as_property {
    AudioSessionPropertyID id;
    enum as_kind kind;
    bool is_read, is_set, is_listened;
    enum as_source source;
};

/* A property's value, by its kind. */
union as_datum {
    UInt32 number;
    Float32 fraction;
    Float64 real;
    AudioSessionValueRef value;
};

/* NULL for an unknown one. */
const struct as_property *as_property_known(AudioSessionPropertyID id);
UInt32 as_kind_size(enum as_kind kind);

#endif
