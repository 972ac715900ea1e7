/* What the service says, and what the application wants of it. */
#ifndef AUDIO_SESSION_SERVICE_H
#define AUDIO_SESSION_SERVICE_H

#include "state.h"

/* MARK: What the service says (figures.c) */

/* Reads a property's value; objects belong to the caller. */
OSStatus as_figures_get(struct as_session *session, const struct as_property *property, union as_datum *datum);
/* Takes over all that a dictionary of properties has. */
void as_figures_update(struct as_session *session, AudioSessionValueRef changes, bool of_manager);
void as_figure_set(struct as_session *session, enum as_figure figure, AudioSessionValueRef value);
/* Tells listeners what is different now. */
void as_figures_tell(struct as_session *session);
void as_figures_drop(struct as_session *session);
/* The route as applications see it. */
AudioSessionValueRef as_route_description(AudioSessionValueRef route);
/* The id of the USB port with a number; NULL if there is none. */
const char *as_port_id(struct as_session *session, bool is_input, Float64 number);

/* MARK: What the application wants (wishes.c) */

/* What the application wants after the request. Without the service, more has to be checked here. */
OSStatus as_wish(struct as_session *session, struct as_wanted *wanted, struct as_request *request);
/* Takes over all that a dictionary of properties has; of a session's also what another library of the process has set (R6). */
void as_update(struct as_session *session, AudioSessionValueRef changes, bool of_manager);
/* Whether a property is an option of the category. */
bool as_is_option(AudioSessionPropertyID id);
/* Whether a new session of the service has to be told of a property. */
bool as_is_wished(const struct as_wanted *wanted, AudioSessionPropertyID id);

#endif
