/* A player as one was written for a phone in 2010: it stops for interruptions and goes on after them, and when its headphones
 * are pulled out it asks "Play or stop?". What plays its sound is libpulse here; everything that has to do with the session is
 * as it was there.
 *
 *     cc -o player-phone player-phone.c $(pkg-config --cflags --libs audiosession-compat libpulse)
 *     ./player-phone FILE
 *
 * FILE has samples of 16 bits, least significant byte first, two channels, 48000 Hz, and no header; it is played again and
 * again. Reads "play", "pause" and "stop" from the standard input, and prints a line for whatever happens. */
#include <AudioToolbox/AudioToolbox.h>

#include <pulse/pulseaudio.h>
#include <stdio.h>
#include <time.h>

/* MARK: What plays */

static pa_threaded_mainloop *loop;
static pa_stream *stream;
static FILE *file;

static void fill(pa_stream *played, size_t room, void *data) {
    void *buffer;
    (void)data;
    if (pa_stream_begin_write(played, &buffer, &room) < 0 || buffer == NULL) return;
    size_t count = fread(buffer, 4, room / 4, file) * 4;
    if (count == 0) {
        rewind(file);
        count = fread(buffer, 4, room / 4, file) * 4;
    }
    if (count > 0) pa_stream_write(played, buffer, count, NULL, 0, PA_SEEK_RELATIVE);
    if (count == 0) pa_stream_cancel_write(played);
}

static void connected(pa_context *server, void *data) {
    static const pa_sample_spec samples = { .format = PA_SAMPLE_S16LE, .rate = 48000, .channels = 2 };
    (void)data;
    if (pa_context_get_state(server) != PA_CONTEXT_READY) return;
    stream = pa_stream_new(server, "Music", &samples, NULL);
    if (stream == NULL) return;
    pa_stream_set_write_callback(stream, fill, NULL);
    pa_stream_connect_playback(stream, NULL, NULL, PA_STREAM_NOFLAGS, NULL, NULL);
}

static void set_paused(bool is_paused) {
    pa_threaded_mainloop_lock(loop);
    pa_operation *operation = stream == NULL ? NULL : pa_stream_cork(stream, is_paused, NULL, NULL);
    if (operation != NULL) pa_operation_unref(operation);
    pa_threaded_mainloop_unlock(loop);
}

/* MARK: The session */

static struct player {
    bool is_playing, was_interrupted;
} player;

static long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static long activated_at;

static void play(struct player *it) {
    activated_at = milliseconds();
    OSStatus status = AudioSessionSetActive(true);
    if (status != noErr) {
        printf("does not play: %s\n", AudioSessionErrorText(status));
        return;
    }
    it->is_playing = true;
    set_paused(false);
    puts("plays");
}

static void pause_player(struct player *it) {
    it->is_playing = false;
    set_paused(true);
}

static void interruption_listener(void *user_data, UInt32 state) {
    struct player *it = user_data;
    if (state == kAudioSessionBeginInterruption) {
        puts("the interruption begins");
        if (!it->is_playing) return;
        pause_player(it);
        it->was_interrupted = true;
    } else if (state == kAudioSessionEndInterruption) {
        printf("the interruption ends, %ld ms after the last activation\n", milliseconds() - activated_at);
        if (!it->was_interrupted) return;
        it->was_interrupted = false;
        play(it);
    }
}

static void route_listener(void *user_data, AudioSessionPropertyID property, UInt32 size, const void *value) {
    struct player *it = user_data;
    (void)size;
    if (property != kAudioSessionProperty_AudioRouteChange || !it->is_playing) return;
    CFDictionaryRef change = value;
    CFNumberRef number = CFDictionaryGetValue(change, CFSTR(kAudioSession_AudioRouteChangeKey_Reason));
    SInt32 reason = 0;
    CFNumberGetValue(number, kCFNumberSInt32Type, &reason);
    printf("the route changes: %d\n", (int)reason);
    if (reason == kAudioSessionRouteChangeReason_OldDeviceUnavailable) {
        pause_player(it);
        puts("the headphones have gone: play or stop?");
    }
}

int main(int count, char **arguments) {
    if (count != 2 || (file = fopen(arguments[1], "rb")) == NULL) {
        fprintf(stderr, "usage: %s FILE\n", arguments[0]);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    UInt32 category = kAudioSessionCategory_MediaPlayback;
    OSStatus status = AudioSessionInitialize(NULL, kCFRunLoopDefaultMode, interruption_listener, &player);
    if (status == noErr) {
        status = AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof category, &category);
    }
    if (status == noErr) {
        status = AudioSessionAddPropertyListener(kAudioSessionProperty_AudioRouteChange, route_listener, &player);
    }
    if (status != noErr) fprintf(stderr, "nobody will tell when to stop: %s\n", AudioSessionErrorText(status));

    loop = pa_threaded_mainloop_new();
    pa_context *server = loop == NULL ? NULL : pa_context_new(pa_threaded_mainloop_get_api(loop), "Player");
    if (server == NULL) return 1;
    pa_context_set_state_callback(server, connected, NULL);
    play(&player);
    if (pa_context_connect(server, NULL, PA_CONTEXT_NOFLAGS, NULL) < 0) return 1;
    pa_threaded_mainloop_start(loop);

    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL && strcmp(line, "stop\n") != 0) {
        if (strcmp(line, "play\n") == 0) play(&player);
        if (strcmp(line, "pause\n") == 0) pause_player(&player);
    }
    pa_threaded_mainloop_stop(loop);
    pa_context_disconnect(server);
    AudioSessionUninitialize();
    fclose(file);
    return 0;
}
