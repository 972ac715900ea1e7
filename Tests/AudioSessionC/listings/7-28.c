/* What is compiled for a simulator, and what for a machine: this is a machine. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>

void begin(void) {
#if TARGET_IPHONE_SIMULATOR
#warning *** a simulator
    say("simulator");
#else
    CFStringRef route = NULL;
    UInt32 size = sizeof (route);
    AudioSessionInitialize(NULL, NULL, NULL, NULL);
    /* In a simulator, this fails. */
    say("machine %s", shown(AudioSessionGetProperty(kAudioSessionProperty_AudioRoute, &size, &route)));
    say("route \"%s\"", CFStringGetCStringPtr(route, kCFStringEncodingUTF8));
    CFRelease(route);
#endif
}

int obey(const char *word) { return word == NULL; }
