/* The headers for sources of the phone (Sources/CAudioSession/compat): what they read of values, and make. */
#include "testing.h"

#include <AudioToolbox/AudioToolbox.h>

#include <pthread.h>

/* Texts of sources are one value each, which nobody has to keep and nobody can free. */
static void *constant_of(void *text) { return (void *)AudioSessionValueConstantString(text); }

void test_compat_constants(void) {
    EXPECT(CFSTR("one") == CFSTR("one") && CFSTR("one") != CFSTR("two"), 1);
    EXPECT(AudioSessionValueConstantString(NULL) == NULL, 1);
    EXPECT(kAudioSession_AudioRouteKey_Inputs == CFSTR("Inputs"), 1);
    EXPECT(kAudioSessionOutputRoute_USBAudio == kAudioSessionInputRoute_USBAudio, 1);
    EXPECT(CFEqual(CFSTR(kAudioSession_AudioRouteChangeKey_Reason), kAudioSession_RouteChangeKey_Reason), 1);
    for (int count = 0; count < 1000; count++) CFRelease(CFSTR("one"));
    EXPECT_TEXT(CFStringGetCStringPtr(CFSTR("one"), kCFStringEncodingUTF8), "one");
    /* Many threads that make the same ones. */
    for (int round = 0; round < 100; round++) {
        char text[24];
        void *values[8];
        pthread_t threads[8];
        snprintf(text, sizeof text, "round %d", round);
        for (int index = 0; index < 8; index++) EXPECT(pthread_create(threads + index, NULL, constant_of, text), 0);
        for (int index = 0; index < 8; index++) EXPECT(pthread_join(threads[index], values + index), 0);
        for (int index = 0; index < 8; index++) EXPECT(values[index] == values[0], 1);
        EXPECT_TEXT(AudioSessionValueGetString(values[0]), text);
    }
}

static void expect_fits(Float64 real, CFNumberType type, SInt64 expected, bool fits) {
    CFNumberRef number = CFNumberCreate(kCFAllocatorDefault, kCFNumberFloat64Type, &real);
    union { SInt8 one; SInt16 two; SInt32 four; SInt64 eight; } found = { .eight = 0 };
    EXPECT(CFNumberGetValue(number, type, &found), fits);
    EXPECT(type == kCFNumberSInt8Type ? found.one : type == kCFNumberSInt16Type ? found.two
           : type == kCFNumberSInt32Type ? found.four : found.eight, expected);
    CFRelease(number);
}

static bool is_on(const char *name) {
    CFStringRef route = NULL;
    UInt32 size = sizeof route;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_AudioRoute, &size, &route), 0);
    bool is_so = CFStringCompare(route, (CFStringRef)(CFTypeRef)AudioSessionValueConstantString(name), 0) == 0;
    CFRelease(route);
    return is_so;
}

void test_compat_values(void) {
    expect_fits(-128, kCFNumberSInt8Type, -128, true);
    expect_fits(-129, kCFNumberSInt8Type, -128, false);
    expect_fits(32767, kCFNumberSInt16Type, 32767, true);
    expect_fits(32768, kCFNumberSInt16Type, 32767, false);
    expect_fits(2.5, kCFNumberSInt32Type, 2, false);
    expect_fits(-3000000000.0, kCFNumberSInt32Type, INT32_MIN, false);
    expect_fits(1e300, kCFNumberSInt64Type, INT64_MAX, false);
    expect_fits(-9223372036854775808.0, kCFNumberSInt64Type, INT64_MIN, true);
    expect_fits(9223372036854775808.0, kCFNumberSInt64Type, INT64_MAX, false);
    expect_fits(__builtin_nan(""), kCFNumberSInt32Type, INT32_MIN, false);

    SInt32 whole = -7;
    Float32 half = 0.5f;
    Float64 real = 0;
    CFNumberRef seven = CFNumberCreate(NULL, kCFNumberIntType, &whole), a_half = CFNumberCreate(NULL, kCFNumberFloatType, &half);
    EXPECT(CFNumberGetValue(seven, kCFNumberDoubleType, &real) && real == -7, 1);
    EXPECT(CFNumberGetValue(a_half, kCFNumberFloat64Type, &real) && real == 0.5, 1);
    EXPECT(CFNumberIsFloatType(seven), 0);
    EXPECT(CFNumberIsFloatType(a_half), 1);
    EXPECT(CFNumberGetValue((CFNumberRef)(CFTypeRef)CFSTR("7"), kCFNumberIntType, &whole), 0);
    EXPECT(CFNumberGetValue(seven, 99, &whole), 0);
    EXPECT(CFNumberCreate(NULL, 99, &whole) == NULL, 1);
    EXPECT(CFGetTypeID(seven), CFNumberGetTypeID());
    EXPECT(CFGetTypeID(CFSTR("")), CFStringGetTypeID());
    EXPECT(CFGetTypeID(NULL), 0);
    EXPECT(CFEqual(seven, a_half) || CFEqual(seven, CFSTR("-7")) || CFEqual(seven, NULL), 0);
    EXPECT(CFRetain(seven) == seven, 1);
    CFRelease(seven);
    CFRelease(seven);
    CFRelease(a_half);
    CFRelease(NULL);

    char room[4];
    CFStringRef word = CFStringCreateWithCString(NULL, "h\303\266r\360\237\224\212", kCFStringEncodingUTF8);
    EXPECT(CFStringGetLength(word), 5);
    EXPECT(CFStringGetCString(word, room, sizeof room, kCFStringEncodingUTF8), 0);
    EXPECT(CFStringGetCStringPtr(word, kCFStringEncodingASCII) == NULL, 1);
    EXPECT(CFStringCreateWithCString(NULL, "\377", kCFStringEncodingASCII) == NULL, 1);
    EXPECT(CFStringGetCString(CFSTR("abc"), room, sizeof room, kCFStringEncodingASCII), 1);
    EXPECT_TEXT(room, "abc");
    EXPECT(CFStringCompare(CFSTR("Speaker"), CFSTR("speaker"), 0), kCFCompareLessThan);
    EXPECT(CFStringCompare(CFSTR("Speaker"), CFSTR("speaker"), kCFCompareCaseInsensitive), kCFCompareEqualTo);
    EXPECT(CFStringCompare(CFSTR("Speakers"), CFSTR("Speaker"), 0), kCFCompareGreaterThan);
    EXPECT(CFStringCompare(NULL, CFSTR(""), 0), kCFCompareLessThan);
    CFRelease(word);

    /* Those of the session: what the reference says of the route and of accessories. */
    initialize();
    EXPECT(AudioSessionSetActive(true), 0);
    play("route 1 BuiltInSpeaker Headphones");
    SOON(is_on("Headphone"));
    CFDictionaryRef route = NULL, again = NULL;
    UInt32 size = sizeof route;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_AudioRouteDescription, &size, &route), 0);
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_AudioRouteDescription, &size, &again), 0);
    EXPECT(CFGetTypeID(route), CFDictionaryGetTypeID());
    EXPECT(CFDictionaryGetCount(route), 2);
    EXPECT(CFEqual(route, again), 1);
    EXPECT(CFDictionaryContainsKey(route, CFSTR("Outputs")), 1);
    EXPECT(CFDictionaryContainsKey(route, CFSTR("Elsewhere")), 0);
    const void *outputs = NULL;
    EXPECT(CFDictionaryGetValueIfPresent(route, kAudioSession_AudioRouteKey_Outputs, &outputs), 1);
    EXPECT(CFGetTypeID(outputs), CFArrayGetTypeID());
    EXPECT(CFArrayGetCount(outputs), 1);
    EXPECT(CFArrayGetValueAtIndex(outputs, -1) == NULL && CFArrayGetValueAtIndex(outputs, 1) == NULL, 1);
    CFStringRef type = CFDictionaryGetValue(CFArrayGetValueAtIndex(outputs, 0), kAudioSession_AudioRouteKey_Type);
    EXPECT(CFEqual(type, kAudioSessionOutputRoute_Headphones), 1);
    EXPECT(CFEqual(route, outputs), 0);
    CFRelease(route);
    CFRelease(again);

    CFArrayRef sources = NULL;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_InputSources, &size, &sources), 0);
    CFNumberRef chosen = CFDictionaryGetValue(CFArrayGetValueAtIndex(sources, 0), kAudioSession_InputSourceKey_ID);
    EXPECT(AudioSessionSetProperty(kAudioSessionProperty_InputSource, sizeof chosen, &chosen), 0);
    CFNumberRef found = NULL;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_InputSource, &size, &found), 0);
    EXPECT(CFEqual(found, chosen), 1);
    CFRelease(found);
    CFRelease(sources);
}
