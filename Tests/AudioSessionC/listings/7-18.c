/* The same for systems before the phone's third: the context is made anew. Which system it is, nobody has to ask here. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>
#include <OpenAL/alc.h>
#include <string.h>

static ALCdevice *device;
static ALCcontext *context;
static bool kept;
/* As if it ran on an old system. */
static bool is_old;

static int major_version(void) { return TARGET_OS_IPHONE ? 2 : 3; }
static void keep(ALCcontext *it) { kept = it != NULL; }
static void bring_back(ALCcontext *it) { say("brought back: %d", kept && it != NULL); }

static void any_heard(void *data, UInt32 state) {
    const bool *is_old = data;
    if (major_version() >= 3 && !*is_old) {
        alcMakeContextCurrent(state == kAudioSessionBeginInterruption ? NULL : context);
        say("context: %d", alcGetCurrentContext() != NULL);
    } else {
        if (state == kAudioSessionBeginInterruption) {
            keep(context);
            alcDestroyContext (context);
            say("destroyed");
        } if (state == kAudioSessionEndInterruption) {
            context = alcCreateContext (device, NULL);
            bring_back(context);
        }
    }
}

void begin(void) {
    device = alcOpenDevice(NULL);
    context = alcCreateContext(device, NULL);
    alcMakeContextCurrent(context);
    AudioSessionInitialize(NULL, NULL, any_heard, &is_old);
    say("active %s", shown(AudioSessionSetActive(true)));
}

int obey(const char *word) {
    if (strcmp(word, "go on") != 0) return false;
    is_old = true;
    say("active %s", shown(AudioSessionSetActive(true)));
    return true;
}
