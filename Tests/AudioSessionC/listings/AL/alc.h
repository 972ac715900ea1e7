/* Stands in for OpenAL's own header, which need not be installed: what the listings call, with one device, and contexts that
 * nobody hears. */
#ifndef STAND_IN_ALC_H
#define STAND_IN_ALC_H

typedef struct ALCdevice ALCdevice;
typedef struct ALCcontext ALCcontext;
typedef char ALCboolean;
typedef int ALCint;

ALCdevice *alcOpenDevice(const char *name);
ALCcontext *alcCreateContext(ALCdevice *device, const ALCint *attributes);
ALCboolean alcMakeContextCurrent(ALCcontext *context);
ALCcontext *alcGetCurrentContext(void);
void alcDestroyContext(ALCcontext *context);

#endif
