/* The loudspeaker until the category changes. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>

static void set_category(UInt32 category) {
    UInt32 speaker = 77, size = sizeof (speaker);
    AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof (category), &category);
    AudioSessionGetProperty(kAudioSessionProperty_OverrideCategoryDefaultToSpeaker, &size, &speaker);
    say("category %s, speaker %lu", shown((long)category), (unsigned long)speaker);
}

static void move(void) {
    UInt32 speaker = 1, size = sizeof (speaker);
    OSStatus status = AudioSessionSetProperty (
        kAudioSessionProperty_OverrideCategoryDefaultToSpeaker,
        sizeof (speaker),
        &speaker
    );
    speaker = 77;
    say("set %s", shown(status));
    AudioSessionGetProperty(kAudioSessionProperty_OverrideCategoryDefaultToSpeaker, &size, &speaker);
    say("speaker %lu", (unsigned long)speaker);
}

void begin(void) {
    AudioSessionInitialize(NULL, NULL, NULL, NULL);
    set_category(kAudioSessionCategory_PlayAndRecord);
    move();
    set_category(kAudioSessionCategory_MediaPlayback);
    move();
}

int obey(const char *word) { return word == NULL; }
