/* Results in words, with why a thread's last function has failed. */
#include "values.h"

#include <stdio.h>

static _Thread_local struct {
    OSStatus status;
    char reason[AS_REASON + 1];
} last;

OSStatus as_because(OSStatus status, const char *reason) {
    last.status = status;
    snprintf(last.reason, sizeof last.reason, "%s", reason == NULL ? "" : reason);
    return status;
}

const char *AudioSessionErrorText(OSStatus inStatus) {
    static _Thread_local char text[AS_REASON + 256];
    static const struct {
        OSStatus status;
        const char *name, *meaning;
    } all[] = {
        { kAudioSessionNotInitialized, "kAudioSessionNotInitialized", "AudioSessionInitialize() has to succeed first" },
        { kAudioSessionAlreadyInitialized, "kAudioSessionAlreadyInitialized", "the session is initialized already" },
        { kAudioSessionInitializationError, "kAudioSessionInitializationError",
          "there is no service of audio sessions, or it did not answer" },
        { kAudioSessionUnsupportedPropertyError, "kAudioSessionUnsupportedPropertyError",
          "the property cannot be used in this way, or not with this value" },
        { kAudioSessionBadPropertySizeError, "kAudioSessionBadPropertySizeError", "the size of the value is wrong" },
        { kAudioSessionNotActiveError, "kAudioSessionNotActiveError", "the session cannot be active" },
        { kAudioServicesNoHardwareError, "kAudioServicesNoHardwareError", "there is no such input or output" },
        { kAudioSessionNoCategorySet, "kAudioSessionNoCategorySet", "no category was set" },
        { kAudioSessionIncompatibleCategory, "kAudioSessionIncompatibleCategory", "it does not fit the category" },
        { kAudioSessionUnspecifiedError, "kAudioSessionUnspecifiedError", "it failed" },
    };
    if (inStatus == kAudioSessionNoError) return "kAudioSessionNoError: done";
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) {
        if (all[index].status != inStatus) continue;
        bool has_reason = last.status == inStatus && *last.reason != 0;
        snprintf(text, sizeof text, "'%c%c%c%c' %s: %s%s%s", (char)(inStatus >> 24), (char)(inStatus >> 16),
                 (char)(inStatus >> 8), (char)inStatus, all[index].name, all[index].meaning, has_reason ? ": " : "",
                 has_reason ? last.reason : "");
        return text;
    }
    snprintf(text, sizeof text, "%d is no result of this library", (int)inStatus);
    return text;
}
