/* The player of 2010 that Sources/AudioSession/Documentation.docc/PortingAPlayer.md ports, as it is here: it stops for
 * interruptions and goes on after them, and when its headphones are pulled out it asks "Play or stop?". libpulse plays its
 * sound and is its loop; everything that has to do with the session is as it was on the phone.
 *
 *     cc -o player-phone player-phone.c $(pkg-config --cflags --libs audiosession-compat libpulse)
 *     ./player-phone FILE
 *
 * FILE has samples of 16 bits, least significant byte first, two channels, 48000 Hz, and no header; it is played again and
 * again. Reads "play", "pause" and "stop" from the standard input, and prints a line for whatever happens. */
#include <AudioToolbox/AudioToolbox.h>

#include <pulse/pulseaudio.h>
#include <stdio.h>

static void report(const char *what, OSStatus status) { printf("%s: %s\n", what, AudioSessionErrorText(status)); }

/* MARK: What plays */

static pa_mainloop *loop;
static pa_stream *stream;
static bool is_stopped = true;
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
    else pa_stream_cancel_write(played);
}

static void set_paused(bool is_paused) {
    is_stopped = is_paused;
    if (stream == NULL || pa_stream_get_state(stream) != PA_STREAM_READY) return;
    pa_operation *operation = pa_stream_cork(stream, is_paused, NULL, NULL);
    if (operation != NULL) pa_operation_unref(operation);
}

static void stream_changed(pa_stream *changed, void *data) {
    (void)data;
    if (pa_stream_get_state(changed) == PA_STREAM_READY) set_paused(is_stopped);
}

static void server_changed(pa_context *server, void *data) {
    static const pa_sample_spec samples = { .format = PA_SAMPLE_S16LE, .rate = 48000, .channels = 2 };
    (void)data;
    if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(server))) {
        printf("no sound: %s\n", pa_strerror(pa_context_errno(server)));
        pa_mainloop_quit(loop, 1);
    }
    if (pa_context_get_state(server) != PA_CONTEXT_READY) return;
    stream = pa_stream_new(server, "Music", &samples, NULL);
    if (stream == NULL) return;
    pa_stream_set_state_callback(stream, stream_changed, NULL);
    pa_stream_set_write_callback(stream, fill, NULL);
    pa_stream_connect_playback(stream, NULL, NULL, PA_STREAM_START_CORKED, NULL, NULL);
}

static bool open_sound(const char *path) {
    file = fopen(path, "rb");
    loop = pa_mainloop_new();
    pa_context *server = loop == NULL ? NULL : pa_context_new(pa_mainloop_get_api(loop), "Player");
    if (file == NULL || server == NULL) return false;
    pa_context_set_state_callback(server, server_changed, NULL);
    return pa_context_connect(server, NULL, PA_CONTEXT_NOFLAGS, NULL) >= 0;
}

/* MARK: The session */

static struct player {
    bool is_playing, was_interrupted;
} player;

static void play(struct player *it) {
    OSStatus status = AudioSessionSetActive(true);
    if (status != noErr) {
        report("does not play", status);
        return;
    }
    it->is_playing = true;
    it->was_interrupted = false;
    set_paused(false);
    puts("plays");
}

static void pause_player(struct player *it) {
    it->is_playing = it->was_interrupted = false;
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
        puts("the interruption ends");
        if (it->was_interrupted) play(it);
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

static void open_session(struct player *it) {
    UInt32 category = kAudioSessionCategory_MediaPlayback;
    OSStatus status = AudioSessionInitialize(NULL, kCFRunLoopDefaultMode, interruption_listener, it);
    if (status == noErr) status = AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof category, &category);
    if (status == noErr) status = AudioSessionAddPropertyListener(kAudioSessionProperty_AudioRouteChange, route_listener, it);
    if (status != noErr) report("no session", status);
}

/* MARK: The program */

static void dispatch(pa_mainloop_api *api, pa_io_event *event, int descriptor, pa_io_event_flags_t flags, void *data) {
    (void)api, (void)event, (void)descriptor, (void)flags, (void)data;
    AudioSessionDispatch();
}

static void typed(pa_mainloop_api *api, pa_io_event *event, int descriptor, pa_io_event_flags_t flags, void *data) {
    char line[64];
    (void)api, (void)event, (void)descriptor, (void)flags, (void)data;
    if (fgets(line, sizeof line, stdin) == NULL || strcmp(line, "stop\n") == 0) pa_mainloop_quit(loop, 0);
    else if (strcmp(line, "play\n") == 0) play(&player);
    else if (strcmp(line, "pause\n") == 0) pause_player(&player);
}

int main(int count, char **arguments) {
    int result = 1;
    if (count != 2 || !open_sound(arguments[1])) return 2;
    setvbuf(stdin, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_session(&player);
    pa_mainloop_api *api = pa_mainloop_get_api(loop);
    int descriptor = AudioSessionGetPollFD();
    if (descriptor >= 0) api->io_new(api, descriptor, PA_IO_EVENT_INPUT, dispatch, NULL);
    api->io_new(api, fileno(stdin), PA_IO_EVENT_INPUT, typed, NULL);
    play(&player);
    pa_mainloop_run(loop, &result);
    AudioSessionUninitialize();
    return result;
}
