/* Signals of the bus and of the service. A signal counts only if it comes from the owner of the name. */
#include "connection.h"
#include "delivery.h"
#include "service.h"

#include <string.h>

static bool is_from(sd_bus_message *message, const char *sender) {
    const char *who = sd_bus_message_get_sender(message);
    return who != NULL && sender != NULL && strcmp(who, sender) == 0;
}

static bool is_at(sd_bus_message *message, const char *path) {
    const char *where = sd_bus_message_get_path(message);
    return where != NULL && path != NULL && strcmp(where, path) == 0;
}

static bool is_named(sd_bus_message *message, const char *interface, const char *member, const char *signature) {
    return sd_bus_message_is_signal(message, interface, member) > 0 && sd_bus_message_has_signature(message, signature) > 0;
}

static void owner_signal(struct as_session *session, sd_bus_message *message) {
    const char *name, *former, *owner;
    if (sd_bus_message_read(message, "sss", &name, &former, &owner) < 0 || strcmp(name, AS_SERVICE) != 0) return;
    /* While connecting, the answer to GetNameOwner comes after this signal, and names the same owner. */
    if (session->state != AS_CONNECTING) as_owner_changed(session, owner);
}

static void properties_changed(struct as_session *session, sd_bus_message *message, bool of_manager) {
    const char *interface;
    if (sd_bus_message_read(message, "s", &interface) < 0) return;
    if (strcmp(interface, of_manager ? AS_MANAGER : AS_SESSION) != 0) return;
    AudioSessionValueRef changes = as_message_value(message);
    as_update(session, changes, of_manager);
    AudioSessionValueRelease(changes);
    if (session->state == AS_READY) as_published_tell(session);
}

/* R58, R59 */
static void route_changed(struct as_session *session, sd_bus_message *message) {
    uint32_t reason;
    if (sd_bus_message_read(message, "u", &reason) < 0) return;
    AudioSessionValueRef before = as_message_value(message), now = as_message_value(message);
    AudioSessionValueRef former = as_route_description(before);
    struct AudioSessionValue *news = as_value_new(kAudioSessionValueKind_Dictionary);
    if (reason == 5 || reason > kAudioSessionRouteChangeReason_RouteConfigurationChange) reason = 0;
    if (now != NULL) as_published_set(session, AS_ROUTE, now);
    as_value_append(news, kAudioSession_RouteChangeKey_Reason, AudioSessionValueCreateNumber(reason));
    as_value_append(news, kAudioSession_AudioRouteChangeKey_OldRoute,
                    AudioSessionValueCreateString(as_route_name(former)));
    as_value_append(news, kAudioSession_AudioRouteChangeKey_PreviousRouteDescription, former);
    as_value_append(news, kAudioSession_AudioRouteChangeKey_CurrentRouteDescription, as_route_description(now));
    if (news != NULL) as_post(session, kAudioSessionProperty_AudioRouteChange, (union as_datum){ .value = news });
    AudioSessionValueRelease(news);
    AudioSessionValueRelease(before);
    AudioSessionValueRelease(now);
}

static void interruption_ended(struct as_session *session, sd_bus_message *message) {
    int should_resume;
    if (sd_bus_message_read(message, "b", &should_resume) < 0) return;
    session->is_interrupted = false;
    as_post_end(session, should_resume ? kAudioSessionInterruptionType_ShouldResume
                                       : kAudioSessionInterruptionType_ShouldNotResume);
}

static UInt32 reason_of(const char *word) {
    if (strcmp(word, "suspended") == 0) return kAudioSessionInterruptionReason_Suspended;
    if (strcmp(word, "device-muted") == 0) return kAudioSessionInterruptionReason_DeviceMuted;
    if (strcmp(word, "route-disconnected") == 0) return kAudioSessionInterruptionReason_RouteDisconnected;
    return kAudioSessionInterruptionReason_Default;
}

static void interruption_began(struct as_session *session, sd_bus_message *message) {
    const char *reason, *by;
    if (sd_bus_message_read(message, "ss", &reason, &by) < 0) return;
    session->wanted.is_active = false;
    session->wanted.override_route = kAudioSessionOverrideAudioRoute_None;
    session->is_interrupted = true;
    if ((session->wanted.options & AS_MIX) != 0) {
        /* An interruption ends mixing in the phone's C interface; other clients of the service keep it. */
        session->wanted.options &= ~(UInt32)AS_MIX;
        session->must_unmix = true;
        if (session->sent == NULL) as_unmix(session);
    }
    as_post_beginning(session, reason_of(reason), by);
}

static void session_signal(struct as_session *session, sd_bus_message *message) {
    if (is_named(message, AS_PROPERTIES, "PropertiesChanged", "sa{sv}as")) {
        properties_changed(session, message, false);
    } else if (is_named(message, AS_SESSION, "InterruptionBegan", "ss")) {
        interruption_began(session, message);
    } else if (is_named(message, AS_SESSION, "InterruptionEnded", "b")) {
        interruption_ended(session, message);
    } else if (is_named(message, AS_SESSION, "RouteChanged", "ua{sv}a{sv}")) {
        route_changed(session, message);
    } else if (is_named(message, AS_SESSION, "ServicesLost", "")) {
        /* Next, the service gives up its name or sends ServicesReset; if neither comes, the library asks for it. */
        as_lost(session);
        session->retry_at = as_now() + AS_RETRY_MAX;
    }
}

int as_signal(sd_bus_message *message, void *data, sd_bus_error *error) {
    struct as_session *session = data;
    (void)error;
    if (is_from(message, AS_BUS) && is_named(message, AS_BUS, "NameOwnerChanged", "sss")) {
        owner_signal(session, message);
    } else if (session->owner != NULL && is_from(message, session->owner)) {
        if (is_at(message, session->path)) {
            session_signal(session, message);
        } else if (is_at(message, AS_MANAGER_PATH) &&
                   is_named(message, AS_PROPERTIES, "PropertiesChanged", "sa{sv}as")) {
            properties_changed(session, message, true);
        } else if (is_at(message, AS_MANAGER_PATH) && is_named(message, AS_MANAGER, "ServicesReset", "") &&
                   session->state == AS_ABSENT) {
            as_open(session);
        }
    }
    return 0;
}
