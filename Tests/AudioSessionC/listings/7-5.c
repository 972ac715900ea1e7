/* The category is a property. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>

void begin(void) {
    UInt32 category = kAudioSessionCategory_AmbientSound, size = sizeof (category);
    AudioSessionInitialize(NULL, NULL, NULL, NULL);
    OSStatus status = AudioSessionSetProperty (
        kAudioSessionProperty_AudioCategory, // what
        sizeof (category),                   // how large
        &category                            // and which
    );
    say("set %s", shown(status));
    category = 0;
    say("get %s", shown(AudioSessionGetProperty(kAudioSessionProperty_AudioCategory, &size, &category)));
    say("category %s", shown((long)category));
}

int obey(const char *word) { return word == NULL; }
