#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shared.h"

void shared_init(struct shared *shared, const struct card_plan *plan, const char *socket, const char *instance) {
    const char *buffer = getenv("FIXTURE_CARD_BUFFER");
    const char *mode = getenv("FIXTURE_CARD");
    snprintf(shared->kind, sizeof(shared->kind), "%s", plan->kind);
    snprintf(shared->instance, sizeof(shared->instance), "%s", instance);
    snprintf(shared->socket, sizeof(shared->socket), "%s", socket);
    shared->buffer_frames = buffer != NULL ? (uint32_t)atoi(buffer) : 0;
    shared->lies = getenv("FIXTURE_CARD_LIES") != NULL;
    shared->present = mode == NULL || strcmp(mode, "absent") != 0;
    shared->device = SPA_ID_INVALID;
    for (uint32_t port = 0; port < plan->port_count; port++) shared->available[port] = plan->ports[port].available;
    for (uint32_t number = 0; number < plan->device_count; number++) {
        shared->devices[number].node = SPA_ID_INVALID;
        shared->devices[number].heard = shared->devices[number].heard_before = -1;
    }
}

void card_name(const struct shared *shared, const struct card_plan *plan, char *name, size_t size) {
    snprintf(name, size, "%s%s%s", plan->name, shared->instance[0] != '\0' ? "." : "", shared->instance);
}

void node_path(const struct shared *shared, uint32_t number, char *path, size_t size) {
    snprintf(path, size, "fixture:%s%s%s:%u", shared->kind, shared->instance[0] != '\0' ? "." : "", shared->instance,
             number);
}

void note(const char *format, ...) {
    struct timespec now;
    va_list arguments;
    clock_gettime(CLOCK_MONOTONIC, &now);
    flockfile(stderr);
    fprintf(stderr, "%lld.%06ld ", (long long)now.tv_sec, now.tv_nsec / 1000);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    funlockfile(stderr);
}
