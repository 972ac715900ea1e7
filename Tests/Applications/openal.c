/* Plays a file of 16-bit stereo as a game does, through OpenAL: openal FILE. */
#include <AL/al.h>
#include <AL/alc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { HEADER = 44, RATE = 48000 };

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) return 2;
    long size = ftell(file) - HEADER;
    char *sound = malloc((size_t)size);
    if (sound == NULL || fseek(file, HEADER, SEEK_SET) != 0 || fread(sound, 1, (size_t)size, file) != (size_t)size) return 2;
    ALCdevice *device = alcOpenDevice(NULL);
    ALCcontext *context = device != NULL ? alcCreateContext(device, NULL) : NULL;
    if (context == NULL || !alcMakeContextCurrent(context)) return 1;
    ALuint buffer, source;
    ALint state = AL_PLAYING;
    alGenBuffers(1, &buffer);
    alGenSources(1, &source);
    alBufferData(buffer, AL_FORMAT_STEREO16, sound, (ALsizei)size, RATE);
    alSourcei(source, AL_BUFFER, (ALint)buffer);
    alSourcePlay(source);
    for (; state == AL_PLAYING; usleep(100000)) alGetSourcei(source, AL_SOURCE_STATE, &state);
    return 0;
}
