/* The listings of the phone's programming guide, chapter "Audio Session Cookbook", each as a small program that does what the
 * guide says of it: what it calls on the bus. With the names of the phone and the real service they are programs in the folder
 * listings; those for Swift are in Tests/AudioSession/ListingTests.swift. */
#include "testing.h"

#include <string.h>

#define NEXT_CALLS(expected) EXPECT_TEXT(stage("calls"), expected)

static OSStatus set_category(UInt32 category) { return set_number(kAudioSessionProperty_AudioCategory, category); }

/* 7-1: initialization with the function that hears of interruptions, and what it is given.
 * 7-3: activation and deactivation. 7-5: the category. */
void test_listings_beginning(void) {
    static char view[] = "view";
    EXPECT(AudioSessionInitialize(NULL, NULL, hear_interruption, view), 0);
    stage("calls");
    UInt32 category = kAudioSessionCategory_AmbientSound;
    EXPECT(AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof category, &category), 0);
    EXPECT(AudioSessionSetActive(true), 0);
    EXPECT(AudioSessionSetActive(false), 0);
    NEXT_CALLS("SetCategory(ambient,[],);Activate([]);Deactivate([])");
    play("interrupt");
    play("end true");
    HEARD("view begin view end:irsm");
}

/* 7-6: a game that is started while music plays lets it play, and leaves its own music out. */
static UInt32 category_of_a_game(void) {
    UInt32 is_playing = 77, size = sizeof is_playing;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_OtherAudioIsPlaying, &size, &is_playing), 0);
    return is_playing ? kAudioSessionCategory_AmbientSound : kAudioSessionCategory_SoloAmbientSound;
}

void test_listings_game(void) {
    initialize();
    EXPECT(category_of_a_game(), kAudioSessionCategory_SoloAmbientSound);
    play("set OtherAudioPlaying true");
    SOON(category_of_a_game() == kAudioSessionCategory_AmbientSound);
    EXPECT(set_category(category_of_a_game()), 0);
}

/* 7-7: playback that mixes with others. Another category ends it, and it can be asked for again.
 * 7-11: a Bluetooth headset's microphone, for the categories that record. */
void test_listings_modifiers(void) {
    initialize();
    const AudioSessionPropertyID mixes = kAudioSessionProperty_OverrideCategoryMixWithOthers;
    EXPECT(set_category(kAudioSessionCategory_MediaPlayback), 0);
    EXPECT(get_number(mixes), 0);
    EXPECT(set_number(mixes, true), 0);
    EXPECT(get_number(mixes), 1);
    EXPECT(set_category(kAudioSessionCategory_PlayAndRecord), 0);
    EXPECT(get_number(mixes), 0);
    EXPECT(set_number(mixes, true), 0);
    EXPECT(set_category(kAudioSessionCategory_RecordAudio), 0);
    EXPECT(set_number(mixes, true), ERROR_CATEGORY);
    stage("calls");
    const AudioSessionPropertyID bluetooth = kAudioSessionProperty_OverrideCategoryEnableBluetoothInput;
    EXPECT(set_number(bluetooth, true), 0);
    NEXT_CALLS("SetCategory(record,[allow-bluetooth-input],)");
    EXPECT(set_category(kAudioSessionCategory_PlayAndRecord), 0);
    EXPECT(set_number(bluetooth, true), 0);
    EXPECT(get_number(bluetooth), 1);
}

/* 7-9: the speaker for now: it ends with an interruption, and is asked for again. 7-10: the speaker until the category
 * changes, through interruptions and changes of the route. */
void test_listings_speaker(void) {
    const AudioSessionPropertyID lasting = kAudioSessionProperty_OverrideCategoryDefaultToSpeaker;
    UInt32 speaker = kAudioSessionOverrideAudioRoute_Speaker;
    initialize();
    EXPECT(set_category(kAudioSessionCategory_PlayAndRecord), 0);
    EXPECT(set_number(lasting, true), 0);
    stage("calls");
    EXPECT(AudioSessionSetProperty(kAudioSessionProperty_OverrideAudioRoute, sizeof speaker, &speaker), 0);
    NEXT_CALLS("OverrideOutput(speaker)");
    play("interrupt");
    play("end true");
    HEARD("begin end:irsm");
    play("route 1 BuiltInSpeaker Headphones");
    EXPECT(AudioSessionSetProperty(kAudioSessionProperty_OverrideAudioRoute, sizeof speaker, &speaker), 0);
    NEXT_CALLS("OverrideOutput(speaker)");
    EXPECT(get_number(lasting), 1);
    EXPECT(set_category(kAudioSessionCategory_MediaPlayback), 0);
    EXPECT(get_number(lasting), 0);
}

/* What a view of the guide's examples knows: what it does, and what was interrupted. */
struct view {
    bool is_playing, is_recording, was_interrupted, asks_its_user;
    const void *context, *current_context;
};

/* A view has one thread, which calls its functions. */
static void call_on_this_thread(void) {
    EXPECT(AudioSessionGetPollFD() >= 0, 1);
    is_polling = true;
}

/* 7-15: to go on needs the category and an active session again. */
static void go_on(struct view *view) {
    EXPECT(set_category(kAudioSessionCategory_MediaPlayback), 0);
    EXPECT(AudioSessionSetActive(true), 0);
    view->is_playing = true;
    write_heard("plays");
}

/* 7-16: what recorded ends; what played stops, and goes on only if it was interrupted. 7-17: the context of OpenAL is let go
 * meanwhile. */
static void view_interrupted(void *data, UInt32 state) {
    struct view *view = data;
    if (state == kAudioSessionBeginInterruption) {
        view->current_context = NULL;
        if (view->is_recording) {
            view->is_recording = false;
            write_heard("recorded");
        } else if (view->is_playing) {
            view->is_playing = false;
            view->was_interrupted = true;
            write_heard("stops");
        } else {
            write_heard("silent");
        }
    } else if (state == kAudioSessionEndInterruption) {
        view->current_context = view->context;
        if (view->was_interrupted) {
            view->was_interrupted = false;
            go_on(view);
        } else {
            write_heard("remains");
        }
    }
}

void test_listings_interruption(void) {
    static const int context = 0;
    static struct view view = { .context = &context, .current_context = &context };
    EXPECT(AudioSessionInitialize(NULL, NULL, view_interrupted, &view), 0);
    call_on_this_thread();
    EXPECT(AudioSessionSetActive(true), 0);
    view.is_playing = true;
    stage("calls");
    play("interrupt");
    HEARD("stops");
    EXPECT(view.current_context == NULL, 1);
    NEXT_CALLS("");
    play("end true");
    HEARD("plays");
    EXPECT(view.current_context == &context, 1);
    NEXT_CALLS("SetCategory(playback,[],);Activate([])");
    view.is_playing = false;
    play("interrupt");
    play("end true");
    HEARD("silent remains");
    view.is_recording = true;
    play("interrupt");
    play("end true");
    HEARD("recorded remains");
    NEXT_CALLS("");
    EXPECT(AudioSessionUninitialize(), 0);
}

/* 7-20: music stops when its output goes, and its user is asked; other changes of the route and silence are nothing to do.
 * It is registered as in 7-21. */
static void view_moved(void *data, AudioSessionPropertyID id, UInt32 size, const void *value) {
    struct view *view = data;
    if (id != kAudioSessionProperty_AudioRouteChange) return;
    EXPECT(size, sizeof(AudioSessionValueRef));
    if (!view->is_playing) {
        write_heard("silent");
        return;
    }
    AudioSessionValueRef change = value;
    Float64 reason = AudioSessionValueGetNumber(
        AudioSessionValueGetMember(change, kAudioSession_AudioRouteChangeKey_Reason));
    if (reason == kAudioSessionRouteChangeReason_OldDeviceUnavailable) {
        view->is_playing = false;
        view->asks_its_user = true;
        write_heard("asks");
    } else {
        write_heard("plays");
    }
}

/* 7-19: the user has chosen to play (true) or to stop. */
static void user_chose(struct view *view, bool plays) {
    view->asks_its_user = false;
    if (plays) go_on(view);
}

void test_listings_route(void) {
    static struct view view = { .is_playing = true };
    initialize();
    call_on_this_thread();
    EXPECT(AudioSessionAddPropertyListener(kAudioSessionProperty_AudioRouteChange, view_moved, &view), 0);
    EXPECT(AudioSessionSetActive(true), 0);
    play("route 1 BuiltInSpeaker Headphones");
    HEARD("plays");
    stage("calls");
    play("route 2 Headphones BuiltInSpeaker");
    HEARD("asks");
    NEXT_CALLS("");
    user_chose(&view, true);
    HEARD("plays");
    NEXT_CALLS("SetCategory(playback,[],);Activate([])");
    play("route 2 Headphones BuiltInSpeaker");
    HEARD("asks");
    user_chose(&view, false);
    EXPECT(view.is_playing, 0);
    play("route 1 BuiltInSpeaker Headphones");
    HEARD("silent");
    EXPECT(AudioSessionUninitialize(), 0);
}

/* 7-23: the buffer that is wanted is set while the session is inactive. 7-25: after activation, what is in use is asked for,
 * as it may be something else. 7-27: whether there is any input, and what tells that it comes or goes. */
void test_listings_hardware(void) {
    initialize();
    stage("calls");
    Float32 buffer = 0.005f;
    EXPECT(AudioSessionSetProperty(kAudioSessionProperty_PreferredHardwareIOBufferDuration, sizeof buffer, &buffer), 0);
    EXPECT(AudioSessionSetActive(true), 0);
    NEXT_CALLS("SetPreference(buffer-duration,0.005);Activate([])");
    UInt32 size = sizeof buffer;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_CurrentHardwareIOBufferDuration, &size, &buffer), 0);
    EXPECT(buffer == 0.02f, 1);
    Float64 rate = 0;
    size = sizeof rate;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_CurrentHardwareSampleRate, &size, &rate), 0);
    EXPECT(rate == 48000, 1);
    UInt32 has_input = 77;
    size = sizeof has_input;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_AudioInputAvailable, &size, &has_input), 0);
    EXPECT(has_input, 1);
    EXPECT(AudioSessionAddPropertyListener(kAudioSessionProperty_AudioInputAvailable, hear_property, NULL), 0);
    play("set Manager.AvailableInputs []");
    HEARD("aiav=0");
}
