/* An audio unit's longest buffer, which is no matter of the desktop: there is no unit, and the call says so. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>

void begin(void) {
    AudioUnit mixer = NULL;
    UInt32 frames = 4096;
    OSStatus status = AudioUnitSetProperty (
        mixer,
        kAudioUnitProperty_MaximumFramesPerSlice,
        kAudioUnitScope_Global,
        0,
        &frames,
        sizeof (frames)
    );
    say("unit %s", shown(status));
}

int obey(const char *word) { return word == NULL; }
