/* The values that the service reports: kept as they arrive, and read as properties. */
#include "delivery.h"
#include "service.h"

#include <math.h>
#include <string.h>

static const char *const names[AS_PUBLISHED] = {
    [AS_SAMPLE_RATE] = "SampleRate",
    [AS_BUFFER_DURATION] = "BufferDuration",
    [AS_INPUT_GAIN] = "InputGain",
    [AS_INPUT_GAIN_AVAILABLE] = "InputGainAvailable",
    [AS_OTHER_AUDIO] = "OtherAudioPlaying",
    [AS_ROUTE] = "CurrentRoute",
    [AS_OUTPUT_VOLUME] = "OutputVolume",
    [AS_INPUT_LATENCY] = "InputLatency",
    [AS_OUTPUT_LATENCY] = "OutputLatency",
    [AS_INPUT_CHANNELS] = "InputChannels",
    [AS_OUTPUT_CHANNELS] = "OutputChannels",
    [AS_OVERRIDE] = "OutputOverride",
    [AS_PREFERENCES] = "Preferences",
    [AS_INTERRUPTED] = "Interrupted",
    [AS_INPUTS] = "AvailableInputs",
    [AS_OUTPUTS] = "AvailableOutputs",
};

static const AudioSessionPropertyID listened[AS_LISTENED] = {
    kAudioSessionProperty_CurrentHardwareOutputVolume, kAudioSessionProperty_AudioInputAvailable,
    kAudioSessionProperty_InputSources,                kAudioSessionProperty_OutputDestinations,
    kAudioSessionProperty_InputGainAvailable,          kAudioSessionProperty_InputGainScalar,
    kAudioSessionProperty_CurrentHardwareSampleRate,   kAudioSessionProperty_CurrentHardwareIOBufferDuration,
    kAudioSessionProperty_CurrentHardwareInputNumberChannels,
    kAudioSessionProperty_CurrentHardwareOutputNumberChannels,
};

/* MARK: Arriving */

void as_published_set(struct as_session *session, enum as_published which, AudioSessionValueRef value) {
    AudioSessionValueRetain(value);
    AudioSessionValueRelease(session->published[which]);
    session->published[which] = value;
    const char *override_route = which == AS_OVERRIDE ? AudioSessionValueGetString(value) : NULL;
    /* R6, R41: another library has set the override, or a change of route or an interruption has ended it. A session that is
     * being set up has no override yet. */
    if (session->state == AS_READY && override_route != NULL) {
        session->wanted.override_route = strcmp(override_route, "speaker") == 0 ? kAudioSessionOverrideAudioRoute_Speaker
                                                                                : kAudioSessionOverrideAudioRoute_None;
    }
}

void as_published_update(struct as_session *session, AudioSessionValueRef changes, bool of_manager) {
    UInt32 first = of_manager ? AS_OF_MANAGER : 0, end = of_manager ? AS_PUBLISHED : AS_OF_MANAGER;
    for (UInt32 which = first; which < end; which++) {
        AudioSessionValueRef value = AudioSessionValueGetMember(changes, names[which]);
        if (value != NULL) as_published_set(session, which, value);
    }
}

void as_published_drop(struct as_session *session) {
    for (int which = 0; which < AS_PUBLISHED; which++) as_published_set(session, which, NULL);
    for (int index = 0; index < AS_LISTENED; index++) {
        bool is_value = as_property_known(listened[index])->kind == VALUE;
        if (is_value && session->is_told[index]) AudioSessionValueRelease(session->told[index].value);
        session->is_told[index] = false;
    }
}

/* MARK: Reading */

static AudioSessionValueRef member(AudioSessionValueRef value, const char *key) {
    return AudioSessionValueGetMember(value, key);
}

static const char *text(AudioSessionValueRef value, const char *key) {
    return AudioSessionValueGetString(member(value, key));
}

/* The number for a port's id, of 31 bits and never 0: FNV-1a. */
static UInt32 port_number(const char *id) {
    UInt32 hash = 2166136261u;
    for (; *id != 0; id++) hash = (hash ^ (unsigned char)*id) * 16777619u;
    hash &= 0x7fffffff;
    return hash == 0 ? 1 : hash;
}

static bool is_usb(AudioSessionValueRef port) {
    const char *type = text(port, "type");
    return type != NULL && text(port, "id") != NULL && strcmp(type, kAudioSessionInputRoute_USBAudio) == 0;
}

/* R66: the ports of USB accessories, as applications see them. */
static AudioSessionValueRef accessories(AudioSessionValueRef ports, const char *number_key, const char *name_key) {
    struct AudioSessionValue *list = as_value_new(kAudioSessionValueKind_Array);
    for (UInt32 index = 0; index < AudioSessionValueGetCount(ports); index++) {
        AudioSessionValueRef port = AudioSessionValueGetElement(ports, index);
        if (!is_usb(port)) continue;
        const char *name = text(port, "name");
        struct AudioSessionValue *entry = as_value_new(kAudioSessionValueKind_Dictionary);
        as_value_append(entry, number_key, AudioSessionValueCreateNumber(port_number(text(port, "id"))));
        as_value_append(entry, name_key, AudioSessionValueCreateString(name == NULL ? text(port, "id") : name));
        as_value_append(list, NULL, entry);
    }
    return list;
}

const char *as_port_id(struct as_session *session, bool is_input, Float64 number) {
    AudioSessionValueRef ports = session->published[is_input ? AS_INPUTS : AS_OUTPUTS];
    for (UInt32 index = 0; index < AudioSessionValueGetCount(ports); index++) {
        AudioSessionValueRef port = AudioSessionValueGetElement(ports, index);
        if (is_usb(port) && port_number(text(port, "id")) == number) return text(port, "id");
    }
    return NULL;
}

static bool has_port(AudioSessionValueRef ports, const char *id) {
    for (UInt32 index = 0; index < AudioSessionValueGetCount(ports); index++) {
        const char *known = text(AudioSessionValueGetElement(ports, index), "id");
        if (known != NULL && strcmp(known, id) == 0) return true;
    }
    return false;
}

/* The number of the preferred port if it is there, else of the accessory in use. */
static AudioSessionValueRef accessory_in_use(struct as_session *session, bool is_input) {
    const char *wanted = is_input ? session->wanted.input : session->wanted.output;
    bool is_there = session->state != AS_READY || has_port(session->published[is_input ? AS_INPUTS : AS_OUTPUTS], wanted);
    if (*wanted != 0 && is_there) return AudioSessionValueCreateNumber(port_number(wanted));
    if (session->state != AS_READY) return NULL;
    AudioSessionValueRef ports = member(session->published[AS_ROUTE], is_input ? "inputs" : "outputs");
    for (UInt32 index = 0; index < AudioSessionValueGetCount(ports); index++) {
        AudioSessionValueRef port = AudioSessionValueGetElement(ports, index);
        if (is_usb(port)) return AudioSessionValueCreateNumber(port_number(text(port, "id")));
    }
    return NULL;
}

static AudioSessionValueRef described_ports(AudioSessionValueRef ports) {
    struct AudioSessionValue *list = as_value_new(kAudioSessionValueKind_Array);
    for (UInt32 index = 0; index < AudioSessionValueGetCount(ports); index++) {
        const char *type = text(AudioSessionValueGetElement(ports, index), "type");
        struct AudioSessionValue *entry = as_value_new(kAudioSessionValueKind_Dictionary);
        as_value_append(entry, kAudioSession_AudioRouteKey_Type,
                        AudioSessionValueCreateString(type == NULL ? "Unknown" : type));
        as_value_append(list, NULL, entry);
    }
    return list;
}

AudioSessionValueRef as_route_description(AudioSessionValueRef route) {
    struct AudioSessionValue *description = as_value_new(kAudioSessionValueKind_Dictionary);
    as_value_append(description, kAudioSession_AudioRouteKey_Inputs, described_ports(member(route, "inputs")));
    as_value_append(description, kAudioSession_AudioRouteKey_Outputs, described_ports(member(route, "outputs")));
    return description;
}

static AudioSessionValueRef route_name(AudioSessionValueRef route) {
    AudioSessionValueRef description = as_route_description(route);
    AudioSessionValueRef name = AudioSessionValueCreateString(as_route_name(description));
    AudioSessionValueRelease(description);
    return name;
}

/* A number of the service as a property of that kind. */
static OSStatus convert(AudioSessionValueRef value, enum as_kind kind, union as_datum *datum) {
    Float64 number = AudioSessionValueGetNumber(value);
    if (AudioSessionValueGetKind(value) != kAudioSessionValueKind_Number || !isfinite(number)) {
        return kAudioSessionUnspecifiedError;
    }
    if (kind == FLOAT64) datum->real = number;
    if (kind == FLOAT32) datum->fraction = (Float32)number;
    if (kind == UINT32) {
        if (number < 0 || number > UINT32_MAX) return kAudioSessionUnspecifiedError;
        datum->number = (UInt32)number;
    }
    return kAudioSessionNoError;
}

OSStatus as_published_get(struct as_session *session, const struct as_property *property, union as_datum *datum) {
    const struct as_wanted *wanted = &session->wanted;
    AudioSessionValueRef *published = session->published;
    UInt32 options = wanted->options;
    enum as_published which;
    switch (property->id) {
    case kAudioSessionProperty_PreferredHardwareSampleRate: datum->real = wanted->rate; return 0;
    case kAudioSessionProperty_PreferredHardwareIOBufferDuration: datum->fraction = (Float32)wanted->duration; return 0;
    case kAudioSessionProperty_AudioCategory: datum->number = wanted->category; return 0;
    case kAudioSessionProperty_Mode: datum->number = wanted->mode; return 0;
    case kAudioSessionProperty_OtherMixableAudioShouldDuck: datum->number = (options & AS_DUCK) != 0; return 0;
    case kAudioSessionProperty_OverrideCategoryMixWithOthers:
        /* R49 */
        datum->number = (options & AS_MIX) != 0 || ((options & AS_DUCK) != 0 && as_category_takes(wanted->category, AS_MIX));
        return 0;
    case kAudioSessionProperty_OverrideCategoryDefaultToSpeaker: datum->number = (options & AS_SPEAKER) != 0; return 0;
    case kAudioSessionProperty_OverrideCategoryEnableBluetoothInput:
        /* R51 */
        datum->number = (options & AS_BLUETOOTH) != 0 || (wanted->mode == kAudioSessionMode_VoiceChat &&
                                                          wanted->category == kAudioSessionCategory_PlayAndRecord);
        return 0;
    case kAudioSessionProperty_InterruptionOnRouteDisconnect: datum->number = wanted->on_disconnect != 0; return 0;
    case kAudioSessionProperty_InputSource:
    case kAudioSessionProperty_OutputDestination:
        datum->value = accessory_in_use(session, property->id == kAudioSessionProperty_InputSource);
        return datum->value == NULL ? kAudioServicesNoHardwareError : kAudioSessionNoError;
    case kAudioSessionProperty_AudioInputAvailable:
        datum->number = AudioSessionValueGetCount(published[AS_INPUTS]) > 0;
        return 0;
    case kAudioSessionProperty_InputSources:
        datum->value = accessories(published[AS_INPUTS], kAudioSession_InputSourceKey_ID,
                                   kAudioSession_InputSourceKey_Description);
        break;
    case kAudioSessionProperty_OutputDestinations:
        datum->value = accessories(published[AS_OUTPUTS], kAudioSession_OutputDestinationKey_ID,
                                   kAudioSession_OutputDestinationKey_Description);
        break;
    case kAudioSessionProperty_AudioRouteDescription: datum->value = as_route_description(published[AS_ROUTE]); break;
    case kAudioSessionProperty_AudioRoute: datum->value = route_name(published[AS_ROUTE]); break;
    case kAudioSessionProperty_CurrentHardwareSampleRate: which = AS_SAMPLE_RATE; goto number;
    case kAudioSessionProperty_CurrentHardwareIOBufferDuration: which = AS_BUFFER_DURATION; goto number;
    case kAudioSessionProperty_CurrentHardwareInputNumberChannels: which = AS_INPUT_CHANNELS; goto number;
    case kAudioSessionProperty_CurrentHardwareOutputNumberChannels: which = AS_OUTPUT_CHANNELS; goto number;
    case kAudioSessionProperty_CurrentHardwareOutputVolume: which = AS_OUTPUT_VOLUME; goto number;
    case kAudioSessionProperty_CurrentHardwareInputLatency: which = AS_INPUT_LATENCY; goto number;
    case kAudioSessionProperty_CurrentHardwareOutputLatency: which = AS_OUTPUT_LATENCY; goto number;
    case kAudioSessionProperty_OtherAudioIsPlaying: which = AS_OTHER_AUDIO; goto number;
    case kAudioSessionProperty_InputGainAvailable: which = AS_INPUT_GAIN_AVAILABLE; goto number;
    case kAudioSessionProperty_InputGainScalar: which = AS_INPUT_GAIN; goto number;
    default: return kAudioSessionUnspecifiedError;
    }
    return datum->value == NULL ? kAudioSessionUnspecifiedError : kAudioSessionNoError;
number:
    return convert(published[which], property->kind, datum);
}

/* MARK: Telling */

void as_published_tell(struct as_session *session) {
    for (int index = 0; index < AS_LISTENED; index++) {
        const struct as_property *property = as_property_known(listened[index]);
        union as_datum now = { .real = 0 }, *told = &session->told[index];
        if (as_published_get(session, property, &now) != kAudioSessionNoError) continue;
        bool is_value = property->kind == VALUE, was_told = session->is_told[index];
        bool is_same = was_told && is_value ? as_value_equal(now.value, told->value)
                                            : memcmp(&now, told, sizeof now) == 0;
        if (was_told && !is_same) as_post(session, property->id, now);
        if (was_told && is_value) AudioSessionValueRelease(told->value);
        *told = now;
        session->is_told[index] = true;
    }
}
