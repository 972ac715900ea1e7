/* The sample rate in use, of the active session, for what is recorded. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>

struct recorder {
    Float64 rate;
};

void begin(void) {
    static struct recorder recorder;
    UInt32 category = kAudioSessionCategory_RecordAudio;
    AudioSessionInitialize(NULL, NULL, NULL, NULL);
    AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof (category), &category);
    say("active %s", shown(AudioSessionSetActive(true)));
    UInt32 size = sizeof (recorder.rate);
    say("get %s", shown(AudioSessionGetProperty (
        kAudioSessionProperty_CurrentHardwareSampleRate,
        &size,
        &recorder.rate
    )));
    say("rate %.0f", recorder.rate);
}

int obey(const char *word) { return word == NULL; }
