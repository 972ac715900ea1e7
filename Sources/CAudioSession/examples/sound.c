#include "sound.h"

#include <audio_session.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *file;
static pa_context *server;
static pa_stream *stream;
static void (*finish_program)(bool);
/* Whether an interruption keeps the player silent. */
static bool is_interrupted;

static void finish(bool is_complete) {
    if (!is_complete) fprintf(stderr, "no sound: %s\n", pa_strerror(pa_context_errno(server)));
    finish_program(is_complete);
}

static void drained(pa_stream *played, int success, void *data) {
    (void)played, (void)data;
    finish(success != 0);
}

/* The server has room for more. While the stream is stopped it asks for nothing. */
static void fill(pa_stream *played, size_t room, void *data) {
    void *buffer;
    (void)data;
    if (pa_stream_begin_write(played, &buffer, &room) < 0 || buffer == NULL) return finish(false);
    /* Whole frames of two channels. */
    size_t count = fread(buffer, 4, room / 4, file) * 4;
    if (count > 0) {
        if (pa_stream_write(played, buffer, count, NULL, 0, PA_SEEK_RELATIVE) < 0) finish(false);
        return;
    }
    pa_stream_cancel_write(played);
    pa_stream_set_write_callback(played, NULL, NULL);
    pa_operation *operation = pa_stream_drain(played, drained, NULL);
    if (operation != NULL) pa_operation_unref(operation);
}

static void pause_or_play(bool is_paused) {
    if (stream == NULL) return;
    pa_operation *operation = pa_stream_cork(stream, is_paused, NULL, NULL);
    if (operation != NULL) pa_operation_unref(operation);
}

static void stream_changed(pa_stream *played, void *data) {
    (void)data;
    if (pa_stream_get_state(played) == PA_STREAM_FAILED) finish(false);
}

static void server_changed(pa_context *context, void *data) {
    static const pa_sample_spec samples = {.format = PA_SAMPLE_S16LE, .rate = 48000, .channels = 2};
    (void)data;
    switch (pa_context_get_state(context)) {
    case PA_CONTEXT_READY: break;
    case PA_CONTEXT_FAILED:
    case PA_CONTEXT_TERMINATED: finish(false); return;
    default: return;
    }
    stream = pa_stream_new(context, "Music", &samples, NULL);
    if (stream == NULL) return finish(false);
    pa_stream_set_state_callback(stream, stream_changed, NULL);
    pa_stream_set_write_callback(stream, fill, NULL);
    pa_stream_flags_t flags = is_interrupted ? PA_STREAM_START_CORKED : PA_STREAM_NOFLAGS;
    if (pa_stream_connect_playback(stream, NULL, NULL, flags, NULL, NULL) < 0) finish(false);
}

bool sound_start(pa_mainloop_api *loop, const char *path, void (*on_finish)(bool)) {
    finish_program = on_finish;
    file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return false;
    }
    server = pa_context_new(loop, "Example player");
    if (server == NULL) return false;
    pa_context_set_state_callback(server, server_changed, NULL);
    if (pa_context_connect(server, NULL, PA_CONTEXT_NOFLAGS, NULL) < 0) {
        fprintf(stderr, "no sound server: %s\n", pa_strerror(pa_context_errno(server)));
        return false;
    }
    return true;
}

/* Called by AudioSessionDispatch(), so on the application's own thread. */
static void interrupted(void *data, UInt32 state) {
    UInt32 type = 0, size = sizeof type;
    (void)data;
    if (state == kAudioSessionBeginInterruption) {
        puts("interrupted");
        is_interrupted = true;
        pause_or_play(true);
        return;
    }
    if (AudioSessionGetProperty(kAudioSessionProperty_InterruptionType, &size, &type) != kAudioSessionNoError ||
        type != kAudioSessionInterruptionType_ShouldResume) {
        puts("the interruption is over, and the music stays silent");
    } else if (AudioSessionSetActive(1) != kAudioSessionNoError) {
        puts("the interruption is over, but something else is heard");
    } else {
        puts("the interruption is over, and the music goes on");
        is_interrupted = false;
        pause_or_play(false);
    }
}

int sound_open_session(void) {
    UInt32 category = kAudioSessionCategory_MediaPlayback;
    OSStatus status = AudioSessionInitialize(NULL, NULL, interrupted, NULL);
    if (status == kAudioSessionNoError) {
        status = AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof category, &category);
    }
    /* Asked for before the session is active, so that callbacks never run on another thread. */
    int descriptor = AudioSessionGetPollFD();
    if (status == kAudioSessionNoError) status = AudioSessionSetActive(1);
    if (status == kAudioSessionNotActiveError) {
        puts("something else is heard, and the music waits for it");
        is_interrupted = true;
    } else if (status != kAudioSessionNoError) {
        /* An error is four characters. */
        fprintf(stderr, "nobody will tell when to stop: '%c%c%c%c'\n", status >> 24 & 255, status >> 16 & 255,
                status >> 8 & 255, status & 255);
    }
    return descriptor;
}

void sound_stop(void) {
    AudioSessionUninitialize();
    if (stream != NULL) pa_stream_unref(stream);
    if (server != NULL) {
        pa_context_set_state_callback(server, NULL, NULL);
        pa_context_disconnect(server);
        pa_context_unref(server);
    }
    if (file != NULL) fclose(file);
}
