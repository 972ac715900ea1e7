/* What a test says over the socket, a line at a time. Each line is answered by one, "ok" or "error …", when it is
 * done. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "model.h"

struct connection {
    struct card *card;
    struct connection *next;
    struct spa_source *source;
    int descriptor;
    char line[512];
    size_t used;
};

static void answer(int descriptor, const char *text) {
    char line[2048];
    int length = snprintf(line, sizeof(line), "%s\n", text);
    note("answer %s", text);
    if (descriptor >= 0) (void)!send(descriptor, line, (size_t)length, MSG_NOSIGNAL);
}

/* The state as JSON. */
static void tell_state(struct card *card, int descriptor) {
    const struct card_plan *plan = card->plan;
    bool is_present = card->shared->present;
    char text[2000];
    size_t used = 0;
#define TELL(...) used += (size_t)snprintf(text + used, sizeof(text) - used, __VA_ARGS__)
    TELL("ok {\"kind\": \"%s\", \"present\": %s, \"linked\": %s, \"device\": %d, \"profile\": \"%s\", \"heard\": "
         "\"%s\", ",
         plan->kind, is_present ? "true" : "false", is_present && is_linked(card) ? "true" : "false",
         (int)card->shared->device, plan->profiles[card->profile].name,
         heard_port(card) >= 0 ? plan->ports[heard_port(card)].key : "");
    TELL("\"ports\": {");
    for (uint32_t port = 0; port < plan->port_count; port++)
        TELL("%s\"%s\": \"%s\"", port > 0 ? ", " : "", plan->ports[port].key, availability_name(card->shared->available[port]));
    TELL("}, \"devices\": [");
    const char *separator = "";
    for (uint32_t number = 0; number < plan->device_count; number++) {
        const struct device *device = &card->devices[number];
        if (!is_present || (plan->profiles[card->profile].devices & ONLY(number)) == 0) continue;
        TELL("%s{\"number\": %u, \"node\": %d, \"port\": \"%s\", \"volume\": %.6f, \"muted\": %s}", separator, number,
             (int)card->shared->devices[number].node, plan->ports[device->port].key, device->volumes[0], device->muted ? "true" : "false");
        separator = ", ";
    }
    TELL("]}");
#undef TELL
    answer(descriptor, text);
}

static void flap(void *data, uint64_t expirations) {
    struct card *card = data;
    for (; expirations > 0 && card->flaps_left > 0; expirations--) {
        bool is_there = card->shared->available[card->flapping_port] != SPA_PARAM_AVAILABILITY_no;
        set_available(card, card->flapping_port, is_there ? SPA_PARAM_AVAILABILITY_no : SPA_PARAM_AVAILABILITY_yes);
        card->flaps_left--;
    }
    if (card->flaps_left > 0) return;
    spa_loop_utils_update_timer(card->loop, card->flapping, NULL, NULL, false);
    answer(card->flapping_connection, "ok");
    card->flapping_connection = -1;
}

static void start_flapping(struct card *card, int port, double rate, double seconds, int descriptor) {
    if (!(rate >= 1 && rate <= 1000 && seconds > 0 && seconds <= 60) || card->flaps_left > 0) {
        answer(descriptor, "error flap PORT RATE SECONDS, one at a time, 1 to 1000 a second, for up to 60 seconds");
        return;
    }
    card->flapping_port = (uint32_t)port;
    card->flaps_left = (uint32_t)(rate * seconds + 0.5);
    card->flapping_connection = descriptor;
    struct timespec period = {(time_t)(1 / rate), (long)((1 / rate - (time_t)(1 / rate)) * 1e9)};
    spa_loop_utils_update_timer(card->loop, card->flapping, &period, &period, false);
}

static void carry_out(struct card *card, char *line, int descriptor) {
    note("command %s", line);
    char *argument = strchr(line, ' ');
    if (argument != NULL) *argument++ = '\0';
    const char *rest = argument != NULL ? argument : "";
    if (strcmp(line, "state") == 0) return tell_state(card, descriptor);
    if (strcmp(line, "plug") == 0 || strcmp(line, "unplug") == 0) {
        int port = find_port(card->plan, rest);
        if (port < 0) return answer(descriptor, "error no such port");
        set_available(card, (uint32_t)port, line[0] == 'p' ? SPA_PARAM_AVAILABILITY_yes : SPA_PARAM_AVAILABILITY_no);
    } else if (strcmp(line, "profile") == 0 || strcmp(line, "vanish-in-profile-switch") == 0) {
        int profile = find_profile(card->plan, rest);
        if (profile < 0 || !card->shared->present) return answer(descriptor, "error no such profile now");
        set_profile(card, (uint32_t)profile, true);
        if (line[0] == 'v') vanish(card);
    } else if (strcmp(line, "flap") == 0) {
        char key[64] = "";
        double rate = 0, seconds = 0;
        sscanf(rest, "%63s %lf %lf", key, &rate, &seconds);
        int port = find_port(card->plan, key);
        if (port < 0) return answer(descriptor, "error no such port");
        return start_flapping(card, port, rate, seconds, descriptor);
    } else if (strcmp(line, "latency") == 0) {
        char key[64] = "";
        double milliseconds = 0;
        sscanf(rest, "%63s %lf", key, &milliseconds);
        int port = find_port(card->plan, key);
        if (port < 0 || !set_latency(card, (uint32_t)port, milliseconds)) {
            return answer(descriptor, "error no such microphone in use");
        }
    } else if (strcmp(line, "appear") == 0) {
        if (!card->shared->present) appear(card);
    } else if (strcmp(line, "vanish") == 0) {
        vanish(card);
    } else {
        return answer(descriptor, "error plug PORT, unplug PORT, flap PORT RATE SECONDS, latency PORT MILLISECONDS, "
                                  "profile NAME, appear, vanish, vanish-in-profile-switch NAME, or state");
    }
    answer(descriptor, "ok");
}

static void close_connection(struct connection *connection) {
    struct card *card = connection->card;
    struct connection **place = &card->connections;
    while (*place != connection) place = &(*place)->next;
    *place = connection->next;
    if (card->flapping_connection == connection->descriptor) card->flapping_connection = -1;
    spa_loop_utils_destroy_source(card->loop, connection->source);
    free(connection);
}

static void read_commands(void *data, int descriptor, uint32_t mask) {
    struct connection *connection = data;
    (void)mask;
    ssize_t count = recv(descriptor, connection->line + connection->used,
                         sizeof(connection->line) - connection->used - 1, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
        close_connection(connection);
        return;
    }
    connection->used += (size_t)count;
    connection->line[connection->used] = '\0';
    char *start = connection->line, *end;
    while ((end = strchr(start, '\n')) != NULL) {
        *end = '\0';
        carry_out(connection->card, start, descriptor);
        start = end + 1;
    }
    connection->used = strlen(start);
    memmove(connection->line, start, connection->used + 1);
}

static void accept_connection(void *data, int descriptor, uint32_t mask) {
    struct connection *connection = calloc(1, sizeof(*connection));
    (void)mask;
    if (connection == NULL) return;
    connection->card = data;
    connection->descriptor = accept(descriptor, NULL, NULL);
    if (connection->descriptor < 0) {
        free(connection);
        return;
    }
    connection->next = connection->card->connections;
    connection->card->connections = connection;
    connection->source = spa_loop_utils_add_io(connection->card->loop, connection->descriptor,
                                               SPA_IO_IN | SPA_IO_HUP | SPA_IO_ERR, true, read_commands, connection);
}

int serve(struct card *card) {
    const char *path = card->shared->socket;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    /* It has its name when it can be connected to. A former one may be of a session manager that has died. */
    if (snprintf(address.sun_path, sizeof(address.sun_path), "%s.new", path) >= (int)sizeof(address.sun_path))
        return -ENAMETOOLONG;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(descriptor, 8) < 0 || rename(address.sun_path, path) < 0)
        return -errno;
    card->flapping = spa_loop_utils_add_timer(card->loop, flap, card);
    card->listening = spa_loop_utils_add_io(card->loop, descriptor, SPA_IO_IN, true, accept_connection, card);
    return card->listening != NULL ? 0 : -errno;
}

void stop_serving(struct card *card) {
    while (card->connections != NULL) close_connection(card->connections);
    if (card->listening == NULL) return;
    unlink(card->shared->socket);
    spa_loop_utils_destroy_source(card->loop, card->listening);
    spa_loop_utils_destroy_source(card->loop, card->flapping);
    card->listening = card->flapping = NULL;
}
