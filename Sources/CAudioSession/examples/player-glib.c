/* The same player with GLib's loop, as programs with GTK have it.
 *
 *     cc -o player player-glib.c sound.c $(pkg-config --cflags --libs audiosession libpulse-mainloop-glib glib-2.0)
 *     ./player FILE */
#include "sound.h"

#include <audio_session.h>
#include <glib-unix.h>
#include <pulse/glib-mainloop.h>
#include <stdio.h>

static GMainLoop *loop;
static int result = 1;

static void finished(bool is_complete) {
    result = is_complete ? 0 : 1;
    g_main_loop_quit(loop);
}

static gboolean dispatch(gint descriptor, GIOCondition condition, gpointer data) {
    (void)descriptor, (void)condition, (void)data;
    AudioSessionDispatch();
    return G_SOURCE_CONTINUE;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s FILE\n", arguments[0]);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    loop = g_main_loop_new(NULL, FALSE);
    pa_glib_mainloop *sound_loop = pa_glib_mainloop_new(NULL);
    int descriptor = sound_open_session();
    if (descriptor >= 0) g_unix_fd_add(descriptor, G_IO_IN, dispatch, NULL);
    if (sound_start(pa_glib_mainloop_get_api(sound_loop), arguments[1], finished)) g_main_loop_run(loop);
    sound_stop();
    pa_glib_mainloop_free(sound_loop);
    g_main_loop_unref(loop);
    return result;
}
