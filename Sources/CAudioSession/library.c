/* The session of this process: initializes it, asks it and closes it; the child of a fork forgets it. */
#include "connection.h"
#include "delivery.h"

#include <signal.h>
#include <unistd.h>

/* A session that is being initialized. */
static struct as_session *starting;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* MARK: Forks */

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
    /* The child has no threads that wait. */
    as_make_condition();
    pthread_mutex_unlock(&as_lock);
}

static void prepare(void) {
    as_make_condition();
    pthread_atfork(before_fork, after_fork, in_child);
}

/* MARK: The session */

/* Starts a thread that no signal of the application disturbs. */
static bool start_thread(struct as_session *session, pthread_t *thread, void *(*run)(void *), const char *name) {
    sigset_t all, former;
    sigfillset(&all);
    as_retain(session);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    bool is_started = pthread_create(thread, NULL, run, session) == 0;
    if (is_started) pthread_setname_np(*thread, name);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    if (!is_started) as_release(session);
    return is_started;
}

/* Ends the threads. Releases the held lock meanwhile. */
static void stop(struct as_session *session, bool is_delivering) {
    session->is_closing = true;
    as_wake(session->wake_fd);
    pthread_cond_broadcast(&as_changed);
    as_delivery_settle(session);
    pthread_t delivery = session->delivery_thread, bus = session->bus_thread;
    bool is_inside = as_is_inside();
    pthread_mutex_unlock(&as_lock);
    pthread_join(bus, NULL);
    /* Inside a callback, the delivery thread may be this thread, or wait for it. */
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
    struct as_session *session = starting = as_create(inInterruptionListener, inClientData);
    if (session != NULL && start_thread(session, &session->bus_thread, as_bus_run, "audiosess-bus")) {
        uint64_t limit = as_now() + AUDIO_SESSION_CALL_LIMIT_MS;
        while (!session->is_started && as_wait_until(limit)) {}
        result = session->is_started ? session->start_result : kAudioSessionInitializationError;
        bool is_delivering = result == kAudioSessionNoError &&
                             start_thread(session, &session->delivery_thread, as_delivery_run,
                                          "audiosess-calls");
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

/* MARK: Activation */

OSStatus AudioSessionSetActive(Boolean active) { return AudioSessionSetActiveWithFlags(active, 0); }

OSStatus AudioSessionSetActiveWithFlags(Boolean active, UInt32 inFlags) {
    /* R11 */
    UInt32 known = active ? 0 : kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation;
    struct as_request request = { .datum = { .number = active ? 1 : inFlags != 0 ? 2 : 0 } };
    pthread_mutex_lock(&as_lock);
    OSStatus result;
    if (as_current == NULL) {
        result = as_because(kAudioSessionNotInitialized, NULL);
    } else if ((inFlags & ~known) != 0) {
        result = as_because(kAudioSessionUnsupportedPropertyError,
                            active ? "an activation has no flags" : "there is no such flag of a deactivation");
    } else {
        result = as_ask(as_current, &request);
    }
    pthread_mutex_unlock(&as_lock);
    return result;
}
