/* Attackers on the session bus, each with a connection of its own. For Tests/bin/attacks.
 *
 *   attack-bus KIND SENDERS SECONDS [COUNT]
 *
 * Prints "ready" when the attack has begun, and at the end the number of requests and of answers that were errors.
 *
 *   open         OpenSession, then Close of the new session, again and again
 *   lives        COUNT sessions that are opened, let mix, activated, deactivated and closed: five requests each; in
 *                place of one that is refused, what there is is listed four times
 *   connections  COUNT connections, each of which opens a session and leaves with it
 *   set          Properties.Set of DoNotDisturb, on and off
 *   introspect   Introspect
 *   objects      GetManagedObjects
 *   dump         DumpState
 *   list         ListStreams
 *   explain      Explain, of an application's name
 *   large        OpenSession with a display-name of 200 KB
 *   sessions     opens COUNT sessions in all, lets them mix, activates them, and keeps them
 *   flips        activates and deactivates a session, again and again
 *   deaf         Subscribe, then never read again
 *   subscribers  Subscribe, then read all events
 *   players      media players that come and go
 *   names        names that come and go */
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

static const char service[] = "org.AudioSession1", root[] = "/org/AudioSession1",
                  manager[] = "org.AudioSession1.Manager", session[] = "org.AudioSession1.Session";
/* The number of calls of one sender that may wait for an answer. */
enum { WINDOW = 64 };

struct sender {
    sd_bus *bus;
    int number, waiting, wants_more, is_on, step;
    char path[64];
};

static const char *kind;
static uint64_t done, errors;
static long wanted, begun;
static char *large;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int is(const char *name) { return strcmp(kind, name) == 0; }

static void fail(const char *what, int code) {
    fprintf(stderr, "attack-bus: %s: %s\n", what, strerror(-code));
    exit(1);
}

static void call(struct sender *sender, sd_bus_message_handler_t answered, const char *path, const char *interface,
                 const char *method, const char *types, ...) {
    va_list arguments;
    va_start(arguments, types);
    int code = sd_bus_call_method_asyncv(sender->bus, NULL, service, path, interface, method, answered, sender, types,
                                         arguments);
    va_end(arguments);
    if (code < 0) fail(method, code);
    sender->waiting++;
}

static int answered(sd_bus_message *message, void *data, sd_bus_error *error) {
    struct sender *sender = data;
    (void)error;
    sender->waiting--;
    done++;
    if (sd_bus_message_is_method_error(message, NULL)) errors++;
    return 0;
}

static int opened(sd_bus_message *message, void *data, sd_bus_error *error) {
    struct sender *sender = data;
    const char *path;
    int is_error = sd_bus_message_is_method_error(message, NULL);
    answered(message, data, error);
    for (int turn = 0; is_error && is("lives") && turn < 4; turn++)
        call(sender, answered, root, manager, turn % 2 ? "ListStreams" : "ListSessions", "");
    if (is_error || sd_bus_message_read(message, "o", &path) < 0) return 0;
    if (is("open")) {
        call(sender, answered, path, session, "Close", "");
    } else {
        snprintf(sender->path, sizeof(sender->path), "%s", path);
        call(sender, answered, path, session, "SetCategory", "sass", "playback", 1, "mix-with-others", "");
        if (is("sessions") || is("lives")) call(sender, answered, path, session, "Activate", "as", 0);
        if (is("lives")) call(sender, answered, path, session, "Deactivate", "as", 0);
        if (is("lives")) call(sender, answered, path, session, "Close", "");
    }
    return 0;
}

/* Makes one more request of the attack. */
static void attack(struct sender *sender) {
    if (is("open") || is("lives") || is("connections")) {
        /* What a connection has opened stays open when it leaves. */
        sender->wants_more = !is("connections");
        call(sender, is("connections") ? answered : opened, root, manager, "OpenSession", "a{sv}", 1, "display-name", "s",
             "attacker");
    } else if (is("large")) {
        call(sender, answered, root, manager, "OpenSession", "a{sv}", 1, "display-name", "s", large);
    } else if (is("set")) {
        sender->is_on = !sender->is_on;
        call(sender, answered, root, "org.freedesktop.DBus.Properties", "Set", "ssv", manager, "DoNotDisturb", "b",
             sender->is_on);
    } else if (is("introspect")) {
        call(sender, answered, root, "org.freedesktop.DBus.Introspectable", "Introspect", "");
    } else if (is("objects")) {
        call(sender, answered, root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "");
    } else if (is("dump")) {
        call(sender, answered, root, manager, "DumpState", "");
    } else if (is("list")) {
        call(sender, answered, root, manager, "ListStreams", "");
    } else if (is("explain")) {
        call(sender, answered, root, manager, "Explain", "s", "attack-graph");
    } else if (is("sessions")) {
        sender->wants_more = --wanted > 0;
        call(sender, opened, root, manager, "OpenSession", "a{sv}", 0);
        if (++sender->step == 60) sender->wants_more = 0;
    } else if (is("flips")) {
        if (sender->step++ == 0) {
            sender->wants_more = 0;
            call(sender, opened, root, manager, "OpenSession", "a{sv}", 0);
        } else if (sender->step % 2 == 0) {
            call(sender, answered, sender->path, session, "Activate", "as", 0);
        } else {
            call(sender, answered, sender->path, session, "Deactivate", "as", 0);
        }
    } else if (is("deaf") || is("subscribers")) {
        sender->wants_more = 0;
        call(sender, answered, root, manager, "Subscribe", "");
    } else if (is("players") || is("names")) {
        char name[96];
        snprintf(name, sizeof(name), is("players") ? "org.mpris.MediaPlayer2.attacker%d.i%d" : "org.attacker%d.i%d",
                 sender->number, sender->step / 2);
        sd_bus_slot *slot;
        int code = sender->step++ % 2 == 0
                       ? sd_bus_request_name_async(sender->bus, &slot, name, 0, answered, sender)
                       : sd_bus_release_name_async(sender->bus, &slot, name, answered, sender);
        if (code < 0) fail("name", code);
        sd_bus_slot_set_floating(slot, 1);
        sd_bus_slot_unref(slot);
        sender->waiting++;
    }
}

/* Answers every call as a media player that plays. */
static int asked(sd_bus_message *message, void *data, sd_bus_error *error) {
    (void)data, (void)error;
    if (sd_bus_message_is_method_call(message, "org.freedesktop.DBus.Properties", "GetAll"))
        return sd_bus_reply_method_return(message, "a{sv}", 2, "PlaybackStatus", "s", "Playing", "CanPause", "b", 1);
    if (sd_bus_message_is_method_call(message, "org.freedesktop.DBus.Properties", "Get"))
        return sd_bus_reply_method_return(message, "v", "s", "Playing");
    if (sd_bus_message_is_method_call(message, NULL, NULL)) return sd_bus_reply_method_return(message, "");
    return 0;
}

static void enter(struct sender *sender) {
    int code = sd_bus_open_user(&sender->bus);
    if (code < 0) fail("no bus", code);
    sd_bus_set_method_call_timeout(sender->bus, 600000000);
    sender->wants_more = 1;
}

int main(int count, char *arguments[]) {
    if (count < 4) {
        fprintf(stderr, "usage: attack-bus KIND SENDERS SECONDS [COUNT]\n");
        return 2;
    }
    kind = arguments[1];
    int senders = atoi(arguments[2]);
    double end = now() + atof(arguments[3]);
    wanted = count > 4 ? atol(arguments[4]) : 0;
    int is_counted = is("lives") || is("connections");
    large = calloc(1, 200001);
    memset(large, 'x', 200000);
    struct sender *all = calloc((size_t)senders, sizeof(*all));
    struct pollfd *files = calloc((size_t)senders, sizeof(*files));
    for (int index = 0; index < senders; index++) {
        struct sender *sender = &all[index];
        sender->number = index;
        enter(sender);
        if (is("players")) sd_bus_add_filter(sender->bus, NULL, asked, NULL);
    }
    puts("ready");
    fflush(stdout);
    while (now() < end) {
        int is_busy = 0, is_waiting = 0;
        for (int index = 0; index < senders; index++) {
            struct sender *sender = &all[index];
            for (int turn = 0; turn < WINDOW; turn++) {
                int code = sd_bus_process(sender->bus, NULL);
                if (code < 0) fail("the connection", code);
                if (code == 0) break;
                is_busy = 1;
            }
            if (is("flips") && sender->path[0] != '\0' && sender->waiting == 0) sender->wants_more = 1;
            int window = is("flips") ? 1 : WINDOW;
            if (is("connections") && !sender->wants_more && sender->waiting == 0 && begun < wanted) {
                sd_bus_flush_close_unref(sender->bus);
                enter(sender);
            }
            while (sender->wants_more && sender->waiting < window && (!is_counted || begun < wanted)) {
                begun++;
                attack(sender);
            }
            if (sender->waiting > 0) is_waiting = 1;
            files[index] = (struct pollfd){sd_bus_get_fd(sender->bus), (short)sd_bus_get_events(sender->bus), 0};
        }
        if (is_counted && begun >= wanted && !is_waiting) break;
        if (is("deaf") && !is_waiting) {
            puts("deaf");
            fflush(stdout);
            /* Read nothing, so that messages fill the buffers of the bus and of the service. */
            while (now() < end) usleep(10000);
        }
        if (is("sessions") && wanted <= 0 && !is_waiting) {
            static int is_told;
            if (!is_told++) {
                printf("opened %lu, errors %lu\n", done / 3, errors);
                fflush(stdout);
            }
        }
        if (!is_busy) poll(files, (nfds_t)senders, 20);
    }
    printf("done %lu errors %lu %s\n", done, errors, kind);
    return 0;
}
