/* To go on after an interruption needs the category and an active session again, then the sound. The listener is that of 7-16:
 * what recorded ends, what played pauses and goes on. */
#include "listing.h"

#include <AudioToolbox/AudioToolbox.h>
#include <string.h>

struct view {
    bool plays, records, was_playing;
};
static struct view view;

static void go_on(struct view *it) {
    UInt32 category = kAudioSessionCategory_MediaPlayback;
    AudioSessionSetProperty (
        kAudioSessionProperty_AudioCategory,
        sizeof (category),
        &category
    );
    say("active %s", shown(AudioSessionSetActive (true)));
    it->plays = true;
    say("plays");
}

void view_heard (
    void   *data,
    UInt32 state
);
void view_heard (
    void   *data,
    UInt32 state
) {
    struct view *it =
        (struct view *) data;
    if (state == kAudioSessionBeginInterruption) {
        if (it->records) {
            it->records = false;
            say("recorded");
        } else if (it->plays) {
            it->plays = false;
            it->was_playing = true;
            say("pauses");
        }
    } else if ((state == kAudioSessionEndInterruption) &&
                   it->was_playing) {
        go_on(it);
        it->was_playing = false;
    } else {
        say("remains");
    }
}

void begin(void) { say("initialize %s", shown(AudioSessionInitialize(NULL, NULL, view_heard, &view))); }

int obey(const char *word) {
    if (strcmp(word, "play") == 0) {
        go_on(&view);
    } else if (strcmp(word, "record") == 0) {
        UInt32 category = kAudioSessionCategory_RecordAudio;
        AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof (category), &category);
        say("active %s", shown(AudioSessionSetActive(true)));
        view.plays = false;
        view.records = true;
    } else {
        return false;
    }
    return true;
}
