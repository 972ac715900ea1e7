/* On the bus: the connection, the session with the service, signals, and the thread. */
#ifndef AUDIO_SESSION_CONNECTION_H
#define AUDIO_SESSION_CONNECTION_H

#include "state.h"

#define AS_SERVICE "org.AudioSession1"
#define AS_MANAGER_PATH "/org/AudioSession1"
#define AS_MANAGER "org.AudioSession1.Manager"
#define AS_SESSION "org.AudioSession1.Session"
#define AS_PROPERTIES "org.freedesktop.DBus.Properties"
#define AS_BUS "org.freedesktop.DBus"

/* MARK: The connection (connection.c) */

void as_drop_connection(struct as_session *session);
/* Tries again later to reach the bus or the service. */
void as_retry_later(struct as_session *session);
/* Fails the first opening at once, without another try. */
void as_fail_start(struct as_session *session);
void as_match(struct as_session *session, const char *member, const char *rule);
/* Sends a call, whose answer goes to the handler. False if it could not be sent. */
bool as_send(struct as_session *session, sd_bus_message *message, sd_bus_message_handler_t handler);
/* A call of the session's own; NULL without one, or without memory. */
sd_bus_message *as_call_new(struct as_session *session, const char *member);
/* Tells the service that the session does not mix any more, if the service has to know. Nothing depends on the answer. */
void as_unmix(struct as_session *session);
/* The call that sets a property, or with 0 the activation, to its wanted value; NULL without memory. */
sd_bus_message *as_setting_call(struct as_session *session, const struct as_wanted *wanted, AudioSessionPropertyID id,
                             bool notify_others);

/* MARK: The session with the service (opening.c) */

/* Opens a session with the service, and sets all that the application wants. */
void as_open(struct as_session *session);
/* The service is gone, or its session is. */
void as_lost(struct as_session *session);
/* The service did not answer: closes the connection, because nobody waits for a late answer. */
void as_hung(struct as_session *session);
void as_owner_changed(struct as_session *session, const char *owner);

/* MARK: Signals (signals.c) */

int as_signal(sd_bus_message *message, void *session, sd_bus_error *error);

/* MARK: The thread (bus.c) */

void *as_bus_run(void *session);

#endif
