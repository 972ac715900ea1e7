/* What both players share: a file that is played on a stream of PulseAudio, and the session that says what for. */
#ifndef SOUND_H
#define SOUND_H

#include <pulse/pulseaudio.h>
#include <stdbool.h>

/* Opens the file and connects to the sound server, over the loop of the application.
 *
 * The file has samples of 16 bits, least significant byte first, two channels, 48000 Hz, and no header. Playing begins
 * when the connection is there. finish is called once, with whether everything was played. Returns false, after a
 * message, if the file cannot be read or there is no memory. */
bool sound_start(pa_mainloop_api *loop, const char *path, void (*finish)(bool));

/* Opens the application's session and says that it plays music.
 *
 * Returns the descriptor to poll: call AudioSessionDispatch() when it is readable. -1, after a message, if nobody will
 * tell when to stop; the file is played all the same. */
int sound_open_session(void);

/* Ends the connection and closes the file and the session. */
void sound_stop(void);

#endif
