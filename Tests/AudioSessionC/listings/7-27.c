/* Whether there is an input, and what tells that one has come. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>

static void changed(void *data, AudioSessionPropertyID id, UInt32 size, const void *value) {
    (void)data;
    if (id == kAudioSessionProperty_AudioInputAvailable && size == sizeof (UInt32))
        say("input now %lu", (unsigned long)*(const UInt32 *)value);
}

void begin(void) {
    AudioSessionInitialize(NULL, NULL, NULL, NULL);
    UInt32 available;
    UInt32 size = sizeof (available);
    AudioSessionGetProperty (
        kAudioSessionProperty_AudioInputAvailable,
        &size,
        &available // nonzero if there is one
    );
    say("input %lu", (unsigned long)available);
    AudioSessionAddPropertyListener(kAudioSessionProperty_AudioInputAvailable, changed, NULL);
}

int obey(const char *word) { return word == NULL; }
