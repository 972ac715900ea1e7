/* Times calls to the service, for `Tests/bin/bench calls`: calls COUNT
 *
 * Each is made with sd-bus alone and with the library, in turns. Prints a line for each of the four, with a name and the
 * nanoseconds of each call. */
#include "audio_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

#define SERVICE "org.AudioSession1"

static sd_bus *bus;
static char *path;

static void check(int status, const char *what) {
    if (status >= 0) return;
    fprintf(stderr, "calls: %s: %d\n", what, status);
    exit(1);
}

static void set_with_bus(double rate) {
    check(sd_bus_call_method(bus, SERVICE, path, SERVICE ".Session", "SetPreference", NULL, NULL, "sv", "sample-rate", "d",
                             rate),
          "SetPreference");
}

static void set_with_library(double rate) {
    check(-AudioSessionSetProperty(kAudioSessionProperty_PreferredHardwareSampleRate, sizeof rate, &rate), "set");
}

static void get_with_bus(double rate) {
    (void)rate;
    check(sd_bus_get_property_trivial(bus, SERVICE, path, SERVICE ".Session", "SampleRate", NULL, 'd', &rate), "Get");
}

static void get_with_library(double rate) {
    UInt32 size = sizeof rate;
    check(-AudioSessionGetProperty(kAudioSessionProperty_CurrentHardwareSampleRate, &size, &rate), "get");
}

static long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*call)(double rate);
    } calls[] = {
        { "set-bus", set_with_bus }, { "set-library", set_with_library },
        { "get-bus", get_with_bus }, { "get-library", get_with_library },
    };
    enum { CALLS = sizeof calls / sizeof *calls };
    int wanted = count > 1 ? atoi(arguments[1]) : 0;
    if (wanted < 1) return 2;
    long *times = calloc((size_t)wanted * CALLS, sizeof *times);
    check(times == NULL ? -1 : 0, "memory");
    check(sd_bus_open_user(&bus), "the bus");
    sd_bus_message *answer = NULL;
    const char *opened = NULL;
    check(sd_bus_call_method(bus, SERVICE, "/org/AudioSession1", SERVICE ".Manager", "OpenSession", NULL, &answer, "a{sv}", 0),
          "OpenSession");
    check(sd_bus_message_read(answer, "o", &opened), "the session");
    path = strdup(opened);
    check(-AudioSessionInitialize(NULL, NULL, NULL, NULL), "initialize");
    for (int turn = 0; turn < wanted; turn++) {
        for (int which = 0; which < CALLS; which++) {
            long before = nanoseconds();
            calls[which].call(turn % 2 == 0 ? 44100 : 48000);
            times[which * wanted + turn] = nanoseconds() - before;
        }
    }
    for (int which = 0; which < CALLS; which++) {
        printf("%s", calls[which].name);
        for (int turn = 0; turn < wanted; turn++) printf(" %ld", times[which * wanted + turn]);
        printf("\n");
    }
    AudioSessionUninitialize();
    sd_bus_message_unref(answer);
    sd_bus_unref(bus);
    free(path);
    free(times);
    return 0;
}
