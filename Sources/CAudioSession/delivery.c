/* Callbacks run one after another, on a thread of the library or in AudioSessionDispatch(). */
#include "delivery.h"

#include <unistd.h>

/* The session whose callback runs at this moment. */
static struct as_session *delivering;
static _Thread_local bool is_inside;
static _Thread_local AudioSessionInterruptionType ending;

bool as_is_inside(void) { return is_inside; }
AudioSessionInterruptionType as_ending(void) { return ending; }
void as_delivery_reset(void) {
    delivering = NULL;
    /* A child that was made inside a callback runs no callback itself. */
    is_inside = false;
    ending = 0;
}

void as_delivery_settle(struct as_session *session) {
    while (delivering == session && !is_inside) pthread_cond_wait(&as_changed, &as_lock);
}

/* MARK: Calling */

/* The next listener of an event after the listener with a serial; a listener may have removed any other. */
static struct as_listener *next_listener(struct as_session *session, const struct as_event *event, uint64_t after) {
    struct as_listener *next = NULL;
    for (struct as_listener *listener = session->listeners; listener != NULL; listener = listener->next) {
        if (listener->id != event->id || listener->serial <= after || listener->serial > event->serial) continue;
        if (next == NULL || listener->serial < next->serial) next = listener;
    }
    return next;
}

/* Calls back for the oldest event. Releases the held lock meanwhile. */
static void deliver(struct as_session *session) {
    struct as_event *event = as_event_take(session);
    uint64_t none;
    if (session->events == NULL && session->is_polled) (void)!read(session->poll_fd, &none, sizeof none);
    delivering = session;
    is_inside = true;
    if (event->id == 0) {
        AudioSessionInterruptionListener function = session->interruption;
        void *data = session->interruption_data;
        ending = event->state == kAudioSessionEndInterruption ? event->type : 0;
        if (event->state == kAudioSessionBeginInterruption) {
            AudioSessionValueRelease(session->told_by);
            session->told_by = AudioSessionValueRetain(event->datum.value);
            session->told_reason = event->reason;
        }
        pthread_mutex_unlock(&as_lock);
        function(data, event->state);
        pthread_mutex_lock(&as_lock);
        ending = 0;
    } else {
        const struct as_property *property = as_property_known(event->id);
        const void *value = property->kind == VALUE ? (const void *)event->datum.value : &event->datum;
        struct as_listener *listener = next_listener(session, event, 0);
        while (listener != NULL && !session->is_closing) {
            uint64_t serial = listener->serial;
            AudioSessionPropertyListener function = listener->function;
            void *data = listener->data;
            pthread_mutex_unlock(&as_lock);
            function(data, event->id, as_kind_size(property->kind), value);
            pthread_mutex_lock(&as_lock);
            listener = next_listener(session, event, serial);
        }
    }
    is_inside = false;
    delivering = NULL;
    as_event_free(event);
    pthread_cond_broadcast(&as_changed);
}

void *as_delivery_run(void *data) {
    struct as_session *session = data;
    pthread_mutex_lock(&as_lock);
    while (!session->is_closing && !session->is_polled) {
        if (session->events != NULL && delivering == NULL) {
            deliver(session);
        } else {
            pthread_cond_wait(&as_changed, &as_lock);
        }
    }
    as_release(session);
    pthread_mutex_unlock(&as_lock);
    return NULL;
}

int AudioSessionGetPollFD(void) {
    pthread_mutex_lock(&as_lock);
    struct as_session *session = as_current;
    int descriptor = session == NULL ? -1 : session->poll_fd;
    if (session != NULL && !session->is_polled) {
        session->is_polled = true;
        if (session->events != NULL) as_wake(session->poll_fd);
        pthread_cond_broadcast(&as_changed);
    }
    pthread_mutex_unlock(&as_lock);
    return descriptor;
}

OSStatus AudioSessionDispatch(void) {
    pthread_mutex_lock(&as_lock);
    struct as_session *session = as_current;
    if (session == NULL || !session->is_polled || is_inside) {
        pthread_mutex_unlock(&as_lock);
        return session == NULL ? kAudioSessionNotInitialized : kAudioSessionNoError;
    }
    as_retain(session);
    /* An event that comes meanwhile makes the descriptor readable again. */
    for (unsigned left = session->event_count; left > 0; left--) {
        while (delivering != NULL && !session->is_closing) pthread_cond_wait(&as_changed, &as_lock);
        if (session->is_closing || session->events == NULL) break;
        deliver(session);
    }
    as_release(session);
    pthread_mutex_unlock(&as_lock);
    return kAudioSessionNoError;
}
