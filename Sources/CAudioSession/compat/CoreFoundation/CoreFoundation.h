/* The types of Core Foundation that Audio Session Services use, and the functions that read and make values of them. Each value
 * is an AudioSessionValueRef (audio_session.h), and the pointers may be converted into each other. This is not Core Foundation:
 * do not mix it with another one's headers or library.
 *
 * Values never change. As on the phone, functions with Create or Copy in their names, and AudioSessionGetProperty(), give values
 * that the caller releases; all others give borrowed ones. NULL is allowed for every value. The allocator is for sources that
 * pass one, and is ignored.
 *
 * There is no run loop. AudioSessionInitialize() takes NULL for it, and calls back on a thread of its own or, for programs with
 * a loop, in AudioSessionDispatch().
 */
#ifndef AUDIO_SESSION_COMPAT_CORE_FOUNDATION_H
#define AUDIO_SESSION_COMPAT_CORE_FOUNDATION_H

#include <TargetConditionals.h>

#include <audio_session.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------------
 * Types. OSStatus, UInt32, SInt32, Float32, Float64 and Boolean are in audio_session.h.
 */

#ifndef AUDIO_SESSION_NO_BASE_TYPES
typedef uint8_t UInt8;
typedef int8_t SInt8;
typedef uint16_t UInt16;
typedef int16_t SInt16;
typedef uint64_t UInt64;
typedef int64_t SInt64;
typedef UInt32 OSType;
enum { noErr = 0 };
#endif

/* Any value. */
typedef const void *CFTypeRef;
typedef AudioSessionStringRef CFStringRef;
typedef const struct AudioSessionNumber *CFNumberRef;
typedef const struct AudioSessionArray *CFArrayRef;
typedef const struct AudioSessionDictionary *CFDictionaryRef;
typedef AudioSessionRunLoopRef CFRunLoopRef;
typedef const struct AudioSessionAllocator *CFAllocatorRef;
typedef long CFIndex;
typedef unsigned long CFTypeID;
typedef unsigned long CFOptionFlags;

#define kCFAllocatorDefault ((CFAllocatorRef)NULL)

/* ---------------------------------------------------------------------------------------------------------------------
 * Any value
 */

/* Keeps a value until CFRelease(). Returns it. */
static inline CFTypeRef CFRetain(CFTypeRef value) { return AudioSessionValueRetain((AudioSessionValueRef)value); }

/* Gives a value back. Does nothing for those of CFSTR(). */
static inline void CFRelease(CFTypeRef value) { AudioSessionValueRelease((AudioSessionValueRef)value); }

/* What a value is: CFStringGetTypeID() and so on; 0 for NULL. */
static inline CFTypeID CFGetTypeID(CFTypeRef value) { return AudioSessionValueGetKind((AudioSessionValueRef)value); }
static inline CFTypeID CFStringGetTypeID(void) { return kAudioSessionValueKind_String; }
static inline CFTypeID CFNumberGetTypeID(void) { return kAudioSessionValueKind_Number; }
static inline CFTypeID CFArrayGetTypeID(void) { return kAudioSessionValueKind_Array; }
static inline CFTypeID CFDictionaryGetTypeID(void) { return kAudioSessionValueKind_Dictionary; }

/* Whether two values are of one kind, and say the same. Members of dictionaries count in any order. */
static inline Boolean CFEqual(CFTypeRef one, CFTypeRef other) {
    AudioSessionValueRef left = (AudioSessionValueRef)one, right = (AudioSessionValueRef)other;
    AudioSessionValueKind kind = AudioSessionValueGetKind(left);
    UInt32 count = AudioSessionValueGetCount(left), index;
    if (left == right) return true;
    if (kind != AudioSessionValueGetKind(right) || count != AudioSessionValueGetCount(right)) return false;
    if (kind == kAudioSessionValueKind_String)
        return strcmp(AudioSessionValueGetString(left), AudioSessionValueGetString(right)) == 0;
    if (kind == kAudioSessionValueKind_Number)
        return AudioSessionValueGetNumber(left) == AudioSessionValueGetNumber(right);
    for (index = 0; index < count; index++) {
        const char *key = AudioSessionValueGetKey(left, index);
        AudioSessionValueRef element =
            key != NULL ? AudioSessionValueGetMember(right, key) : AudioSessionValueGetElement(right, index);
        if (!CFEqual(AudioSessionValueGetElement(left, index), element)) return false;
    }
    return true;
}

/* Writes a value to the standard error, for people. */
static inline void CFShow(CFTypeRef value) {
    char *text = AudioSessionValueCopyText((AudioSessionValueRef)value);
    fprintf(stderr, "%s\n", text != NULL ? text : "(null)");
    free(text);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Texts
 */

/* A text that stands in the source: the same value for the same text, for as long as the program runs. Not a constant
 * expression, so not for the initial value of a static variable. */
#define CFSTR(text) ((CFStringRef)(CFTypeRef)AudioSessionValueConstantString("" text ""))

#define kCFRunLoopDefaultMode CFSTR("kCFRunLoopDefaultMode")
#define kCFRunLoopCommonModes CFSTR("kCFRunLoopCommonModes")

/* Texts are UTF-8; the other two do for those of ASCII characters only. */
typedef UInt32 CFStringEncoding;
enum { kCFStringEncodingMacRoman = 0, kCFStringEncodingASCII = 0x0600, kCFStringEncodingUTF8 = 0x08000100 };

typedef CFOptionFlags CFStringCompareFlags;
enum {
    /* Of ASCII letters. */
    kCFCompareCaseInsensitive = 1
};
typedef CFIndex CFComparisonResult;
enum { kCFCompareLessThan = -1, kCFCompareEqualTo = 0, kCFCompareGreaterThan = 1 };

/* A text, which is copied. NULL for NULL, without memory, or if the bytes are not in the encoding. UTF-8 is not checked. */
static inline CFStringRef CFStringCreateWithCString(CFAllocatorRef allocator, const char *text, CFStringEncoding encoding) {
    const char *at;
    (void)allocator;
    for (at = text; encoding != kCFStringEncodingUTF8 && at != NULL && *at != 0; at++)
        if ((unsigned char)*at >= 0x80) return NULL;
    return (CFStringRef)(CFTypeRef)AudioSessionValueCreateString(text);
}

/* The bytes, borrowed. NULL for what is no text, or cannot be had in the encoding. */
static inline const char *CFStringGetCStringPtr(CFStringRef string, CFStringEncoding encoding) {
    const char *text = AudioSessionValueGetString((AudioSessionValueRef)(CFTypeRef)string), *at;
    for (at = text; encoding != kCFStringEncodingUTF8 && at != NULL && *at != 0; at++)
        if ((unsigned char)*at >= 0x80) return NULL;
    return text;
}

/* Copies the bytes, and a 0 behind them. False if they cannot be had, or there is no room for them all. */
static inline Boolean CFStringGetCString(CFStringRef string, char *buffer, CFIndex size, CFStringEncoding encoding) {
    const char *text = CFStringGetCStringPtr(string, encoding);
    if (text == NULL || size <= 0 || strlen(text) >= (size_t)size) return false;
    memcpy(buffer, text, strlen(text) + 1);
    return true;
}

/* The length as the phone counts it: characters outside the basic plane are two. */
static inline CFIndex CFStringGetLength(CFStringRef string) {
    const char *text = CFStringGetCStringPtr(string, kCFStringEncodingUTF8);
    CFIndex length = 0;
    for (; text != NULL && *text != 0; text++) {
        unsigned char byte = (unsigned char)*text;
        length += (byte & 0xc0) == 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
    }
    return length;
}

/* The order of two texts, by their characters' numbers. What is no text comes first. */
static inline CFComparisonResult CFStringCompare(CFStringRef one, CFStringRef other, CFStringCompareFlags options) {
    const char *left = CFStringGetCStringPtr(one, kCFStringEncodingUTF8);
    const char *right = CFStringGetCStringPtr(other, kCFStringEncodingUTF8);
    if (left == NULL || right == NULL) return (left != NULL) - (right != NULL);
    for (;; left++, right++) {
        int first = (unsigned char)*left, second = (unsigned char)*right;
        if ((options & kCFCompareCaseInsensitive) != 0) {
            if (first >= 'A' && first <= 'Z') first += 'a' - 'A';
            if (second >= 'A' && second <= 'Z') second += 'a' - 'A';
        }
        if (first != second) return first < second ? kCFCompareLessThan : kCFCompareGreaterThan;
        if (first == 0) return kCFCompareEqualTo;
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Numbers, each kept as a Float64
 */

typedef CFIndex CFNumberType;
enum {
    kCFNumberSInt8Type = 1,
    kCFNumberSInt16Type = 2,
    kCFNumberSInt32Type = 3,
    kCFNumberSInt64Type = 4,
    kCFNumberFloat32Type = 5,
    kCFNumberFloat64Type = 6,
    kCFNumberCharType = 7,
    kCFNumberShortType = 8,
    kCFNumberIntType = 9,
    kCFNumberLongType = 10,
    kCFNumberLongLongType = 11,
    kCFNumberFloatType = 12,
    kCFNumberDoubleType = 13,
    kCFNumberCFIndexType = 14
};

/* The bytes of a number of a type; 0 for an unknown type. */
static inline size_t AudioSessionCompatNumberSize(CFNumberType type) {
    switch (type) {
    case kCFNumberSInt8Type:
    case kCFNumberCharType: return 1;
    case kCFNumberSInt16Type:
    case kCFNumberShortType: return 2;
    case kCFNumberSInt32Type:
    case kCFNumberIntType:
    case kCFNumberFloat32Type:
    case kCFNumberFloatType: return 4;
    case kCFNumberSInt64Type:
    case kCFNumberLongLongType:
    case kCFNumberFloat64Type:
    case kCFNumberDoubleType: return 8;
    case kCFNumberLongType:
    case kCFNumberCFIndexType: return sizeof(long);
    default: return 0;
    }
}

/* Whether the number has a fraction. */
static inline Boolean CFNumberIsFloatType(CFNumberRef number) {
    Float64 value = AudioSessionValueGetNumber((AudioSessionValueRef)(CFTypeRef)number);
    /* Beyond 2^53 there are no fractions. */
    return value > -9007199254740992.0 && value < 9007199254740992.0 && value != (Float64)(SInt64)value;
}

/* Writes the number. False if it does not fit: what is written is then the nearest that does, without its fraction, and nothing
 * for what is no number or an unknown type. */
static inline Boolean CFNumberGetValue(CFNumberRef number, CFNumberType type, void *value) {
    Float64 real = AudioSessionValueGetNumber((AudioSessionValueRef)(CFTypeRef)number), limit;
    size_t size = AudioSessionCompatNumberSize(type);
    SInt64 whole;
    if (size == 0 || value == NULL || CFGetTypeID(number) != CFNumberGetTypeID()) return false;
    if (type == kCFNumberFloat64Type || type == kCFNumberDoubleType) {
        memcpy(value, &real, sizeof real);
        return true;
    }
    if (type == kCFNumberFloat32Type || type == kCFNumberFloatType) {
        Float32 single = (Float32)real;
        memcpy(value, &single, sizeof single);
        return (Float64)single == real;
    }
    limit = size == 8 ? 9223372036854775808.0 : (Float64)((SInt64)1 << (size * 8 - 1));
    if (!(real >= -limit)) {
        whole = size == 8 ? INT64_MIN : -((SInt64)1 << (size * 8 - 1));
    } else if (real >= limit) {
        whole = size == 8 ? INT64_MAX : ((SInt64)1 << (size * 8 - 1)) - 1;
    } else {
        whole = (SInt64)real;
    }
    switch (size) {
    case 1: *(SInt8 *)value = (SInt8)whole; break;
    case 2: *(SInt16 *)value = (SInt16)whole; break;
    case 4: *(SInt32 *)value = (SInt32)whole; break;
    default: memcpy(value, &whole, sizeof whole); break;
    }
    return (Float64)whole == real && real < limit;
}

/* A number. NULL without memory, for NULL, or for an unknown type. Whole numbers are exact up to 2^53. */
static inline CFNumberRef CFNumberCreate(CFAllocatorRef allocator, CFNumberType type, const void *value) {
    Float64 real = 0;
    (void)allocator;
    if (value == NULL || AudioSessionCompatNumberSize(type) == 0) return NULL;
    if (type == kCFNumberFloat64Type || type == kCFNumberDoubleType) {
        memcpy(&real, value, sizeof real);
    } else if (type == kCFNumberFloat32Type || type == kCFNumberFloatType) {
        real = *(const Float32 *)value;
    } else {
        switch (AudioSessionCompatNumberSize(type)) {
        case 1: real = *(const SInt8 *)value; break;
        case 2: real = *(const SInt16 *)value; break;
        case 4: real = *(const SInt32 *)value; break;
        default: {
            SInt64 whole;
            memcpy(&whole, value, sizeof whole);
            real = (Float64)whole;
        }
        }
    }
    return (CFNumberRef)(CFTypeRef)AudioSessionValueCreateNumber(real);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Arrays and dictionaries
 */

static inline CFIndex CFArrayGetCount(CFArrayRef array) {
    return AudioSessionValueGetCount((AudioSessionValueRef)(CFTypeRef)array);
}

/* An element, borrowed. NULL if there are not so many. */
static inline const void *CFArrayGetValueAtIndex(CFArrayRef array, CFIndex index) {
    return index < 0 || index >= CFArrayGetCount(array)
               ? NULL
               : AudioSessionValueGetElement((AudioSessionValueRef)(CFTypeRef)array, (UInt32)index);
}

static inline CFIndex CFDictionaryGetCount(CFDictionaryRef dictionary) {
    return AudioSessionValueGetCount((AudioSessionValueRef)(CFTypeRef)dictionary);
}

/* The value for a key, which is a CFStringRef; borrowed. NULL if there is none. */
static inline const void *CFDictionaryGetValue(CFDictionaryRef dictionary, const void *key) {
    return AudioSessionValueGetMember((AudioSessionValueRef)(CFTypeRef)dictionary,
                                      AudioSessionValueGetString((AudioSessionValueRef)key));
}

static inline Boolean CFDictionaryContainsKey(CFDictionaryRef dictionary, const void *key) {
    return CFDictionaryGetValue(dictionary, key) != NULL;
}

/* Whether there is a value for a key; it is written, borrowed, unless value is NULL. */
static inline Boolean CFDictionaryGetValueIfPresent(CFDictionaryRef dictionary, const void *key, const void **value) {
    const void *found = CFDictionaryGetValue(dictionary, key);
    if (found != NULL && value != NULL) *value = found;
    return found != NULL;
}

#ifdef __cplusplus
}
#endif

#endif
