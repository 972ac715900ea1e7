/* The session of this process: initialized, asked, closed, and forgotten by the child of a fork. */
#include "internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

pthread_mutex_t as_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t as_changed;
struct as_session *as_current;
/* A session on its way to be the current one. */
static struct as_session *starting;
static pthread_once_t once = PTHREAD_ONCE_INIT;

uint64_t as_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void as_wake(int fd) {
    uint64_t one = 1;
    if (fd >= 0) (void)!write(fd, &one, sizeof one);
}

/* MARK: Forks */

static void make_condition(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&as_changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void before_fork(void) { pthread_mutex_lock(&as_lock); }
static void after_fork(void) { pthread_mutex_unlock(&as_lock); }

/* The child has none of the threads. It leaves all memory as it is, and closes its copies of the descriptors, so that the
 * parent's connection ends with the parent. */
static void forget(struct as_session *session) {
    if (session == NULL) return;
    const int descriptors[] = { session->wake_fd, session->poll_fd, session->bus_fd };
    for (size_t index = 0; index < sizeof descriptors / sizeof *descriptors; index++) {
        if (descriptors[index] >= 0) close(descriptors[index]);
    }
    session->is_closing = true;
    session->poll_fd = session->bus_fd = session->wake_fd = -1;
}

static void in_child(void) {
    forget(as_current);
    forget(starting);
    as_current = starting = NULL;
    as_delivery_reset();
    /* It has no waiters here. */
    make_condition();
    pthread_mutex_unlock(&as_lock);
}

static void prepare(void) {
    make_condition();
    pthread_atfork(before_fork, after_fork, in_child);
}

/* MARK: The session */

void as_retain(struct as_session *session) { session->references++; }

void as_release(struct as_session *session) {
    if (--session->references > 0) return;
    as_events_drop(session);
    as_figures_drop(session);
    while (session->listeners != NULL) {
        struct as_listener *listener = session->listeners;
        session->listeners = listener->next;
        free(listener);
    }
    if (session->wake_fd >= 0) close(session->wake_fd);
    if (session->poll_fd >= 0) close(session->poll_fd);
    free(session->address);
    free(session);
}

/* The address of the session bus, as sd-bus finds it. It is read here, on the application's thread, as others of its
 * threads may change the environment later. */
static char *bus_address(void) {
    char *address = NULL, *runtime = NULL;
    const char *given = secure_getenv("DBUS_SESSION_BUS_ADDRESS"), *folder = secure_getenv("XDG_RUNTIME_DIR");
    if (given != NULL && *given != 0) return strdup(given);
    if (folder == NULL && asprintf(&runtime, "/run/user/%u", (unsigned)getuid()) < 0) return NULL;
    if (folder == NULL) folder = runtime;
    size_t length = 0;
    FILE *file = open_memstream(&address, &length);
    if (file != NULL) {
        fputs("unix:path=", file);
        for (; *folder != 0; folder++) {
            bool is_plain = strchr("-_/.\\*", *folder) != NULL || (*folder >= '0' && *folder <= '9') ||
                            ((*folder | 32) >= 'a' && (*folder | 32) <= 'z');
            fprintf(file, is_plain ? "%c" : "%%%02x", (unsigned char)*folder);
        }
        fputs("/bus", file);
        if (fclose(file) != 0) {
            free(address);
            address = NULL;
        }
    }
    free(runtime);
    return address;
}

static struct as_session *create(AudioSessionInterruptionListener listener, void *data) {
    struct as_session *session = calloc(1, sizeof *session);
    if (session == NULL) return NULL;
    session->references = 1;
    session->bus_fd = -1;
    session->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    session->poll_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    session->address = bus_address();
    session->interruption = listener;
    session->interruption_data = data;
    session->wanted.category = kAudioSessionCategory_SoloAmbientSound;
    session->wanted.mode = kAudioSessionMode_Default;
    if (session->wake_fd >= 0 && session->poll_fd >= 0 && session->address != NULL) return session;
    as_release(session);
    return NULL;
}

/* Starts a thread that no signal of the application disturbs. */
static bool start_thread(struct as_session *session, pthread_t *thread, void *(*run)(void *)) {
    sigset_t all, former;
    sigfillset(&all);
    as_retain(session);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    bool is_started = pthread_create(thread, NULL, run, session) == 0;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    if (!is_started) as_release(session);
    return is_started;
}

/* Waits for a change; false when that time has come. */
static bool wait_until(uint64_t time) {
    struct timespec limit = { .tv_sec = (time_t)(time / 1000), .tv_nsec = (long)(time % 1000) * 1000000 };
    return pthread_cond_timedwait(&as_changed, &as_lock, &limit) != ETIMEDOUT;
}

/* Ends the threads. Takes the lock, which is held, away meanwhile. */
static void stop(struct as_session *session, bool is_delivering) {
    session->is_closing = true;
    as_wake(session->wake_fd);
    pthread_cond_broadcast(&as_changed);
    as_delivery_settle(session);
    pthread_t delivery = session->delivery_thread, bus = session->bus_thread;
    bool is_inside = as_is_inside();
    pthread_mutex_unlock(&as_lock);
    pthread_join(bus, NULL);
    /* Inside a callback, that thread may be this one, or wait for it. */
    if (is_delivering && is_inside) pthread_detach(delivery);
    if (is_delivering && !is_inside) pthread_join(delivery, NULL);
    pthread_mutex_lock(&as_lock);
    if (session->poll_fd >= 0) close(session->poll_fd);
    session->poll_fd = -1;
}

OSStatus AudioSessionInitialize(AudioSessionRunLoopRef inRunLoop, AudioSessionStringRef inRunLoopMode,
                                AudioSessionInterruptionListener inInterruptionListener, void *inClientData) {
    (void)inRunLoop;
    (void)inRunLoopMode;
    pthread_once(&once, prepare);
    pthread_mutex_lock(&as_lock);
    if (as_current != NULL || starting != NULL) {
        pthread_mutex_unlock(&as_lock);
        return kAudioSessionAlreadyInitialized;
    }
    OSStatus result = kAudioSessionUnspecifiedError;
    struct as_session *session = starting = create(inInterruptionListener, inClientData);
    if (session != NULL && start_thread(session, &session->bus_thread, as_bus_run)) {
        uint64_t limit = as_now() + AUDIO_SESSION_CALL_LIMIT_MS;
        while (!session->is_started && wait_until(limit)) {}
        result = session->is_started ? session->start_result : kAudioSessionInitializationTimeOutError;
        bool is_delivering = result == kAudioSessionNoError &&
                             start_thread(session, &session->delivery_thread, as_delivery_run);
        if (result == kAudioSessionNoError && !is_delivering) result = kAudioSessionUnspecifiedError;
        if (result != kAudioSessionNoError) stop(session, is_delivering);
    }
    starting = NULL;
    if (result == kAudioSessionNoError) {
        as_current = session;
    } else if (session != NULL) {
        as_release(session);
    }
    pthread_mutex_unlock(&as_lock);
    return result;
}

OSStatus AudioSessionUninitialize(void) {
    pthread_mutex_lock(&as_lock);
    struct as_session *session = as_current;
    as_current = NULL;
    if (session != NULL) {
        stop(session, true);
        as_release(session);
    }
    pthread_mutex_unlock(&as_lock);
    return session == NULL ? kAudioSessionNotInitialized : kAudioSessionNoError;
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
    while (!request->is_done && wait_until(limit)) {}
    request->is_abandoned = true;
    OSStatus result = request->is_done ? request->result : kAudioSessionUnspecifiedError;
    give_back(request);
    return result;
}

OSStatus AudioSessionSetActive(Boolean active) { return AudioSessionSetActiveWithFlags(active, 0); }

OSStatus AudioSessionSetActiveWithFlags(Boolean active, UInt32 inFlags) {
    /* R11 */
    UInt32 known = active ? 0 : kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation;
    struct as_request request = { .datum = { .number = active ? 1 : inFlags != 0 ? 2 : 0 } };
    pthread_mutex_lock(&as_lock);
    OSStatus result = as_current == NULL         ? kAudioSessionNotInitialized
                      : (inFlags & ~known) != 0 ? kAudioSessionUnsupportedPropertyError
                                                 : as_ask(as_current, &request);
    pthread_mutex_unlock(&as_lock);
    return result;
}
