/* The thread on the bus: connects, sends what the application asks, and starts again when the bus or the service returns. */
#include "connection.h"
#include "service.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number of messages that are handled before other threads have their turn. */
enum { TURN = 64 };

/* MARK: Connection */

static void disconnected(struct as_session *session) {
    as_lost(session);
    as_drop_connection(session);
    as_retry_later(session);
}

static int owner_answered(sd_bus_message *message, void *data, sd_bus_error *error) {
    struct as_session *session = data;
    const char *owner = NULL;
    (void)error;
    session->slot = sd_bus_slot_unref(session->slot);
    session->deadline = 0;
    session->state = AS_ABSENT;
    session->retry_after = AS_RETRY;
    if (sd_bus_message_has_signature(message, "s") > 0 && !sd_bus_message_is_method_error(message, NULL)) {
        sd_bus_message_read(message, "s", &owner);
    }
    if (owner == NULL) as_fail_start(session);
    /* A signal may have told the owner already. */
    if (owner != NULL && session->owner == NULL) as_owner_changed(session, owner);
    return 0;
}

static void connect_bus(struct as_session *session) {
    sd_bus_message *message = NULL;
    session->retry_at = 0;
    if (sd_bus_new(&session->bus) < 0 || sd_bus_set_address(session->bus, session->address) < 0 ||
        sd_bus_set_bus_client(session->bus, 1) < 0 || sd_bus_negotiate_fds(session->bus, 0) < 0 ||
        sd_bus_add_filter(session->bus, NULL, as_signal, session) < 0 ||
        sd_bus_start(session->bus) < 0) {
        as_drop_connection(session);
        as_retry_later(session);
        return;
    }
    session->bus_fd = sd_bus_get_fd(session->bus);
    session->state = AS_CONNECTING;
    session->deadline = as_now() + AUDIO_SESSION_CALL_LIMIT_MS;
    as_match(session, "AddMatch",
             "type='signal',sender='" AS_BUS "',member='NameOwnerChanged',arg0='" AS_SERVICE "'");
    as_match(session, "AddMatch",
             "type='signal',sender='" AS_SERVICE "',path='" AS_MANAGER_PATH "',interface='" AS_PROPERTIES "'");
    as_match(session, "AddMatch",
             "type='signal',sender='" AS_SERVICE "',path='" AS_MANAGER_PATH "',member='ServicesReset'");
    if (sd_bus_message_new_method_call(session->bus, &message, AS_BUS, "/org/freedesktop/DBus", AS_BUS,
                                       "GetNameOwner") < 0 ||
        sd_bus_message_append(message, "s", AS_SERVICE) < 0 || !as_send(session, message, owner_answered)) {
        disconnected(session);
    }
    sd_bus_message_unref(message);
}

/* MARK: Requests */

static int request_answered(sd_bus_message *message, void *data, sd_bus_error *error) {
    struct as_session *session = data;
    struct as_request *request = session->sent;
    (void)error;
    session->slot = sd_bus_slot_unref(session->slot);
    session->sent = NULL;
    if (request == NULL) return 0;
    const sd_bus_error *failure = sd_bus_message_get_error(message);
    if (failure != NULL && sd_bus_is_open(session->bus) <= 0) {
        /* The connection has ended, as sd-bus reports next. The request is done then as without the service. */
        request->next = session->requests;
        session->requests = request;
        return 0;
    }
    OSStatus status = failure == NULL ? kAudioSessionNoError : as_error_status(failure);
    if (failure != NULL && failure->message != NULL) {
        snprintf(request->reason, sizeof request->reason, "%s", failure->message);
    }
    /* Once more, because a signal may have changed the wanted values meanwhile. */
    if (status == kAudioSessionNoError) status = as_want(session, &session->wanted, request);
    as_unmix(session);
    /* An activation needs no end of the interruption. */
    if (status == kAudioSessionNoError && request->id == 0 && request->datum.number == 1) session->is_interrupted = false;
    as_finish(request, status);
    if (failure != NULL && sd_bus_error_has_name(failure, SD_BUS_ERROR_NO_REPLY)) {
        as_hung(session);
    } else if (failure != NULL && (sd_bus_error_has_name(failure, SD_BUS_ERROR_UNKNOWN_OBJECT) ||
                                   sd_bus_error_has_name(failure, SD_BUS_ERROR_ACCESS_DENIED))) {
        /* The service no longer knows the session. */
        as_lost(session);
        as_retry_later(session);
    }
    return 0;
}

/* Carries a request out, up to the answer of the service. */
static void begin_request(struct as_session *session, struct as_request *request) {
    struct as_wanted next = session->wanted;
    OSStatus status = as_want(session, &next, request);
    bool is_same = as_is_option(request->id) && next.options == session->wanted.options;
    /* An option that stays as it is is not sent, because that would set the category, too. */
    if (status != kAudioSessionNoError || is_same) {
        as_finish(request, status);
    } else if (session->state != AS_READY) {
        session->wanted = next;
        as_finish(request, status);
    } else {
        sd_bus_message *message = as_setting_call(session, &next, request->id, request->datum.number == 2);
        session->sent = request;
        if (!as_send(session, message, request_answered)) {
            session->sent = NULL;
            strcpy(request->reason, "the service cannot be asked");
            as_finish(request, kAudioSessionUnspecifiedError);
        }
        sd_bus_message_unref(message);
    }
}

static void take_requests(struct as_session *session) {
    while (session->requests != NULL && session->sent == NULL && session->state != AS_OPENING) {
        struct as_request *request = session->requests;
        session->requests = request->next;
        request->next = NULL;
        if (request->is_abandoned) {
            as_finish(request, kAudioSessionUnspecifiedError);
        } else {
            begin_request(session, request);
        }
    }
}

/* MARK: The loop */

static void take_turn(struct as_session *session) {
    uint64_t now = as_now();
    if (session->deadline != 0 && now >= session->deadline) disconnected(session);
    if (session->retry_at != 0 && now >= session->retry_at) {
        session->retry_at = 0;
        if (session->state == AS_DOWN) connect_bus(session);
        if (session->state == AS_ABSENT && session->owner != NULL) as_open(session);
    }
    for (int count = 0; session->bus != NULL && count < TURN; count++) {
        int result = sd_bus_process(session->bus, NULL);
        if (result < 0) disconnected(session);
        if (result <= 0) break;
    }
    take_requests(session);
}

/* Waits for the bus, a request or a point in time. Takes the lock, which is held, away meanwhile. */
static void wait_for_something(struct as_session *session) {
    struct pollfd descriptors[2] = { { .fd = session->wake_fd, .events = POLLIN }, { .fd = -1 } };
    uint64_t now = as_now(), until = UINT64_MAX, microseconds = UINT64_MAX, count;
    if (session->bus != NULL) {
        int events = sd_bus_get_events(session->bus);
        if (events < 0) return;
        descriptors[1] = (struct pollfd){ .fd = session->bus_fd, .events = (short)events };
        /* Rounded up, so that the time has come when poll returns. */
        if (sd_bus_get_timeout(session->bus, &microseconds) >= 0 && microseconds != UINT64_MAX) {
            until = microseconds / 1000 + (microseconds == 0 ? 0 : 1);
        }
    }
    if (session->deadline != 0 && session->deadline < until) until = session->deadline;
    if (session->retry_at != 0 && session->retry_at < until) until = session->retry_at;
    uint64_t left = until == UINT64_MAX ? UINT64_MAX : until > now ? until - now : 0;
    int fd = session->wake_fd;
    pthread_mutex_unlock(&as_lock);
    poll(descriptors, 2, left > 60000 ? 60000 : (int)left);
    if (descriptors[0].revents != 0) (void)!read(fd, &count, sizeof count);
    pthread_mutex_lock(&as_lock);
}

void *as_bus_run(void *data) {
    struct as_session *session = data;
    pthread_mutex_lock(&as_lock);
    session->retry_after = AS_RETRY;
    connect_bus(session);
    while (!session->is_closing) {
        take_turn(session);
        if (!session->is_closing) wait_for_something(session);
    }
    if (session->state == AS_READY) {
        /* Sent at once if the socket takes it; else the end of the connection closes the session. */
        sd_bus_message *message = as_call_new(session, "Close");
        if (message != NULL) sd_bus_send(session->bus, message, NULL);
        sd_bus_message_unref(message);
    }
    as_drop_connection(session);
    free(session->path);
    session->path = NULL;
    if (session->sent != NULL) as_finish(session->sent, kAudioSessionNotInitialized);
    while (session->requests != NULL) {
        struct as_request *request = session->requests;
        session->requests = request->next;
        as_finish(request, kAudioSessionNotInitialized);
    }
    as_release(session);
    pthread_mutex_unlock(&as_lock);
    return NULL;
}
