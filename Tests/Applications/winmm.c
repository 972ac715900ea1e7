/* Plays a file as programs of Windows do, through winmm: winmm FILE. */
#include <stdio.h>
#include <windows.h>
#include <mmsystem.h>

int main(int argc, char **argv) {
    if (argc == 2 && PlaySoundA(argv[1], NULL, SND_FILENAME | SND_SYNC | SND_NODEFAULT)) return 0;
    fprintf(stderr, "cannot play it\n");
    return 1;
}
