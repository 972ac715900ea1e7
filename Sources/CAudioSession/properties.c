/* Properties as applications use them: by the table, and their listeners. */
#include "delivery.h"
#include "service.h"

#include <stdlib.h>
#include <string.h>

/* Takes the lock, and checks what all functions check. Gives the lock back if there is an error. */
static struct as_session *begin(AudioSessionPropertyID id, const struct as_property **property, OSStatus *status) {
    pthread_mutex_lock(&as_lock);
    *property = as_property_known(id);
    *status = as_current == NULL  ? as_because(kAudioSessionNotInitialized, NULL)
              : *property == NULL ? as_because(kAudioSessionUnsupportedPropertyError, "there is no such property")
                                  : as_because(kAudioSessionNoError, NULL);
    if (*status == kAudioSessionNoError) return as_current;
    pthread_mutex_unlock(&as_lock);
    return NULL;
}

static OSStatus end(OSStatus status) {
    pthread_mutex_unlock(&as_lock);
    return status;
}

static OSStatus refuse(const char *reason) { return end(as_because(kAudioSessionUnsupportedPropertyError, reason)); }

OSStatus AudioSessionGetPropertySize(AudioSessionPropertyID inID, UInt32 *outDataSize) {
    const struct as_property *property;
    OSStatus status;
    if (begin(inID, &property, &status) == NULL) return status;
    if (!property->is_read) return refuse("the property cannot be read");
    if (outDataSize == NULL) return end(kAudioSessionUnspecifiedError);
    *outDataSize = as_kind_size(property->kind);
    return end(kAudioSessionNoError);
}

OSStatus AudioSessionGetProperty(AudioSessionPropertyID inID, UInt32 *ioDataSize, void *outData) {
    const struct as_property *property;
    OSStatus status;
    struct as_session *session = begin(inID, &property, &status);
    if (session == NULL) return status;
    if (!property->is_read) return refuse("the property cannot be read");
    if (ioDataSize == NULL || outData == NULL) return end(kAudioSessionUnspecifiedError);
    UInt32 size = as_kind_size(property->kind);
    if (*ioDataSize < size) return end(kAudioSessionBadPropertySizeError);
    union as_datum datum = { .real = 0 };
    if (property->source == ENDING) {
        /* R32 */
        datum.number = as_ending();
        if (datum.number == 0) return refuse("no interruption ends at this moment");
    } else if (property->source == INTERRUPTION) {
        if (session->told_by == NULL) return refuse("there was no interruption");
        if (property->kind == VALUE) datum.value = AudioSessionValueRetain(session->told_by);
        if (property->kind != VALUE) datum.number = session->told_reason;
    } else if (property->source == SERVICE && session->state != AS_READY) {
        status = as_because(kAudioSessionUnspecifiedError, "the service is away");
    } else {
        status = as_published_get(session, property, &datum);
    }
    if (status == kAudioSessionNoError) {
        memcpy(outData, &datum, size);
        *ioDataSize = size;
    }
    return end(status);
}

OSStatus AudioSessionSetProperty(AudioSessionPropertyID inID, UInt32 inDataSize, const void *inData) {
    const struct as_property *property;
    OSStatus status;
    struct as_session *session = begin(inID, &property, &status);
    if (session == NULL) return status;
    /* R83 */
    if (!property->is_set) return refuse("the property cannot be set");
    if (inDataSize != as_kind_size(property->kind)) return end(kAudioSessionBadPropertySizeError);
    if (inData == NULL) return end(kAudioSessionUnspecifiedError);
    struct as_request request = { .id = inID };
    memcpy(&request.datum, inData, inDataSize);
    if (property->kind == VALUE) {
        AudioSessionValueRef value = request.datum.value;
        if (AudioSessionValueGetKind(value) != kAudioSessionValueKind_Number) return refuse("the value is no number");
        request.datum.real = AudioSessionValueGetNumber(value);
    }
    return end(as_ask(session, &request));
}

/* MARK: Listeners */

OSStatus AudioSessionAddPropertyListener(AudioSessionPropertyID inID, AudioSessionPropertyListener inProc,
                                         void *inClientData) {
    const struct as_property *property;
    OSStatus status;
    struct as_session *session = begin(inID, &property, &status);
    if (session == NULL) return status;
    if (!property->is_listened) return refuse("the property cannot be listened to");
    if (inProc == NULL) return end(kAudioSessionUnspecifiedError);
    struct as_listener **link = &session->listeners;
    while (*link != NULL && ((*link)->id != inID || (*link)->data != inClientData)) link = &(*link)->next;
    if (*link == NULL) {
        struct as_listener *listener = calloc(1, sizeof *listener);
        if (listener == NULL) return end(kAudioSessionUnspecifiedError);
        listener->id = inID;
        listener->data = inClientData;
        listener->serial = ++session->serial;
        *link = listener;
    }
    /* R71 */
    (*link)->function = inProc;
    return end(kAudioSessionNoError);
}

/* Removes the listeners of a property; without a function all of them. */
static OSStatus remove_listeners(AudioSessionPropertyID id, bool all, AudioSessionPropertyListener function, void *data) {
    const struct as_property *property;
    OSStatus status;
    struct as_session *session = begin(id, &property, &status);
    if (session == NULL) return status;
    if (!property->is_listened) return refuse("the property cannot be listened to");
    status = all ? kAudioSessionNoError : kAudioSessionUnsupportedPropertyError;
    for (struct as_listener **link = &session->listeners; *link != NULL;) {
        struct as_listener *listener = *link;
        /* R72 */
        if (listener->id == id && (all || (listener->function == function && listener->data == data))) {
            *link = listener->next;
            free(listener);
            status = kAudioSessionNoError;
        } else {
            link = &listener->next;
        }
    }
    return end(status);
}

OSStatus AudioSessionRemovePropertyListener(AudioSessionPropertyID inID) {
    return remove_listeners(inID, true, NULL, NULL);
}

OSStatus AudioSessionRemovePropertyListenerWithUserData(AudioSessionPropertyID inID, AudioSessionPropertyListener inProc,
                                                        void *inClientData) {
    return remove_listeners(inID, false, inProc, inClientData);
}
