/* Callbacks: they wait in a queue, and run one after another. */
#ifndef AUDIO_SESSION_DELIVERY_H
#define AUDIO_SESSION_DELIVERY_H

#include "state.h"

/* MARK: The queue (queue.c) */

/* The beginning of an interruption, with kAudioSessionInterruptionReason_… and the name of who has begun it. */
void as_post_beginning(struct as_session *session, UInt32 reason, const char *by);
void as_post_end(struct as_session *session, AudioSessionInterruptionType type);
/* Keeps the value itself. */
void as_post(struct as_session *session, AudioSessionPropertyID id, union as_datum datum);
/* The oldest event, which belongs to the caller. */
struct as_event *as_event_take(struct as_session *session);
void as_event_free(struct as_event *event);
void as_events_drop(struct as_session *session);

/* MARK: Calling (delivery.c) */

void *as_delivery_run(void *session);
/* Whether this thread is inside a callback, and at the end of which interruption; 0 for none. */
bool as_is_inside(void);
AudioSessionInterruptionType as_ending(void);
/* Waits until no callback of the session runs on another thread. */
void as_delivery_settle(struct as_session *session);
/* For the child of a fork. */
void as_delivery_reset(void);

#endif
