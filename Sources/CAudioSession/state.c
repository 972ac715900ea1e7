/* The lock, the clock, and requests that are handed to the thread on the bus. */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

pthread_mutex_t as_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t as_changed;
struct as_session *as_current;
uint64_t as_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void as_wake(int fd) {
    uint64_t one = 1;
    if (fd >= 0) (void)!write(fd, &one, sizeof one);
}

void as_make_condition(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&as_changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool as_wait_until(uint64_t time) {
    struct timespec limit = { .tv_sec = (time_t)(time / 1000), .tv_nsec = (long)(time % 1000) * 1000000 };
    return pthread_cond_timedwait(&as_changed, &as_lock, &limit) != ETIMEDOUT;
}

/* MARK: Reasons */

static _Thread_local struct {
    OSStatus status;
    char reason[AS_TEXT + 1];
} last;

OSStatus as_because(OSStatus status, const char *reason) {
    last.status = status;
    snprintf(last.reason, sizeof last.reason, "%s", reason == NULL ? "" : reason);
    return status;
}

const char *AudioSessionErrorText(OSStatus inStatus) {
    static _Thread_local char text[AS_TEXT + 256];
    static const struct {
        OSStatus status;
        const char *name, *meaning;
    } all[] = {
        { kAudioSessionNotInitialized, "kAudioSessionNotInitialized", "AudioSessionInitialize() has to be called first" },
        { kAudioSessionAlreadyInitialized, "kAudioSessionAlreadyInitialized", "the session is initialized already" },
        { kAudioSessionInitializationTimeOutError, "kAudioSessionInitializationTimeOutError",
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

/* MARK: Requests */

static void give_back(struct as_request *request) {
    if (--request->references == 0) free(request);
}

void as_finish(struct as_request *request, OSStatus result) {
    request->is_done = true;
    request->result = result;
    pthread_cond_broadcast(&as_changed);
    give_back(request);
}

OSStatus as_ask(struct as_session *session, const struct as_request *question) {
    struct as_request *request = malloc(sizeof *request), **link = &session->requests;
    if (request == NULL) return kAudioSessionUnspecifiedError;
    *request = *question;
    request->references = 2;
    while (*link != NULL) link = &(*link)->next;
    *link = request;
    as_wake(session->wake_fd);
    uint64_t limit = as_now() + AUDIO_SESSION_CALL_LIMIT_MS;
    while (!request->is_done && as_wait_until(limit)) {}
    request->is_abandoned = true;
    OSStatus result = request->is_done ? as_because(request->result, request->reason)
                                       : as_because(kAudioSessionUnspecifiedError, "the service did not answer in time");
    give_back(request);
    return result;
}
