/* Loaded into a sound server beforehand, it writes to the file HEAP_FIGURES four times a second how many bytes of the
 * heap are in use: without the holes between them, which the kernel cannot tell from what is in use. When there is a file of
 * that name with .trim behind it, it gives the holes back to the kernel, and removes that file. For Tests/bin/soak. */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *count(void *path) {
    char request[256];
    snprintf(request, sizeof request, "%s.trim", (const char *)path);
    for (;;) {
        if (access(request, F_OK) == 0) {
            malloc_trim(0);
            unlink(request);
        }
        /* Each time, for PulseAudio closes whatever is open when it starts. */
        int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        struct mallinfo2 figures = mallinfo2();
        char text[32];
        int length = snprintf(text, sizeof text, "%20zu\n", figures.uordblks + figures.hblkhd);
        if (pwrite(file, text, (size_t)length, 0) < 0) return NULL;
        close(file);
        struct timespec pause = {.tv_nsec = 250000000};
        nanosleep(&pause, NULL);
    }
}

__attribute__((constructor)) static void begin(void) {
    pthread_t thread;
    const char *path = getenv("HEAP_FIGURES");
    if (path != NULL) pthread_create(&thread, NULL, count, strdup(path));
    /* Not for what the server starts. */
    unsetenv("LD_PRELOAD");
    unsetenv("HEAP_FIGURES");
}
