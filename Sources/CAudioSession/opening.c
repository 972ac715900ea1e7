/* A session with the service: opens it, reads its properties, sets what the application wants, and handles its loss. */
#include "connection.h"
#include "delivery.h"
#include "service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is set after OpenSession and GetAll (twice), in this order: the mode first, while the session is inactive; activation (0)
 * last. */
enum { OPEN, SESSION_FIGURES, MANAGER_FIGURES, FIRST_SETTING };
static const AudioSessionPropertyID settings[] = {
    kAudioSessionProperty_Mode,
    kAudioSessionProperty_AudioCategory,
    kAudioSessionProperty_PreferredHardwareSampleRate,
    kAudioSessionProperty_PreferredHardwareIOBufferDuration,
    kAudioSessionProperty_InputGainScalar,
    kAudioSessionProperty_InputSource,
    kAudioSessionProperty_OutputDestination,
    kAudioSessionProperty_InterruptionOnRouteDisconnect,
    kAudioSessionProperty_OverrideAudioRoute,
    0,
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static int step_answered(sd_bus_message *message, void *data, sd_bus_error *error);

static void match_session(struct as_session *session, const char *member) {
    char *rule = NULL;
    if (asprintf(&rule, "type='signal',sender='" AS_SERVICE "',path='%s'", session->path) < 0) return;
    as_match(session, member, rule);
    free(rule);
}

static void forget_path(struct as_session *session) {
    if (session->path != NULL && session->bus != NULL) match_session(session, "RemoveMatch");
    free(session->path);
    session->path = NULL;
}

void as_lost(struct as_session *session) {
    union as_datum one = { .number = 1 };
    bool was_open = session->state == AS_READY || session->state == AS_OPENING;
    forget_path(session);
    if (!was_open) return;
    session->slot = sd_bus_slot_unref(session->slot);
    session->state = AS_ABSENT;
    if (session->sent != NULL) {
        /* The request is done as without the service. */
        session->sent->next = session->requests;
        session->requests = session->sent;
        session->sent = NULL;
    }
    if (session->is_told_alive) {
        session->is_told_alive = false;
        as_post(session, kAudioSessionProperty_ServerDied, one);
    }
}

void as_hung(struct as_session *session) {
    as_lost(session);
    /* In the next turn, because sd-bus is at work in this one. */
    session->deadline = as_now();
}

/* Gives this session up, and tries to open another one later. */
static void fail(struct as_session *session) {
    as_lost(session);
    as_retry_later(session);
}

static void finish(struct as_session *session) {
    union as_datum zero = { .number = 0 };
    session->state = AS_READY;
    session->retry_after = AS_RETRY;
    as_published_tell(session);
    AudioSessionValueRef interrupted = session->published[AS_INTERRUPTED];
    if (session->is_interrupted && (interrupted == NULL || AudioSessionValueGetNumber(interrupted) == 0)) {
        /* The service did not keep the session, so nobody will tell the end of its interruption. */
        session->is_interrupted = false;
        as_post_end(session, kAudioSessionInterruptionType_ShouldNotResume);
    }
    if (session->was_ready && !session->is_told_alive) as_post(session, kAudioSessionProperty_ServerDied, zero);
    session->is_told_alive = session->was_ready = true;
    if (!session->is_started) {
        session->is_started = true;
        session->start_result = kAudioSessionNoError;
        pthread_cond_broadcast(&as_changed);
    }
}

static sd_bus_message *figures_call(struct as_session *session, const char *path, const char *interface) {
    sd_bus_message *message = NULL;
    if (sd_bus_message_new_method_call(session->bus, &message, session->owner, path, AS_PROPERTIES, "GetAll") < 0) {
        return NULL;
    }
    return sd_bus_message_append(message, "s", interface) < 0 ? sd_bus_message_unref(message) : message;
}

static sd_bus_message *step_call(struct as_session *session) {
    sd_bus_message *message = NULL;
    switch (session->step) {
    case OPEN:
        if (sd_bus_message_new_method_call(session->bus, &message, session->owner, AS_MANAGER_PATH, AS_MANAGER,
                                           "OpenSession") < 0) {
            return NULL;
        }
        /* R6: other libraries of the process, such as the one for Swift, may have the same session. */
        return sd_bus_message_append(message, "a{sv}", 1, "streams", "s", "shared") < 0 ? sd_bus_message_unref(message)
                                                                                       : message;
    case SESSION_FIGURES: return figures_call(session, session->path, AS_SESSION);
    case MANAGER_FIGURES: return figures_call(session, AS_MANAGER_PATH, AS_MANAGER);
    default: return as_setting_call(session, &session->wanted, settings[session->step - FIRST_SETTING], false);
    }
}

/* Goes on with the present step, or the next one that has something to set. */
static void go_on(struct as_session *session) {
    while (session->step >= FIRST_SETTING && session->step - FIRST_SETTING < SETTINGS &&
           !as_is_wanted(&session->wanted, settings[session->step - FIRST_SETTING])) {
        session->step++;
    }
    if (session->step - FIRST_SETTING >= SETTINGS) {
        finish(session);
        return;
    }
    sd_bus_message *message = step_call(session);
    if (!as_send(session, message, step_answered)) fail(session);
    sd_bus_message_unref(message);
}

void as_open(struct as_session *session) {
    session->state = AS_OPENING;
    session->retry_at = 0;
    session->step = OPEN;
    go_on(session);
}

static bool take_path(struct as_session *session, sd_bus_message *message) {
    const char *path = NULL;
    if (sd_bus_message_has_signature(message, "o") <= 0 || sd_bus_message_read(message, "o", &path) < 0) return false;
    session->path = strdup(path);
    if (session->path == NULL) return false;
    match_session(session, "AddMatch");
    return true;
}

static bool take_figures(struct as_session *session, sd_bus_message *message, bool of_manager) {
    if (sd_bus_message_has_signature(message, "a{sv}") <= 0) return false;
    AudioSessionValueRef all = as_message_value(message);
    if (all == NULL) return false;
    as_update(session, all, of_manager);
    AudioSessionValueRelease(all);
    return true;
}

/* Handles a value that the service refuses. The value is kept, because a port may come back. */
static void refused(struct as_session *session) {
    AudioSessionPropertyID id = settings[session->step - FIRST_SETTING];
    if (id == kAudioSessionProperty_OverrideAudioRoute) {
        session->wanted.override_route = kAudioSessionOverrideAudioRoute_None;
    } else if (id == 0) {
        session->wanted.is_active = false;
        as_post_beginning(session, kAudioSessionInterruptionReason_Default, "another application");
    }
}

static int step_answered(sd_bus_message *message, void *data, sd_bus_error *error) {
    struct as_session *session = data;
    bool is_error = sd_bus_message_is_method_error(message, NULL) > 0, is_taken = true;
    bool is_late = sd_bus_message_is_method_error(message, SD_BUS_ERROR_NO_REPLY) > 0;
    (void)error;
    session->slot = sd_bus_slot_unref(session->slot);
    if (is_late) {
        as_hung(session);
        return 0;
    }
    switch (session->step) {
    case OPEN: is_taken = !is_error && take_path(session, message); break;
    case SESSION_FIGURES: is_taken = !is_error && take_figures(session, message, false); break;
    case MANAGER_FIGURES: is_taken = !is_error && take_figures(session, message, true); break;
    default:
        if (is_error) refused(session);
    }
    session->step++;
    if (is_taken) {
        go_on(session);
    } else {
        fail(session);
    }
    return 0;
}

void as_owner_changed(struct as_session *session, const char *owner) {
    as_lost(session);
    free(session->owner);
    session->owner = owner != NULL && *owner != 0 ? strdup(owner) : NULL;
    session->retry_at = 0;
    session->retry_after = AS_RETRY;
    if (session->owner != NULL) as_open(session);
}
