/* Plays a file as a game does, through SDL 2: sdl2 FILE. */
#include <SDL.h>
#include <stdio.h>

int main(int argc, char **argv) {
    SDL_AudioSpec spec;
    Uint8 *sound;
    Uint32 size;
    if (argc != 2 || SDL_Init(SDL_INIT_AUDIO) < 0 || SDL_LoadWAV(argv[1], &spec, &sound, &size) == NULL) {
        fprintf(stderr, "%s\n", SDL_GetError());
        return 1;
    }
    SDL_AudioDeviceID device = SDL_OpenAudioDevice(NULL, 0, &spec, NULL, 0);
    if (device == 0 || SDL_QueueAudio(device, sound, size) < 0) {
        fprintf(stderr, "%s\n", SDL_GetError());
        return 1;
    }
    SDL_PauseAudioDevice(device, 0);
    while (SDL_GetQueuedAudioSize(device) > 0) SDL_Delay(100);
    SDL_Quit();
    return 0;
}
