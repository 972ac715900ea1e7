/* What a test says over the socket, a line at a time: the same as to the card for PipeWire, and "record PORT FILE". Each
 * line is answered by one, "ok" or "error …", when it is done. */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <pulse/rtclock.h>
#include <pulse/xmalloc.h>
#include <pulsecore/core-util.h>

struct connection {
    struct connection *next;
    struct fixture *fixture;
    pa_io_event *event;
    int descriptor;
    char line[1024];
    size_t used;
};

struct server {
    int descriptor;
    char *path;
    pa_io_event *event;
    struct connection *connections;

    /* A plug with a bad contact. */
    pa_time_event *flapping;
    uint32_t flapping_port, flaps_left;
    pa_usec_t next_flap, flap_period;
    int flapping_descriptor;
};

static void answer(int descriptor, const char *text) {
    char line[2048];
    int length = snprintf(line, sizeof(line), "%s\n", text);
    if (!pa_startswith(text, "ok {")) note("answer %s", text);
    if (descriptor >= 0) (void)!send(descriptor, line, (size_t)length, MSG_NOSIGNAL);
}

/* The state as JSON. */
static void tell_state(struct fixture *fixture, int descriptor) {
    const struct card_plan *plan = fixture->plan;
    uint32_t profile = fixture->card != NULL ? current_profile(fixture->card) : 0;
    uint32_t devices = fixture->card != NULL ? plan->profiles[profile].devices : 0;
    const char *heard = "";
    bool is_linked = fixture->card != NULL;
    char text[2000];
    size_t used = 0;
#define TELL(...) used += (size_t)snprintf(text + used, sizeof(text) - used, __VA_ARGS__)
    for (uint32_t number = plan->device_count; number-- > 0;) {
        const struct device *device = &fixture->devices[number];
        if ((devices & ONLY(number)) == 0) continue;
        if (device->sink == NULL && device->source == NULL) is_linked = false;
        if (device->sink != NULL) heard = plan->ports[device->port].key;
    }
    TELL("ok {\"kind\": \"%s\", \"present\": %s, \"linked\": %s, \"device\": %d, \"profile\": \"%s\", \"heard\": "
         "\"%s\", ",
         plan->kind, fixture->card != NULL ? "true" : "false", is_linked ? "true" : "false",
         fixture->card != NULL ? (int)fixture->card->index : -1, plan->profiles[profile].name, heard);
    TELL("\"ports\": {");
    for (uint32_t port = 0; port < plan->port_count; port++)
        TELL("%s\"%s\": \"%s\"", port > 0 ? ", " : "", plan->ports[port].key,
             availability_name(fixture->available[port]));
    TELL("}, \"devices\": [");
    const char *separator = "";
    for (uint32_t number = 0; number < plan->device_count; number++) {
        const struct device *device = &fixture->devices[number];
        const pa_cvolume *volume = device->sink != NULL     ? &device->sink->reference_volume
                                   : device->source != NULL ? &device->source->reference_volume
                                                            : NULL;
        if (volume == NULL) continue;
        TELL("%s{\"number\": %u, \"node\": %d, \"port\": \"%s\", \"volume\": %.6f, \"muted\": %s}", separator, number,
             (int)(device->sink != NULL ? device->sink->index : device->source->index), plan->ports[device->port].key,
             pa_sw_volume_to_linear(pa_cvolume_avg(volume)),
             (device->sink != NULL ? device->sink->muted : device->source->muted) ? "true" : "false");
        separator = ", ";
    }
    TELL("]}");
#undef TELL
    answer(descriptor, text);
}

/* MARK: - A bad contact */

static void flap(pa_mainloop_api *api, pa_time_event *event, const struct timeval *time, void *data) {
    struct fixture *fixture = data;
    struct server *server = fixture->server;
    (void)api, (void)time;
    bool is_there = fixture->available[server->flapping_port] != SPA_PARAM_AVAILABILITY_no;
    set_available(fixture, server->flapping_port, is_there ? SPA_PARAM_AVAILABILITY_no : SPA_PARAM_AVAILABILITY_yes);
    server->next_flap += server->flap_period;
    if (--server->flaps_left > 0) return pa_core_rttime_restart(fixture->core, event, server->next_flap);
    fixture->core->mainloop->time_free(event);
    server->flapping = NULL;
    answer(server->flapping_descriptor, "ok");
}

static void start_flapping(struct fixture *fixture, uint32_t port, double rate, double seconds, int descriptor) {
    struct server *server = fixture->server;
    if (!(rate >= 1 && rate <= 1000 && seconds > 0 && seconds <= 60 && rate * seconds >= 1) ||
        server->flapping != NULL)
        return answer(descriptor,
                      "error flap PORT RATE SECONDS, one at a time, 1 to 1000 a second, for up to 60 seconds");
    server->flapping_port = port;
    server->flaps_left = (uint32_t)(rate * seconds + 0.5);
    server->flapping_descriptor = descriptor;
    server->flap_period = (pa_usec_t)(PA_USEC_PER_SEC / rate);
    server->next_flap = pa_rtclock_now() + server->flap_period;
    server->flapping = pa_core_rttime_new(fixture->core, server->next_flap, flap, fixture);
}

/* MARK: - Commands */

static void carry_out(struct fixture *fixture, char *line, int descriptor) {
    if (!pa_streq(line, "state")) note("command %s", line);
    char *argument = strchr(line, ' ');
    if (argument != NULL) *argument++ = '\0';
    const char *rest = argument != NULL ? argument : "";
    if (pa_streq(line, "state")) return tell_state(fixture, descriptor);
    if (pa_streq(line, "plug") || pa_streq(line, "unplug")) {
        int port = find_port(fixture->plan, rest);
        if (port < 0) return answer(descriptor, "error no such port");
        set_available(fixture, (uint32_t)port, line[0] == 'p' ? SPA_PARAM_AVAILABILITY_yes : SPA_PARAM_AVAILABILITY_no);
    } else if (pa_streq(line, "profile") || pa_streq(line, "vanish-in-profile-switch")) {
        int profile = find_profile(fixture->plan, rest);
        if (profile < 0 || choose_profile(fixture, (uint32_t)profile) < 0)
            return answer(descriptor, "error no such profile now");
        if (line[0] == 'v') vanish(fixture);
    } else if (pa_streq(line, "flap")) {
        char key[64] = "";
        double rate = 0, seconds = 0;
        sscanf(rest, "%63s %lf %lf", key, &rate, &seconds);
        int port = find_port(fixture->plan, key);
        if (port < 0) return answer(descriptor, "error no such port");
        return start_flapping(fixture, (uint32_t)port, rate, seconds, descriptor);
    } else if (pa_streq(line, "record")) {
        char key[64] = "", path[512] = "";
        sscanf(rest, "%63s %511s", key, path);
        int port = find_port(fixture->plan, key);
        if (port < 0 || fixture->plan->ports[port].direction != SPA_DIRECTION_OUTPUT)
            return answer(descriptor, "error nothing comes out of that port");
        if (!record(fixture, (uint32_t)port, path)) return answer(descriptor, "error no such file");
    } else if (pa_streq(line, "appear")) {
        appear(fixture);
    } else if (pa_streq(line, "vanish")) {
        vanish(fixture);
    } else {
        return answer(descriptor, "error plug PORT, unplug PORT, flap PORT RATE SECONDS, profile NAME, appear, vanish, "
                                  "vanish-in-profile-switch NAME, record PORT FILE, or state");
    }
    answer(descriptor, "ok");
}

/* MARK: - Connections */

static void close_connection(struct connection *connection) {
    struct server *server = connection->fixture->server;
    for (struct connection **link = &server->connections; *link != NULL; link = &(*link)->next)
        if (*link == connection) {
            *link = connection->next;
            break;
        }
    if (server->flapping_descriptor == connection->descriptor) server->flapping_descriptor = -1;
    connection->fixture->core->mainloop->io_free(connection->event);
    close(connection->descriptor);
    pa_xfree(connection);
}

static void read_commands(pa_mainloop_api *api, pa_io_event *event, int descriptor, pa_io_event_flags_t flags,
                          void *data) {
    struct connection *connection = data;
    (void)api, (void)event, (void)flags;
    ssize_t count = recv(descriptor, connection->line + connection->used,
                         sizeof(connection->line) - connection->used - 1, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return close_connection(connection);
    connection->used += (size_t)count;
    connection->line[connection->used] = '\0';
    char *start = connection->line, *end;
    while ((end = strchr(start, '\n')) != NULL) {
        *end = '\0';
        carry_out(connection->fixture, start, descriptor);
        start = end + 1;
    }
    connection->used = strlen(start);
    memmove(connection->line, start, connection->used + 1);
}

static void accept_connection(pa_mainloop_api *api, pa_io_event *event, int descriptor, pa_io_event_flags_t flags,
                              void *data) {
    struct fixture *fixture = data;
    (void)event, (void)flags;
    int accepted = accept4(descriptor, NULL, NULL, SOCK_CLOEXEC);
    if (accepted < 0) return;
    struct connection *connection = pa_xnew0(struct connection, 1);
    connection->fixture = fixture;
    connection->descriptor = accepted;
    connection->next = fixture->server->connections;
    fixture->server->connections = connection;
    connection->event = api->io_new(api, accepted, PA_IO_EVENT_INPUT | PA_IO_EVENT_HANGUP | PA_IO_EVENT_ERROR,
                                    read_commands, connection);
}

bool start_server(struct fixture *fixture, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(address.sun_path)) return false;
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(descriptor, 8) < 0) {
        note("no socket %s: %s", path, strerror(errno));
        if (descriptor >= 0) close(descriptor);
        return false;
    }
    fixture->server = pa_xnew0(struct server, 1);
    fixture->server->descriptor = descriptor;
    fixture->server->path = pa_xstrdup(path);
    fixture->server->flapping_descriptor = -1;
    fixture->server->event = fixture->core->mainloop->io_new(
        fixture->core->mainloop, descriptor, PA_IO_EVENT_INPUT, accept_connection, fixture);
    return true;
}

void stop_server(struct fixture *fixture) {
    struct server *server = fixture->server;
    if (server == NULL) return;
    while (server->connections != NULL) close_connection(server->connections);
    if (server->flapping != NULL) fixture->core->mainloop->time_free(server->flapping);
    fixture->core->mainloop->io_free(server->event);
    close(server->descriptor);
    unlink(server->path);
    pa_xfree(server->path);
    pa_xfree(server);
    fixture->server = NULL;
}
