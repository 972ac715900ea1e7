/* The values that the application wants of the service: checks them, keeps them, and makes calls of them. */
#include "service.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The option that a property stands for; 0 for other properties. */
static enum as_option option_of(AudioSessionPropertyID id) {
    switch (id) {
    case kAudioSessionProperty_OtherMixableAudioShouldDuck: return AS_DUCK;
    case kAudioSessionProperty_OverrideCategoryMixWithOthers: return AS_MIX;
    case kAudioSessionProperty_OverrideCategoryDefaultToSpeaker: return AS_SPEAKER;
    case kAudioSessionProperty_OverrideCategoryEnableBluetoothInput: return AS_BLUETOOTH;
    default: return 0;
    }
}

bool as_is_option(AudioSessionPropertyID id) { return option_of(id) != 0; }

static bool is_mixing(const struct as_wanted *wanted) {
    return wanted->category == kAudioSessionCategory_AmbientSound || (wanted->options & (AS_MIX | AS_DUCK)) != 0;
}

/* R25 */
OSStatus AudioSessionGetMayUseHardwareCodecs(Boolean *outMay) {
    pthread_mutex_lock(&as_lock);
    const struct as_session *session = as_current;
    OSStatus result = session == NULL  ? kAudioSessionNotInitialized
                      : outMay == NULL ? kAudioSessionUnspecifiedError
                                       : kAudioSessionNoError;
    if (result == kAudioSessionNoError) {
        *outMay = session->wanted.category != kAudioSessionCategory_RecordAudio && !is_mixing(&session->wanted);
    }
    pthread_mutex_unlock(&as_lock);
    return result;
}

static OSStatus want_category(struct as_wanted *wanted, UInt32 category) {
    category = as_category_known(category);
    if (category == 0) return kAudioSessionUnsupportedPropertyError;
    /* R39–R43 */
    if (category != wanted->category) {
        wanted->options = 0;
        wanted->override_route = kAudioSessionOverrideAudioRoute_None;
    }
    wanted->category = category;
    wanted->is_category_set = true;
    return kAudioSessionNoError;
}

static OSStatus want_option(struct as_wanted *wanted, enum as_option option, bool is_on) {
    if (is_on && !as_category_takes(wanted->category, option)) return kAudioSessionIncompatibleCategory;
    wanted->options = is_on ? wanted->options | option : wanted->options & ~(UInt32)option;
    return kAudioSessionNoError;
}

static OSStatus want_override(struct as_wanted *wanted, UInt32 route) {
    if (route != kAudioSessionOverrideAudioRoute_None && route != kAudioSessionOverrideAudioRoute_Speaker) {
        return kAudioSessionUnsupportedPropertyError;
    }
    /* R41 */
    if (route != kAudioSessionOverrideAudioRoute_None && wanted->category != kAudioSessionCategory_PlayAndRecord) {
        return kAudioSessionIncompatibleCategory;
    }
    wanted->override_route = route;
    return kAudioSessionNoError;
}

/* R66: only a port that is there can be chosen. The request keeps its id, because the port may be gone when the answer comes. */
static OSStatus want_port(struct as_session *session, char *wanted, struct as_request *request, bool is_input) {
    if (request->port[0] == 0) {
        if (session->state != AS_READY) return kAudioSessionUnspecifiedError;
        const char *id = as_port_id(session, is_input, request->datum.real);
        if (id == NULL || strlen(id) > AS_TEXT) return kAudioSessionUnsupportedPropertyError;
        strcpy(request->port, id);
    }
    strcpy(wanted, request->port);
    return kAudioSessionNoError;
}

static OSStatus refuse(struct as_request *request, OSStatus status, const char *reason) {
    snprintf(request->reason, sizeof request->reason, "%s", reason);
    return status;
}

static OSStatus want(struct as_session *session, struct as_wanted *wanted, struct as_request *request) {
    union as_datum datum = request->datum;
    bool is_away = session->state != AS_READY;
    if (option_of(request->id) != 0) return want_option(wanted, option_of(request->id), datum.number != 0);
    switch (request->id) {
    case 0:
        if (is_away && datum.number == 1) return refuse(request, kAudioSessionUnspecifiedError, "the service is away");
        wanted->is_active = datum.number == 1;
        return kAudioSessionNoError;
    case kAudioSessionProperty_AudioCategory: return want_category(wanted, datum.number);
    case kAudioSessionProperty_OverrideAudioRoute: return want_override(wanted, datum.number);
    case kAudioSessionProperty_Mode:
        if (as_mode_word(datum.number) == NULL) {
            return refuse(request, kAudioSessionUnsupportedPropertyError, "there is no such mode");
        }
        /* R54: while it is there, the service checks this. */
        if (is_away && datum.number != wanted->mode && is_mixing(wanted)) {
            return refuse(request, kAudioSessionUnsupportedPropertyError, "the mode is fixed while the session mixes");
        }
        wanted->mode = datum.number;
        return kAudioSessionNoError;
    case kAudioSessionProperty_PreferredHardwareSampleRate:
        if (datum.real != 0 && !(datum.real >= 1 && datum.real <= 768000)) return kAudioSessionUnsupportedPropertyError;
        wanted->rate = datum.real;
        return kAudioSessionNoError;
    case kAudioSessionProperty_PreferredHardwareIOBufferDuration:
        if (!(datum.fraction >= 0 && datum.fraction <= 10)) return kAudioSessionUnsupportedPropertyError;
        wanted->duration = datum.fraction;
        return kAudioSessionNoError;
    case kAudioSessionProperty_InputGainScalar:
        if (isnan(datum.fraction)) return kAudioSessionUnsupportedPropertyError;
        /* R76 */
        wanted->gain = datum.fraction < 0 ? 0 : datum.fraction > 1 ? 1 : datum.fraction;
        wanted->has_gain = true;
        return kAudioSessionNoError;
    case kAudioSessionProperty_InterruptionOnRouteDisconnect: wanted->on_disconnect = datum.number != 0; return 0;
    case kAudioSessionProperty_InputSource: return want_port(session, wanted->input, request, true);
    case kAudioSessionProperty_OutputDestination: return want_port(session, wanted->output, request, false);
    default: return kAudioSessionUnsupportedPropertyError;
    }
}

OSStatus as_want(struct as_session *session, struct as_wanted *wanted, struct as_request *request) {
    OSStatus status = want(session, wanted, request);
    if (status == kAudioSessionNoError || *request->reason != 0) return status;
    return refuse(request, status,
                  status == kAudioSessionIncompatibleCategory       ? "the present category does not take it"
                  : status == kAudioSessionUnsupportedPropertyError ? "the value is not one of those allowed"
                                                                    : "the service is away");
}

bool as_is_wanted(const struct as_wanted *wanted, AudioSessionPropertyID id) {
    switch (id) {
    case 0: return wanted->is_active;
    case kAudioSessionProperty_AudioCategory: return wanted->is_category_set || wanted->options != 0;
    case kAudioSessionProperty_Mode: return wanted->mode != kAudioSessionMode_Default;
    case kAudioSessionProperty_PreferredHardwareSampleRate: return wanted->rate != 0;
    case kAudioSessionProperty_PreferredHardwareIOBufferDuration: return wanted->duration != 0;
    case kAudioSessionProperty_InputGainScalar: return wanted->has_gain;
    case kAudioSessionProperty_InputSource: return wanted->input[0] != 0;
    case kAudioSessionProperty_OutputDestination: return wanted->output[0] != 0;
    case kAudioSessionProperty_InterruptionOnRouteDisconnect: return wanted->on_disconnect != 2;
    case kAudioSessionProperty_OverrideAudioRoute:
        return wanted->override_route != kAudioSessionOverrideAudioRoute_None;
    default: return false;
    }
}

/* MARK: Other libraries of the process (R6) */

static UInt32 options_of(AudioSessionValueRef words) {
    static const enum as_option all[] = { AS_MIX, AS_DUCK, AS_SPEAKER, AS_BLUETOOTH };
    UInt32 options = 0;
    for (UInt32 index = 0; index < AudioSessionValueGetCount(words); index++) {
        const char *word = AudioSessionValueGetString(AudioSessionValueGetElement(words, index));
        for (size_t known = 0; word != NULL && known < sizeof all / sizeof *all; known++) {
            if (strcmp(as_option_word(all[known]), word) == 0) options |= all[known];
        }
    }
    return options;
}

/* The new value of a preference; false if it is the former one. */
static bool is_new(AudioSessionValueRef now, AudioSessionValueRef former, const char *name, AudioSessionValueRef *value) {
    *value = AudioSessionValueGetMember(now, name);
    return !as_value_equal(*value, AudioSessionValueGetMember(former, name));
}

static void follow_preferences(struct as_wanted *wanted, AudioSessionValueRef now, AudioSessionValueRef former) {
    AudioSessionValueRef value;
    if (is_new(now, former, "sample-rate", &value)) wanted->rate = AudioSessionValueGetNumber(value);
    if (is_new(now, former, "buffer-duration", &value)) wanted->duration = AudioSessionValueGetNumber(value);
    if (is_new(now, former, "input-gain", &value)) {
        wanted->has_gain = value != NULL;
        wanted->gain = AudioSessionValueGetNumber(value);
    }
    if (is_new(now, former, "interruption-on-route-disconnect", &value)) {
        wanted->on_disconnect = value == NULL ? 2 : AudioSessionValueGetNumber(value) != 0;
    }
    for (int is_input = 0; is_input < 2; is_input++) {
        if (!is_new(now, former, is_input ? "input" : "output", &value)) continue;
        const char *id = AudioSessionValueGetString(value);
        if (id != NULL && strlen(id) > AS_TEXT) continue;
        strcpy(is_input ? wanted->input : wanted->output, id == NULL ? "" : id);
    }
}

static bool is_anything_wanted(const struct as_wanted *wanted) {
    return wanted->is_category_set || wanted->is_active || wanted->has_gain || wanted->mode != kAudioSessionMode_Default ||
           wanted->rate != 0 || wanted->duration != 0 || wanted->on_disconnect != 2 || *wanted->input != 0 || *wanted->output != 0;
}

static void follow(struct as_session *session, AudioSessionValueRef changes, AudioSessionValueRef former) {
    struct as_wanted *wanted = &session->wanted;
    UInt32 category = as_category_of(AudioSessionValueGetString(AudioSessionValueGetMember(changes, "Category")));
    UInt32 mode = as_mode_of(AudioSessionValueGetString(AudioSessionValueGetMember(changes, "Mode")));
    AudioSessionValueRef options = AudioSessionValueGetMember(changes, "Options");
    AudioSessionValueRef preferences = AudioSessionValueGetMember(changes, "Preferences");
    /* The default does not count as set. */
    if (category != 0 && (wanted->is_category_set || category != kAudioSessionCategory_SoloAmbientSound)) {
        wanted->category = category;
        wanted->is_category_set = true;
    }
    if (mode != 0) wanted->mode = mode;
    if (options != NULL) wanted->options = options_of(options);
    if (preferences != NULL) follow_preferences(wanted, preferences, former);
}

void as_update(struct as_session *session, AudioSessionValueRef changes, bool of_manager) {
    /* A session that is being set up does not have the wanted values yet, unless another library has set it up before. */
    bool is_joined = !session->was_ready && !is_anything_wanted(&session->wanted);
    if (!of_manager && (session->state == AS_READY || is_joined)) {
        follow(session, changes, session->published[AS_PREFERENCES]);
    }
    as_published_update(session, changes, of_manager);
}
