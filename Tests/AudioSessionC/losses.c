/* The service or the bus goes, returns, hangs or lies. */
#include "testing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void hear_all(void) {
    EXPECT(AudioSessionAddPropertyListener(kAudioSessionProperty_ServerDied, hear_property, NULL), 0);
    EXPECT(AudioSessionAddPropertyListener(kAudioSessionProperty_InputGainScalar, hear_property, NULL), 0);
}

/* All that an application can ask for. */
static void ask_for_all(void) {
    Float64 rate = 44100;
    Float32 duration = 0.25f, gain = 0.5f;
    AudioSessionValueRef input = AudioSessionValueCreateNumber(1592798107);
    EXPECT(set_number(kAudioSessionProperty_Mode, kAudioSessionMode_VoiceChat), 0);
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_PlayAndRecord), 0);
    EXPECT(set_number(kAudioSessionProperty_OverrideCategoryMixWithOthers, 1), 0);
    EXPECT(AudioSessionSetProperty(kAudioSessionProperty_PreferredHardwareSampleRate, sizeof rate, &rate), 0);
    EXPECT(AudioSessionSetProperty(kAudioSessionProperty_PreferredHardwareIOBufferDuration, sizeof duration, &duration), 0);
    EXPECT(AudioSessionSetProperty(kAudioSessionProperty_InputGainScalar, sizeof gain, &gain), 0);
    EXPECT(AudioSessionSetProperty(kAudioSessionProperty_InputSource, sizeof input, &input), 0);
    EXPECT(set_number(kAudioSessionProperty_OverrideAudioRoute, kAudioSessionOverrideAudioRoute_Speaker), 0);
    EXPECT(AudioSessionSetActive(1), 0);
    AudioSessionValueRelease(input);
}

#define OPENED "OpenSession({streams:shared});GetAll(Session);GetAll(Manager)"
#define ASKED                                                                                                   \
    OPENED ";SetMode(voice-chat);SetCategory(play-and-record,[mix-with-others],);SetPreference(sample-rate,44100);" \
           "SetPreference(buffer-duration,0.25);SetPreference(input-gain,0.5);SetPreference(input,usb-in);"         \
           "OverrideOutput(speaker);Activate([])"

/* R82 */
void test_service_returns(void) {
    initialize();
    hear_all();
    ask_for_all();
    HEARD("igsc=0.5");
    play("stop");
    HEARD("died=1");
    EXPECT(AudioSessionSetActive(1), ERROR_WHAT);
    /* At once. */
    EXPECT(waits_in_vain, 0);
    play("start");
    /* The gain is 1 in a new session, until it is set again. */
    HEARD("died=0");
    EXPECT_TEXT(stage("calls"), ASKED);
    EXPECT_TEXT(stage("sessions"), "1");
    /* What is set while the service is away counts when it is back. */
    play("stop");
    HEARD("died=1");
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_MediaPlayback), 0);
    EXPECT(set_number(kAudioSessionProperty_OtherMixableAudioShouldDuck, 1), 0);
    EXPECT(set_number(kAudioSessionProperty_Mode, kAudioSessionMode_Default), ERROR_PROPERTY);
    EXPECT(set_number(kAudioSessionProperty_OverrideCategoryDefaultToSpeaker, 1), ERROR_CATEGORY);
    EXPECT(AudioSessionSetActive(0), 0);
    play("start");
    HEARD("died=0");
    EXPECT_TEXT(stage("calls"), OPENED ";SetMode(voice-chat);SetCategory(playback,[duck-others],);"
                                       "SetPreference(sample-rate,44100);SetPreference(buffer-duration,0.25);"
                                       "SetPreference(input-gain,0.5);SetPreference(input,usb-in)");
    /* An interruption ends with the service, and with it what would have been resumed. */
    EXPECT(AudioSessionSetActive(1), 0);
    play("interrupt");
    HEARD("begin");
    play("stop");
    HEARD("died=1");
    play("start");
    HEARD("end:!rsm died=0");
}

void test_service_returns_refusing(void) {
    initialize();
    hear_all();
    ask_for_all();
    /* R41: what a change of route has ended is not asked for again. */
    play("route 1 BuiltInSpeaker Headphones");
    HEARD("igsc=0.5");
    play("lost");
    HEARD("died=1");
    play("fail OpenSession LimitsExceeded");
    play("fail SetMode ModeNotChangeable");
    play("fail Activate InsufficientPriority");
    stage("calls");
    play("reset");
    HEARD("begin died=0");
    EXPECT_TEXT(stage("calls"),
                "OpenSession({streams:shared});" OPENED ";SetMode(voice-chat);SetCategory(play-and-record,[mix-with-others],);"
                "SetPreference(sample-rate,44100);SetPreference(buffer-duration,0.25);SetPreference(input-gain,0.5);"
                "SetPreference(input,usb-in);Activate([])");
    /* It is inactive from now on. */
    play("lost");
    play("reset");
    HEARD("died=1 died=0");
    EXPECT(AudioSessionSetActive(1), 0);
}

void test_service_resets(void) {
    initialize();
    hear_all();
    for (int count = 0; count < 20; count++) {
        EXPECT(AudioSessionSetActive(1), 0);
        play("lost");
        play("reset");
        HEARD("died=1 died=0");
        EXPECT_TEXT(stage("sessions"), "1");
    }
    /* The session is gone, and the service does not say so. */
    stage("calls");
    play("fail Deactivate org.freedesktop.DBus.Error.UnknownObject");
    EXPECT(AudioSessionSetActive(0), ERROR_WHAT);
    HEARD("died=1 died=0");
    EXPECT_TEXT(stage("calls"), "Deactivate([]);" OPENED ";Activate([])");
}

void test_bus_returns(void) {
    initialize();
    hear_all();
    ask_for_all();
    HEARD("igsc=0.5");
    play("bus-stop");
    HEARD("died=1");
    EXPECT(AudioSessionSetActive(1), ERROR_WHAT);
    EXPECT(get_number(kAudioSessionProperty_Mode), kAudioSessionMode_VoiceChat);
    play("bus-start");
    /* Without a service, nothing changes. */
    HEARD("");
    play("start");
    HEARD("died=0");
    EXPECT_TEXT(stage("calls"), ASKED);
    /* In the middle of everything. */
    for (int count = 0; count < 3; count++) {
        play("bus-stop");
        play("bus-start");
        play("start");
        HEARD("died=1 died=0");
    }
    EXPECT(AudioSessionSetActive(0), 0);
}

static void *activate(void *result) {
    *(OSStatus *)result = AudioSessionSetActive(1);
    return NULL;
}

void test_service_hangs(void) {
    pthread_t thread;
    OSStatus status = 0;
    initialize();
    hear_all();
    play("freeze");
    int begun = waits_begun;
    pthread_create(&thread, NULL, activate, &status);
    SOON(__atomic_load_n(&waits_begun, __ATOMIC_RELAXED) > begun);
    EXPECT(get_number(kAudioSessionProperty_AudioInputAvailable), 1);
    /* It waits behind that, until the service counts as away; then it is kept. */
    is_patient = true;
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_MediaPlayback), 0);
    is_patient = false;
    EXPECT(waits_in_vain, 0);
    pthread_join(thread, NULL);
    EXPECT(status, ERROR_WHAT);
    HEARD("died=1");
    play("thaw");
    HEARD("died=0");
    /* What it did late was for a session that has gone with its connection. */
    SOON(strcmp(stage("sessions"), "1") == 0);
    EXPECT(strstr(stage("calls"), OPENED ";SetCategory(playback,[],)") != NULL, 1);
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_RecordAudio), 0);
    /* It ends with a request under way. */
    play("freeze");
    begun = waits_begun;
    pthread_create(&thread, NULL, activate, &status);
    SOON(__atomic_load_n(&waits_begun, __ATOMIC_RELAXED) > begun);
    play("stop");
    pthread_join(thread, NULL);
    EXPECT(status, ERROR_WHAT);
    HEARD("died=1");
    /* No initialization waits longer. */
    EXPECT(AudioSessionUninitialize(), 0);
    play("start");
    play("freeze");
    longest_wait = 0;
    EXPECT(AudioSessionInitialize(NULL, NULL, NULL, NULL), kAudioSessionInitializationError);
    EXPECT(longest_wait <= 5, 1);
}

void test_liars_and_odd_messages(void) {
    Float64 rate = 0;
    UInt32 size = sizeof rate;
    initialize();
    hear_all();
    EXPECT(AudioSessionAddPropertyListener(kAudioSessionProperty_AudioRouteChange, hear_property, NULL), 0);
    play("liar");
    EXPECT(AudioSessionSetActive(1), 0);
    HEARD("");
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_CurrentHardwareSampleRate, &size, &rate), 0);
    EXPECT(rate == 48000, 1);
    play("odd");
    HEARD("roch={OutputDeviceDidChange_Reason: 0, OutputDeviceDidChange_OldRoute: \"\", PreviousRouteDescription: "
          "{Inputs: [], Outputs: []}, CurrentRouteDescription: {Inputs: [], Outputs: []}}");
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_CurrentHardwareSampleRate, &size, &rate), ERROR_WHAT);
    EXPECT(get_number(kAudioSessionProperty_AudioInputAvailable), 1);
    Float32 fraction;
    size = sizeof fraction;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_CurrentHardwareOutputVolume, &size, &fraction), ERROR_WHAT);
    EXPECT(AudioSessionSetActive(1), 0);
}
