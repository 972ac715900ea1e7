/* The loudspeaker for now, until an interruption or a change of the route. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>
#include <string.h>

static void heard(void *data, UInt32 state) {
    (void)data;
    say("interruption %s", state == kAudioSessionBeginInterruption ? "begins" : "ends");
}

void begin(void) {
    UInt32 category = kAudioSessionCategory_PlayAndRecord;
    AudioSessionInitialize(NULL, NULL, heard, NULL);
    AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof (category), &category);
    say("active %s", shown(AudioSessionSetActive(true)));
}

int obey(const char *word) {
    if (strcmp(word, "speaker") == 0) {
        UInt32 override = kAudioSessionOverrideAudioRoute_Speaker;
        OSStatus status = AudioSessionSetProperty (
            kAudioSessionProperty_OverrideAudioRoute, // what
            sizeof (override),
            &override
        );
        say("speaker %s", shown(status));
        return true;
    }
    if (strcmp(word, "go on") == 0) {
        say("active %s", shown(AudioSessionSetActive(true)));
        return true;
    }
    return false;
}
