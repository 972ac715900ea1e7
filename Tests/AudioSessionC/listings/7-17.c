/* A game with OpenAL lets its context go while it is interrupted. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>
#include <OpenAL/al.h>
#include <OpenAL/alc.h>

static ALCcontext *context;

void game_heard (
    void *data,
    UInt32 state
);
void game_heard (
    void *data,
    UInt32 state
) {
    (void)data;
    if (state == kAudioSessionBeginInterruption) {
        alcMakeContextCurrent (NULL);
        say("no context: %d", alcGetCurrentContext() == NULL);
    } else if (state == kAudioSessionEndInterruption) {
        say("active %s", shown(AudioSessionSetActive(true)));
        alcMakeContextCurrent (context);
        say("its context: %d", alcGetCurrentContext() == context);
    }
}

void begin(void) {
    context = alcCreateContext(alcOpenDevice(NULL), NULL);
    alcMakeContextCurrent(context);
    AudioSessionInitialize(NULL, NULL, game_heard, NULL);
    say("active %s", shown(AudioSessionSetActive(true)));
}

int obey(const char *word) { return word == NULL; }
