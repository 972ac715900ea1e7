/* Preloaded into a sound server (LD_PRELOAD), writes the number of heap bytes in use to the file HEAP_FIGURES four times a second.
 * The kernel cannot tell free heap from used heap. If the file HEAP_FIGURES.trim exists, returns free heap to the
 * kernel and removes that file. For Tests/bin/soak. */
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
        /* Opened each time, because PulseAudio closes all open files when it starts. */
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
    /* Programs that the server starts must not load this library. */
    unsetenv("LD_PRELOAD");
    unsetenv("HEAP_FIGURES");
}
