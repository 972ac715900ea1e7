/* The stand-in for OpenAL. */
#include "AL/alc.h"

#include <stdlib.h>

struct ALCdevice { int number; };
struct ALCcontext { ALCdevice *device; };

static ALCdevice only_device;
static ALCcontext *current;

ALCdevice *alcOpenDevice(const char *name) { return name == NULL ? &only_device : NULL; }

ALCcontext *alcCreateContext(ALCdevice *device, const ALCint *attributes) {
    ALCcontext *made = device == NULL || attributes != NULL ? NULL : malloc(sizeof *made);
    if (made != NULL) made->device = device;
    return made;
}

ALCboolean alcMakeContextCurrent(ALCcontext *context) {
    current = context;
    return 1;
}

ALCcontext *alcGetCurrentContext(void) { return current; }

void alcDestroyContext(ALCcontext *context) {
    if (context == current) current = NULL;
    free(context);
}
