/* A player stops when its headphones go, and asks its user: stop, or play? Registered as in 7-21; the answer is 7-19. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>
#include <string.h>

struct player {
    bool plays, asks;
};
static struct player player;

void player_moved (
    void                    *data,
    AudioSessionPropertyID  id,
    UInt32                  size,
    const void              *value
);
void player_moved (
    void                    *data,
    AudioSessionPropertyID  id,
    UInt32                  size,
    const void              *value
) {
    if (id != kAudioSessionProperty_AudioRouteChange) return;
    struct player *it = (struct player *) data;
    if (it->plays == 0 || size != sizeof (CFDictionaryRef)) {
        say("silent");
        return;
    } else {
        CFDictionaryRef change = value;
        CFNumberRef number =
            CFDictionaryGetValue (
                change,
                CFSTR (kAudioSession_AudioRouteChangeKey_Reason)
            );
        SInt32 reason;
        CFNumberGetValue (
            number, kCFNumberSInt32Type, &reason
        );
        CFStringRef former = CFDictionaryGetValue(change, CFSTR(kAudioSession_AudioRouteChangeKey_OldRoute));
        if (reason ==
                kAudioSessionRouteChangeReason_OldDeviceUnavailable) {
            it->plays = false;
            it->asks = true;
            say("asks, was %s", CFStringGetCStringPtr(former, kCFStringEncodingUTF8));
        } else {
            say("reason %ld", (long)reason);
        }
    }
}

static void chose(int button) {
    player.asks = false;
    if (button == 1) {
        say("active %s", shown(AudioSessionSetActive(true)));
        player.plays = true;
        say("plays");
    } else {
        say("stopped");
    }
}

static void paused(void *data, UInt32 state) {
    (void)data;
    say("interruption %s", state == kAudioSessionBeginInterruption ? "begins" : "ends");
}

void begin(void) {
    UInt32 category = kAudioSessionCategory_MediaPlayback;
    AudioSessionInitialize(NULL, NULL, paused, NULL);
    AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof (category), &category);
    say("active %s", shown(AudioSessionSetActive(true)));
    player.plays = true;
    AudioSessionPropertyID change =
        kAudioSessionProperty_AudioRouteChange;
    say("listens %s", shown(AudioSessionAddPropertyListener (
        change,
        player_moved,
        &player
    )));
}

int obey(const char *word) {
    if (strcmp(word, "play") == 0) {
        chose(1);
    } else if (strcmp(word, "stop") == 0) {
        chose(0);
    } else {
        return false;
    }
    return true;
}
