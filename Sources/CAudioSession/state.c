/* The lock, the clock, and requests that are handed to the thread on the bus. */
#include "state.h"

#include <errno.h>
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
