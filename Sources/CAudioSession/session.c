/* Makes, shares and frees the session. */
#include "delivery.h"
#include "service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

void as_retain(struct as_session *session) { session->references++; }

void as_release(struct as_session *session) {
    if (--session->references > 0) return;
    as_events_drop(session);
    AudioSessionValueRelease(session->told_by);
    as_published_drop(session);
    while (session->listeners != NULL) {
        struct as_listener *listener = session->listeners;
        session->listeners = listener->next;
        free(listener);
    }
    if (session->wake_fd >= 0) close(session->wake_fd);
    if (session->poll_fd >= 0) close(session->poll_fd);
    free(session->address);
    free(session);
}

/* The address of the session bus, as sd-bus finds it. Read here, on the application's thread, because other threads of the
 * application may change the environment later. */
static char *bus_address(void) {
    char *address = NULL, *runtime = NULL;
    const char *given = secure_getenv("DBUS_SESSION_BUS_ADDRESS"), *folder = secure_getenv("XDG_RUNTIME_DIR");
    if (given != NULL && *given != 0) return strdup(given);
    if (folder == NULL && asprintf(&runtime, "/run/user/%u", (unsigned)getuid()) < 0) return NULL;
    if (folder == NULL) folder = runtime;
    size_t length = 0;
    FILE *file = open_memstream(&address, &length);
    if (file != NULL) {
        fputs("unix:path=", file);
        for (; *folder != 0; folder++) {
            bool is_plain = strchr("-_/.\\*", *folder) != NULL || (*folder >= '0' && *folder <= '9') ||
                            ((*folder | 32) >= 'a' && (*folder | 32) <= 'z');
            fprintf(file, is_plain ? "%c" : "%%%02x", (unsigned char)*folder);
        }
        fputs("/bus", file);
        if (fclose(file) != 0) {
            free(address);
            address = NULL;
        }
    }
    free(runtime);
    return address;
}

struct as_session *as_create(AudioSessionInterruptionListener listener, void *data) {
    struct as_session *session = calloc(1, sizeof *session);
    if (session == NULL) return NULL;
    session->references = 1;
    session->bus_fd = -1;
    session->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    session->poll_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    session->address = bus_address();
    session->interruption = listener;
    session->interruption_data = data;
    session->wanted.category = kAudioSessionCategory_SoloAmbientSound;
    session->wanted.mode = kAudioSessionMode_Default;
    session->wanted.on_disconnect = 2;
    if (session->wake_fd >= 0 && session->poll_fd >= 0 && session->address != NULL) return session;
    as_release(session);
    return NULL;
}
