/* The connection to the bus, and the calls on it. */
#include "connection.h"
#include "service.h"

#include <stdlib.h>

void as_drop_connection(struct as_session *session) {
    session->slot = sd_bus_slot_unref(session->slot);
    /* Cleared first, because the child of a fork closes this descriptor. */
    session->bus_fd = -1;
    session->bus = sd_bus_close_unref(session->bus);
    session->state = AS_DOWN;
    free(session->owner);
    session->owner = NULL;
    session->deadline = 0;
}

void as_fail_start(struct as_session *session) {
    if (session->is_started) return;
    session->is_started = true;
    session->start_result = kAudioSessionInitializationError;
    pthread_cond_broadcast(&as_changed);
}

void as_retry_later(struct as_session *session) {
    as_fail_start(session);
    session->retry_at = as_now() + session->retry_after;
    session->retry_after = session->retry_after * 2 > AS_RETRY_MAX ? AS_RETRY_MAX : session->retry_after * 2;
}

void as_match(struct as_session *session, const char *member, const char *rule) {
    sd_bus_call_method_async(session->bus, NULL, AS_BUS, "/org/freedesktop/DBus", AS_BUS, member, NULL, NULL, "s", rule);
}

bool as_send(struct as_session *session, sd_bus_message *message, sd_bus_message_handler_t handler) {
    session->slot = sd_bus_slot_unref(session->slot);
    if (message == NULL) return false;
    return sd_bus_call_async(session->bus, &session->slot, message, handler, session,
                             AUDIO_SESSION_CALL_LIMIT_MS * UINT64_C(1000)) >= 0;
}

/* MARK: Calls */

sd_bus_message *as_call_new(struct as_session *session, const char *member) {
    sd_bus_message *message = NULL;
    if (session->bus == NULL || session->owner == NULL || session->path == NULL) return NULL;
    int result = sd_bus_message_new_method_call(session->bus, &message, session->owner, session->path, AS_SESSION, member);
    return result < 0 ? NULL : message;
}

static int append_options(sd_bus_message *message, UInt32 options) {
    static const enum as_option all[] = { AS_MIX, AS_DUCK, AS_SPEAKER, AS_BLUETOOTH };
    int result = sd_bus_message_open_container(message, 'a', "s");
    for (size_t index = 0; result >= 0 && index < sizeof all / sizeof *all; index++) {
        if ((options & all[index]) != 0) result = sd_bus_message_append(message, "s", as_option_word(all[index]));
    }
    return result < 0 ? result : sd_bus_message_close_container(message);
}

static const char *member_of(const struct as_wanted *wanted, AudioSessionPropertyID id) {
    if (as_is_option(id)) return "SetCategory";
    switch (id) {
    case 0: return wanted->is_active ? "Activate" : "Deactivate";
    case kAudioSessionProperty_AudioCategory: return "SetCategory";
    case kAudioSessionProperty_Mode: return "SetMode";
    case kAudioSessionProperty_OverrideAudioRoute: return "OverrideOutput";
    default: return "SetPreference";
    }
}

sd_bus_message *as_setting_call(struct as_session *session, const struct as_wanted *wanted, AudioSessionPropertyID id,
                             bool notify_others) {
    sd_bus_message *message = as_call_new(session, member_of(wanted, id));
    if (message == NULL) return NULL;
    int result;
    switch (id) {
    case 0:
        result = notify_others ? sd_bus_message_append(message, "as", 1, "notify-others")
                               : sd_bus_message_append(message, "as", 0);
        break;
    case kAudioSessionProperty_Mode: result = sd_bus_message_append(message, "s", as_mode_word(wanted->mode)); break;
    case kAudioSessionProperty_OverrideAudioRoute:
        result = sd_bus_message_append(
            message, "s", wanted->override_route == kAudioSessionOverrideAudioRoute_None ? "none" : "speaker");
        break;
    case kAudioSessionProperty_PreferredHardwareSampleRate:
        result = sd_bus_message_append(message, "sv", "sample-rate", "d", wanted->rate);
        break;
    case kAudioSessionProperty_PreferredHardwareIOBufferDuration:
        result = sd_bus_message_append(message, "sv", "buffer-duration", "d", wanted->duration);
        break;
    case kAudioSessionProperty_InputGainScalar:
        result = sd_bus_message_append(message, "sv", "input-gain", "d", wanted->gain);
        break;
    case kAudioSessionProperty_InterruptionOnRouteDisconnect:
        result = sd_bus_message_append(message, "sv", "interruption-on-route-disconnect", "b", (int)wanted->on_disconnect);
        break;
    case kAudioSessionProperty_InputSource:
        result = sd_bus_message_append(message, "sv", "input", "s", wanted->input);
        break;
    case kAudioSessionProperty_OutputDestination:
        result = sd_bus_message_append(message, "sv", "output", "s", wanted->output);
        break;
    default:
        /* The category and its options; an empty mode keeps the present one. */
        result = sd_bus_message_append(message, "s", as_category_word(wanted->category));
        if (result >= 0) result = append_options(message, wanted->options);
        if (result >= 0) result = sd_bus_message_append(message, "s", "");
    }
    return result < 0 ? sd_bus_message_unref(message) : message;
}

void as_unmix(struct as_session *session) {
    if (!session->must_unmix) return;
    session->must_unmix = false;
    sd_bus_message *call =
        as_setting_call(session, &session->wanted, kAudioSessionProperty_OverrideCategoryMixWithOthers, false);
    if (call != NULL) sd_bus_send(session->bus, call, NULL);
    sd_bus_message_unref(call);
}
