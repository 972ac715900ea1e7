/* A game that is started while music plays leaves its own music out. The second half is that of the Swift twin, in C. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>
#include <string.h>

void begin(void) { AudioSessionInitialize(NULL, NULL, NULL, NULL); }

int obey(const char *word) {
    UInt32 others, size = sizeof (others);
    if (strcmp(word, "launch") != 0) return false;
    AudioSessionGetProperty (
        kAudioSessionProperty_OtherAudioIsPlaying,
        &size,
        &others
    );
    if (others) {
        UInt32 category = kAudioSessionCategory_AmbientSound;
        say("others play");
        AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof (category), &category);
    } else {
        UInt32 category = kAudioSessionCategory_SoloAmbientSound;
        say("nobody plays");
        AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof (category), &category);
    }
    return true;
}
