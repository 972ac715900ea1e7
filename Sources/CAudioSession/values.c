/* Values: counted, and never changed once they are given away. */
#include "values.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct AudioSessionValue {
    atomic_uint references;
    AudioSessionValueKind kind;
    UInt32 count, capacity;
    Float64 number;
    char *text;
    char **keys;
    AudioSessionValueRef *elements;
};

struct AudioSessionValue *as_value_new(AudioSessionValueKind kind) {
    struct AudioSessionValue *value = calloc(1, sizeof *value);
    if (value == NULL) return NULL;
    atomic_init(&value->references, 1);
    value->kind = kind;
    return value;
}

void as_value_count(struct AudioSessionValue *value, UInt32 references) { atomic_store(&value->references, references); }

static bool grow(struct AudioSessionValue *value) {
    if (value->count < value->capacity) return true;
    UInt32 capacity = value->capacity == 0 ? 4 : value->capacity * 2;
    AudioSessionValueRef *elements = realloc(value->elements, capacity * sizeof *elements);
    if (elements == NULL) return false;
    value->elements = elements;
    if (value->kind == kAudioSessionValueKind_Dictionary) {
        char **keys = realloc(value->keys, capacity * sizeof *keys);
        if (keys == NULL) return false;
        value->keys = keys;
    }
    value->capacity = capacity;
    return true;
}

bool as_value_append(struct AudioSessionValue *value, const char *key, AudioSessionValueRef element) {
    char *copy = NULL;
    bool is_dictionary = value != NULL && value->kind == kAudioSessionValueKind_Dictionary;
    if (value == NULL || element == NULL || !grow(value) || (is_dictionary && (copy = strdup(key)) == NULL)) {
        AudioSessionValueRelease(element);
        return false;
    }
    if (is_dictionary) value->keys[value->count] = copy;
    value->elements[value->count++] = element;
    return true;
}

AudioSessionValueRef AudioSessionValueCreateString(const char *inText) {
    struct AudioSessionValue *value = inText == NULL ? NULL : as_value_new(kAudioSessionValueKind_String);
    if (value != NULL && (value->text = strdup(inText)) == NULL) {
        free(value);
        value = NULL;
    }
    return value;
}

AudioSessionValueRef AudioSessionValueCreateNumber(Float64 inNumber) {
    struct AudioSessionValue *value = as_value_new(kAudioSessionValueKind_Number);
    if (value != NULL) value->number = inNumber;
    return value;
}

AudioSessionValueRef AudioSessionValueRetain(AudioSessionValueRef inValue) {
    if (inValue != NULL) {
        atomic_fetch_add_explicit(&((struct AudioSessionValue *)inValue)->references, 1, memory_order_relaxed);
    }
    return inValue;
}

void AudioSessionValueRelease(AudioSessionValueRef inValue) {
    struct AudioSessionValue *value = (struct AudioSessionValue *)inValue;
    if (value == NULL || atomic_fetch_sub_explicit(&value->references, 1, memory_order_acq_rel) != 1) return;
    for (UInt32 index = 0; index < value->count; index++) {
        if (value->keys != NULL) free(value->keys[index]);
        AudioSessionValueRelease(value->elements[index]);
    }
    free(value->keys);
    free(value->elements);
    free(value->text);
    free(value);
}

AudioSessionValueKind AudioSessionValueGetKind(AudioSessionValueRef inValue) {
    return inValue == NULL ? (AudioSessionValueKind)kAudioSessionValueKind_None : inValue->kind;
}

const char *AudioSessionValueGetString(AudioSessionValueRef inValue) { return inValue == NULL ? NULL : inValue->text; }

Float64 AudioSessionValueGetNumber(AudioSessionValueRef inValue) { return inValue == NULL ? 0 : inValue->number; }

UInt32 AudioSessionValueGetCount(AudioSessionValueRef inValue) { return inValue == NULL ? 0 : inValue->count; }

AudioSessionValueRef AudioSessionValueGetElement(AudioSessionValueRef inValue, UInt32 inIndex) {
    return inValue == NULL || inIndex >= inValue->count ? NULL : inValue->elements[inIndex];
}

const char *AudioSessionValueGetKey(AudioSessionValueRef inValue, UInt32 inIndex) {
    return inValue == NULL || inValue->keys == NULL || inIndex >= inValue->count ? NULL : inValue->keys[inIndex];
}

AudioSessionValueRef AudioSessionValueGetMember(AudioSessionValueRef inValue, const char *inKey) {
    if (inValue == NULL || inKey == NULL || inValue->keys == NULL) return NULL;
    for (UInt32 index = 0; index < inValue->count; index++) {
        if (strcmp(inValue->keys[index], inKey) == 0) return inValue->elements[index];
    }
    return NULL;
}

bool as_value_equal(AudioSessionValueRef one, AudioSessionValueRef other) {
    if (one == other) return true;
    if (one == NULL || other == NULL || one->kind != other->kind || one->count != other->count) return false;
    /* Compared as bytes, so that NaN is equal to itself. */
    if (memcmp(&one->number, &other->number, sizeof one->number) != 0) return false;
    if (one->text != NULL && (other->text == NULL || strcmp(one->text, other->text) != 0)) return false;
    for (UInt32 index = 0; index < one->count; index++) {
        if (one->keys != NULL && strcmp(one->keys[index], other->keys[index]) != 0) return false;
        if (!as_value_equal(one->elements[index], other->elements[index])) return false;
    }
    return true;
}

static void print(FILE *file, AudioSessionValueRef value) {
    bool is_dictionary = value->kind == kAudioSessionValueKind_Dictionary;
    switch (value->kind) {
    case kAudioSessionValueKind_String: fprintf(file, "\"%s\"", value->text); break;
    case kAudioSessionValueKind_Number: fprintf(file, "%.10g", value->number); break;
    default:
        fputc(is_dictionary ? '{' : '[', file);
        for (UInt32 index = 0; index < value->count; index++) {
            if (index > 0) fputs(", ", file);
            if (is_dictionary) fprintf(file, "%s: ", value->keys[index]);
            print(file, value->elements[index]);
        }
        fputc(is_dictionary ? '}' : ']', file);
    }
}

char *AudioSessionValueCopyText(AudioSessionValueRef inValue) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = inValue == NULL ? NULL : open_memstream(&text, &size);
    if (file == NULL) return NULL;
    print(file, inValue);
    if (fclose(file) == 0) return text;
    free(text);
    return NULL;
}
