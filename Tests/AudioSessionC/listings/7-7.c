/* Playback that mixes with others in spite of its category, which another category ends. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>

static void set_category(UInt32 category) {
    AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof (category), &category);
}

static void mix(const char *with) {
    OSStatus status = 0;
    UInt32 mixes = true, size = sizeof (mixes);
    status = AudioSessionSetProperty (
                 kAudioSessionProperty_OverrideCategoryMixWithOthers,
                 sizeof (mixes),
                 &mixes
             );
    say("%s %s", with, shown(status));
    mixes = 77;
    AudioSessionGetProperty(kAudioSessionProperty_OverrideCategoryMixWithOthers, &size, &mixes);
    say("mixes %lu", (unsigned long)mixes);
}

void begin(void) {
    UInt32 mixes = 77, size = sizeof (mixes);
    AudioSessionInitialize(NULL, NULL, NULL, NULL);
    set_category(kAudioSessionCategory_MediaPlayback);
    mix("playback");
    set_category(kAudioSessionCategory_PlayAndRecord);
    AudioSessionGetProperty(kAudioSessionProperty_OverrideCategoryMixWithOthers, &size, &mixes);
    say("another category: mixes %lu", (unsigned long)mixes);
    mix("again");
    set_category(kAudioSessionCategory_RecordAudio);
    mix("recording");
}

int obey(const char *word) { return word == NULL; }
