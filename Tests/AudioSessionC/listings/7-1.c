/* The session is opened once, with what hears of interruptions, and what that is given. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>

struct view {
    const char *name;
    UInt32 times;
};

static void view_heard(void *data, UInt32 state) {
    struct view *view = data;
    view->times++;
    say("%s hears %lu, the %lu. time", view->name, (unsigned long)state, (unsigned long)view->times);
}

void begin(void) {
    static struct view view = { "view", 0 };
    OSStatus status = AudioSessionInitialize (
        NULL,       // the run loop
        NULL,       // and its mode
        view_heard,
        &view
    );
    say("first %s", shown(status));
    say("second %s", shown(AudioSessionInitialize(NULL, NULL, view_heard, &view)));
    say("active %s", shown(AudioSessionSetActive(true)));
}

int obey(const char *word) { return word == NULL; }
