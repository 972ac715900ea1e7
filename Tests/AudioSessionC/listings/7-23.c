/* A wish for the buffer while the session is inactive, and what is in use (7-25 asks for the rate so). */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>
#include <string.h>

void begin(void) {
    UInt32 category = kAudioSessionCategory_MediaPlayback;
    AudioSessionInitialize(NULL, NULL, NULL, NULL);
    AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof (category), &category);
    Float32 wish = 0.005f; // s
    say("wish %s", shown(AudioSessionSetProperty (
        kAudioSessionProperty_PreferredHardwareIOBufferDuration,
        sizeof (wish),
        &wish
    )));
    say("active %s", shown(AudioSessionSetActive(true)));
}

int obey(const char *word) {
    Float32 duration = 0;
    UInt32 size = sizeof (duration);
    if (strcmp(word, "ask until 0.005") != 0) return false;
    /* What is in use follows the wish once there is sound; a test that waits in vain ends by itself. */
    do {
        AudioSessionGetProperty(kAudioSessionProperty_CurrentHardwareIOBufferDuration, &size, &duration);
    } while (duration < 0.0049f || duration > 0.0051f);
    say("buffer %.3f", (double)duration);
    return true;
}
