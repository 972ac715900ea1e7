/* The values that the service reports, and the values that the application wants. */
#ifndef AUDIO_SESSION_SERVICE_H
#define AUDIO_SESSION_SERVICE_H

#include "state.h"

/* MARK: Values of the service (published.c) */

/* Reads a property's value; objects belong to the caller. */
OSStatus as_published_get(struct as_session *session, const struct as_property *property, union as_datum *datum);
/* Takes over the properties in a dictionary. */
void as_published_update(struct as_session *session, AudioSessionValueRef changes, bool of_manager);
void as_published_set(struct as_session *session, enum as_published which, AudioSessionValueRef value);
/* Tells listeners which properties have changed. */
void as_published_tell(struct as_session *session);
void as_published_drop(struct as_session *session);
/* The route as applications see it. */
AudioSessionValueRef as_route_description(AudioSessionValueRef route);
/* The id of the USB port with a number; NULL if there is none. */
const char *as_port_id(struct as_session *session, bool is_input, Float64 number);

/* MARK: Values that the application wants (wanted.c) */

/* Applies a request to the wanted values. While the service is away, checks more. */
OSStatus as_want(struct as_session *session, struct as_wanted *wanted, struct as_request *request);
/* Takes over the properties in a dictionary; of a session's, also those that another library of the process has set (R6). */
void as_update(struct as_session *session, AudioSessionValueRef changes, bool of_manager);
/* Whether a property is an option of the category. */
bool as_is_option(AudioSessionPropertyID id);
/* Whether a property has to be set in a new session of the service. */
bool as_is_wanted(const struct as_wanted *wanted, AudioSessionPropertyID id);

#endif
