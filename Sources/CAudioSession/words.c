/* The phone's four characters and the service's words for the same things. The texts of audio_session.h are defined here. */
#define AUDIO_SESSION_DEFINES_TEXTS
#include "values.h"

#include <string.h>

static const struct category {
    UInt32 code;
    const char *word;
    /* The options that it takes (R39, R40, R42, R43). */
    UInt32 options;
} categories[] = {
    { kAudioSessionCategory_AmbientSound, "ambient", AS_DUCK },
    { kAudioSessionCategory_SoloAmbientSound, "solo-ambient", AS_DUCK },
    { kAudioSessionCategory_MediaPlayback, "playback", AS_DUCK | AS_MIX },
    { kAudioSessionCategory_RecordAudio, "record", AS_BLUETOOTH },
    { kAudioSessionCategory_PlayAndRecord, "play-and-record", AS_DUCK | AS_MIX | AS_SPEAKER | AS_BLUETOOTH },
    { kAudioSessionCategory_AudioProcessing, "audio-processing", 0 },
};

static const struct category *find(UInt32 code) {
    for (size_t index = 0; index < sizeof categories / sizeof *categories; index++) {
        if (categories[index].code == code) return &categories[index];
    }
    return NULL;
}

UInt32 as_category_known(UInt32 category) {
    /* R24 */
    if (category == kAudioSessionCategory_UserInterfaceSoundEffects) return kAudioSessionCategory_AmbientSound;
    if (category == kAudioSessionCategory_LiveAudio) return kAudioSessionCategory_MediaPlayback;
    return find(category) == NULL ? 0 : category;
}

const char *as_category_word(UInt32 category) {
    const struct category *found = find(category);
    return found == NULL ? NULL : found->word;
}

UInt32 as_category_of(const char *word) {
    for (size_t index = 0; word != NULL && index < sizeof categories / sizeof *categories; index++) {
        if (strcmp(categories[index].word, word) == 0) return categories[index].code;
    }
    return 0;
}

bool as_category_takes(UInt32 category, enum as_option option) {
    const struct category *found = find(category);
    return found != NULL && (found->options & option) != 0;
}

const char *as_mode_word(UInt32 mode) {
    switch (mode) {
    case kAudioSessionMode_Default: return "default";
    case kAudioSessionMode_VoiceChat: return "voice-chat";
    case kAudioSessionMode_VideoRecording: return "video-recording";
    case kAudioSessionMode_Measurement: return "measurement";
    default: return NULL;
    }
}

UInt32 as_mode_of(const char *word) {
    static const UInt32 modes[] = { kAudioSessionMode_Default, kAudioSessionMode_VoiceChat,
                                    kAudioSessionMode_VideoRecording, kAudioSessionMode_Measurement };
    for (size_t index = 0; word != NULL && index < sizeof modes / sizeof *modes; index++) {
        if (strcmp(as_mode_word(modes[index]), word) == 0) return modes[index];
    }
    return 0;
}

const char *as_option_word(enum as_option option) {
    switch (option) {
    case AS_MIX: return "mix-with-others";
    case AS_DUCK: return "duck-others";
    case AS_SPEAKER: return "default-to-speaker";
    case AS_BLUETOOTH: return "allow-bluetooth-input";
    }
    return "";
}

/* The type of the first input or output; "" if there is none. */
static const char *first_type(AudioSessionValueRef description, const char *key) {
    AudioSessionValueRef port = AudioSessionValueGetElement(AudioSessionValueGetMember(description, key), 0);
    const char *type = AudioSessionValueGetString(AudioSessionValueGetMember(port, kAudioSession_AudioRouteKey_Type));
    return type == NULL ? "" : type;
}

const char *as_route_name(AudioSessionValueRef description) {
    /* The first line that fits counts; "*" is any port or none, "+" any port. */
    static const struct {
        const char *output, *input, *name;
    } names[] = {
#include "routes.inc"
        { "", "", "" },
    };
    const char *output = first_type(description, kAudioSession_AudioRouteKey_Outputs);
    const char *input = first_type(description, kAudioSession_AudioRouteKey_Inputs);
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        const char *wanted = names[index].input;
        bool fits = strcmp(wanted, "*") == 0 || strcmp(wanted, input) == 0 || (strcmp(wanted, "+") == 0 && *input);
        if (fits && strcmp(names[index].output, output) == 0) return names[index].name;
    }
    return "Unknown";
}
