/* A sound card that does not exist: a client that exports a device, which the session manager takes for a real one.
 *
 *   fixture-card KIND SOCKET [INSTANCE]
 *
 * It has plugs that a test can pull (commands.c), and what comes out of each can be recorded (outlets.c). With an
 * instance, its names differ from those of another card of its kind. Under FIXTURE_CARD=absent in the environment it
 * is not there until it is told to appear; FIXTURE_CARD_BUFFER is the length of its buffer in frames. What happens goes
 * to standard error, with the time. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

void note(const char *format, ...) {
    struct timespec now;
    va_list arguments;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(stderr, "%lld.%06ld ", (long long)now.tv_sec, now.tv_nsec / 1000);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static void quit(void *data, int number) {
    (void)number;
    pw_main_loop_quit(data);
}

static void failed(void *data, uint32_t id, int sequence, int result, const char *message) {
    (void)sequence;
    note("error of object %u: %d %s", id, result, message);
    /* The daemon is gone. */
    if (id == PW_ID_CORE && result == -EPIPE) pw_main_loop_quit(data);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .error = failed};

int main(int argc, char *argv[]) {
    static struct card card;
    struct spa_hook core_listener = {0};
    if (argc < 3 || (card.plan = find_plan(argv[1])) == NULL) {
        fprintf(stderr, "usage: fixture-card KIND SOCKET [INSTANCE]\nKIND is one of ");
        print_plans(stderr);
        fputc('\n', stderr);
        return 2;
    }
    setvbuf(stderr, NULL, _IOLBF, 0);
    pw_init(NULL, NULL);
    struct pw_main_loop *loop = pw_main_loop_new(NULL);
    card.loop = pw_main_loop_get_loop(loop);
    pw_loop_add_signal(card.loop, SIGTERM, quit, loop);
    pw_loop_add_signal(card.loop, SIGINT, quit, loop);
    struct pw_context *context = pw_context_new(card.loop, NULL, 0);
    card.core = pw_context_connect(context, NULL, 0);
    if (card.core == NULL) {
        fprintf(stderr, "fixture-card: no server\n");
        return 1;
    }
    pw_core_add_listener(card.core, &core_listener, &core_events, loop);

    card.instance = argc > 3 ? argv[3] : "";
    card.id = SPA_ID_INVALID;
    for (uint32_t port = 0; port < card.plan->port_count; port++)
        card.available[port] = card.plan->ports[port].available;
    for (uint32_t number = 0; number < card.plan->device_count; number++) {
        struct device *device = &card.devices[number];
        device->card = &card;
        device->number = number;
        device->node = SPA_ID_INVALID;
        device->heard = -1;
        // As somebody may have left a mixer: what the session manager sets first is a change, of which the card tells.
        // WirePlumber 0.5 counts on that: a port of which it hears for the first time it sets again.
        for (int channel = 0; channel < CHANNELS; channel++) device->volumes[channel] = 0.75f;
    }
    const char *buffer = getenv("FIXTURE_CARD_BUFFER");
    if (buffer != NULL) card.buffer_frames = SPA_MIN((uint32_t)atoi(buffer), (uint32_t)LONGEST_BUFFER);
    spa_hook_list_init(&card.hooks);
    watch_registry(&card);
    make_outlets(&card);
    const char *mode = getenv("FIXTURE_CARD");
    if (mode == NULL || strcmp(mode, "absent") != 0) appear(&card);
    int result = serve(&card, argv[2]);
    if (result < 0) {
        fprintf(stderr, "fixture-card: %s: %s\n", argv[2], strerror(-result));
        return 1;
    }
    note("ready");
    pw_main_loop_run(loop);
    pw_context_destroy(context);
    pw_main_loop_destroy(loop);
    return 0;
}
