/* Activation and deactivation, with the words of stdbool.h. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>
#include <string.h>

void begin(void) {
    OSStatus status = noErr;
    status = AudioSessionSetActive (true);
    say("before initialization %s", shown(status));
    AudioSessionInitialize(NULL, NULL, NULL, NULL);
}

int obey(const char *word) {
    OSStatus status = noErr;
    if (strcmp(word, "play") == 0) {
        status = AudioSessionSetActive (true);
    } else if (strcmp(word, "stop") == 0) {
        status = AudioSessionSetActive (false);
    } else {
        return false;
    }
    say("%s %s", word, shown(status));
    return true;
}
