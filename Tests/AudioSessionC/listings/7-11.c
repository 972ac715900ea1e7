/* A Bluetooth headset's microphone, for a category that records. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>

static void allow(UInt32 category) {
    UInt32 allows = 1, size = sizeof (allows);
    AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof (category), &category);
    OSStatus status = AudioSessionSetProperty (
        kAudioSessionProperty_OverrideCategoryEnableBluetoothInput,
        sizeof (allows),
        &allows
    );
    say("%s %s", category == kAudioSessionCategory_MediaPlayback ? "playback" : "recording", shown(status));
    AudioSessionGetProperty(kAudioSessionProperty_OverrideCategoryEnableBluetoothInput, &size, &allows);
    say("allows %lu", (unsigned long)allows);
}

void begin(void) {
    AudioSessionInitialize(NULL, NULL, NULL, NULL);
    allow(kAudioSessionCategory_RecordAudio);
    allow(kAudioSessionCategory_PlayAndRecord);
    allow(kAudioSessionCategory_MediaPlayback);
}

int obey(const char *word) { return word == NULL; }
