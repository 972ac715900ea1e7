/* What hears of interruptions has the type that the library names, or is declared with that type's parameters. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>

static void heard(void *inClientData, UInt32 inInterruptionState);
static AudioSessionInterruptionListener listener = heard;

static void heard(void *inClientData, UInt32 inInterruptionState) {
    say("%s %s", (const char *)inClientData, inInterruptionState == kAudioSessionBeginInterruption ? "begins" : "ends");
}

void begin(void) {
    static char music[] = "music";
    say("initialize %s", shown(AudioSessionInitialize(NULL, kCFRunLoopDefaultMode, listener, music)));
    say("active %s", shown(AudioSessionSetActive(true)));
}

int obey(const char *word) { return word == NULL; }
