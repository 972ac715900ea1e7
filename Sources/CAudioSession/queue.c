/* Callbacks wait in a queue; when it is full, the oldest are dropped. */
#include "delivery.h"

#include <stdlib.h>

void as_event_free(struct as_event *event) {
    const struct as_property *property = as_property_known(event->id);
    bool has_value = event->id == 0 || (property != NULL && property->kind == VALUE);
    if (has_value) AudioSessionValueRelease(event->datum.value);
    free(event);
}

static struct as_event *take(struct as_session *session, struct as_event **link) {
    struct as_event *event = *link;
    *link = event->next;
    session->event_count--;
    return event;
}

struct as_event *as_event_take(struct as_session *session) { return take(session, &session->events); }

void as_events_drop(struct as_session *session) {
    while (session->events != NULL) as_event_free(take(session, &session->events));
}

/* Drops the oldest news of a property, or the beginning and end of an interruption. */
static void drop_oldest(struct as_session *session) {
    struct as_event **link = &session->events;
    while (*link != NULL && (*link)->id == 0) link = &(*link)->next;
    if (*link != NULL) {
        as_event_free(take(session, link));
    } else {
        for (int left = 2; left > 0 && session->events != NULL; left--) as_event_free(take(session, &session->events));
    }
}

static void append(struct as_session *session, const struct as_event *news) {
    if (session->event_count >= AS_EVENTS) drop_oldest(session);
    struct as_event *event = malloc(sizeof *event), **link = &session->events;
    if (event == NULL) return;
    *event = *news;
    event->next = NULL;
    event->serial = session->serial;
    const struct as_property *property = as_property_known(event->id);
    if (event->id == 0 || (property != NULL && property->kind == VALUE)) AudioSessionValueRetain(event->datum.value);
    while (*link != NULL) link = &(*link)->next;
    *link = event;
    session->event_count++;
    if (session->is_polled) as_wake(session->poll_fd);
    pthread_cond_broadcast(&as_changed);
}

void as_post_beginning(struct as_session *session, UInt32 reason, const char *by) {
    AudioSessionValueRef name = AudioSessionValueCreateString(by);
    struct as_event beginning = { .state = kAudioSessionBeginInterruption, .reason = reason, .datum = { .value = name } };
    if (session->interruption != NULL) append(session, &beginning);
    AudioSessionValueRelease(name);
}

void as_post_end(struct as_session *session, AudioSessionInterruptionType type) {
    struct as_event end = { .state = kAudioSessionEndInterruption, .type = type };
    if (session->interruption != NULL) append(session, &end);
}

void as_post(struct as_session *session, AudioSessionPropertyID id, union as_datum datum) {
    struct as_listener *listener = session->listeners;
    while (listener != NULL && listener->id != id) listener = listener->next;
    if (listener != NULL) append(session, &(struct as_event){ .id = id, .datum = datum });
}
