/* A player with a loop of its own, that of libpulse.
 *
 *     cc -o player player.c sound.c $(pkg-config --cflags --libs audiosession libpulse)
 *     ./player FILE
 *
 * What FILE is: sound_start(). Prints a line for each interruption. */
#include "sound.h"

#include <audio_session.h>
#include <stdio.h>

static pa_mainloop *loop;

static void finished(bool is_complete) { pa_mainloop_quit(loop, is_complete ? 0 : 1); }

static void dispatch(pa_mainloop_api *api, pa_io_event *event, int descriptor, pa_io_event_flags_t flags, void *data) {
    (void)api, (void)event, (void)descriptor, (void)flags, (void)data;
    AudioSessionDispatch();
}

int main(int count, char **arguments) {
    int result = 1;
    if (count != 2) {
        fprintf(stderr, "usage: %s FILE\n", arguments[0]);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    loop = pa_mainloop_new();
    if (loop == NULL) return 1;
    pa_mainloop_api *api = pa_mainloop_get_api(loop);
    int descriptor = sound_open_session();
    if (descriptor >= 0) api->io_new(api, descriptor, PA_IO_EVENT_INPUT, dispatch, NULL);
    if (sound_start(api, arguments[1], finished)) pa_mainloop_run(loop, &result);
    sound_stop();
    pa_mainloop_free(loop);
    return result;
}
