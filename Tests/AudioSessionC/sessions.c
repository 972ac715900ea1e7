/* Initialization, activation, and what an application sets. */
#include "testing.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEXT_CALLS(expected) EXPECT_TEXT(stage("calls"), expected)

void test_initialize_errors(void) {
    int data = 0;
    /* R5 */
    EXPECT(AudioSessionInitialize((AudioSessionRunLoopRef)&data, (AudioSessionStringRef)&data, NULL, NULL), 0);
    NEXT_CALLS("OpenSession({streams:shared});GetAll(Session);GetAll(Manager)");
    EXPECT(AudioSessionInitialize(NULL, NULL, NULL, NULL), kAudioSessionAlreadyInitialized);
    /* Without a listener, nobody is called. */
    play("interrupt");
    play("end true");
    EXPECT(AudioSessionUninitialize(), 0);
    SOON(strcmp(stage("sessions"), "0") == 0);
    NEXT_CALLS("Close()");
    EXPECT(AudioSessionUninitialize(), kAudioSessionNotInitialized);
    play("fail OpenSession LimitsExceeded");
    EXPECT(AudioSessionInitialize(NULL, NULL, NULL, NULL), kAudioSessionInitializationError);
    initialize();
    EXPECT(AudioSessionUninitialize(), 0);
    play("stop");
    EXPECT(AudioSessionInitialize(NULL, NULL, NULL, NULL), kAudioSessionInitializationError);
    EXPECT(AudioSessionSetActive(1), kAudioSessionNotInitialized);
    play("bus-stop");
    EXPECT(AudioSessionInitialize(NULL, NULL, NULL, NULL), kAudioSessionInitializationError);
    setenv("DBUS_SESSION_BUS_ADDRESS", "nonsense", 1);
    EXPECT(AudioSessionInitialize(NULL, NULL, NULL, NULL), kAudioSessionInitializationError);
    /* The bus in the runtime folder. */
    unsetenv("DBUS_SESSION_BUS_ADDRESS");
    EXPECT(AudioSessionInitialize(NULL, NULL, NULL, NULL), kAudioSessionInitializationError);
    /* Each of them at once. */
    EXPECT(waits_in_vain, 0);
    play("bus-start");
    play("start");
    initialize();
    EXPECT(AudioSessionUninitialize(), 0);
}

void test_activation(void) {
    initialize();
    stage("calls");
    EXPECT(AudioSessionSetActive(1), 0);
    EXPECT(AudioSessionSetActive(0), 0);
    EXPECT(AudioSessionSetActiveWithFlags(7, 0), 0);
    EXPECT(AudioSessionSetActiveWithFlags(0, kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation), 0);
    NEXT_CALLS("Activate([]);Deactivate([]);Activate([]);Deactivate([notify-others])");
    /* R11 */
    EXPECT(AudioSessionSetActiveWithFlags(1, kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation), ERROR_PROPERTY);
    EXPECT(AudioSessionSetActiveWithFlags(0, 2), ERROR_PROPERTY);
    EXPECT(AudioSessionSetActiveWithFlags(0, 3), ERROR_PROPERTY);
    EXPECT(AudioSessionSetActiveWithFlags(1, 0x80000000), ERROR_PROPERTY);
    NEXT_CALLS("");
    /* R8 */
    play("fail Activate InsufficientPriority");
    EXPECT(AudioSessionSetActive(1), kAudioSessionNotActiveError);
    EXPECT(AudioSessionSetActive(1), 0);
}

static void expect_reason(OSStatus status, const char *beginning, const char *reason) {
    const char *text = AudioSessionErrorText(status);
    EXPECT(strncmp(text, beginning, strlen(beginning)), 0);
    EXPECT_TEXT(text + strlen(text) - strlen(reason), reason);
}

/* What 'pty?' stands for is told apart by its text, and what the service has said is in it. */
void test_error_texts(void) {
    const char *property = "'pty?' kAudioSessionUnsupportedPropertyError: ";
    UInt32 size = 4, number = 0;
    expect_reason(AudioSessionSetActive(1), "'!ini' kAudioSessionNotInitialized: ", "has to succeed first");
    initialize();
    EXPECT_TEXT(AudioSessionErrorText(AudioSessionSetActive(1)), "kAudioSessionNoError: done");
    expect_reason(AudioSessionGetProperty(0x7a7a7a7a, &size, &number), property, ": there is no such property");
    expect_reason(AudioSessionGetProperty(kAudioSessionProperty_OverrideAudioRoute, &size, &number), property,
                  ": the property cannot be read");
    expect_reason(set_number(kAudioSessionProperty_OtherAudioIsPlaying, 1), property, ": the property cannot be set");
    expect_reason(AudioSessionRemovePropertyListener(kAudioSessionProperty_Mode), property,
                  ": the property cannot be listened to");
    expect_reason(set_number(kAudioSessionProperty_Mode, 7), property, ": there is no such mode");
    expect_reason(set_number(kAudioSessionProperty_AudioCategory, 7), property, ": the value is not one of those allowed");
    expect_reason(AudioSessionSetActiveWithFlags(1, 1), property, ": an activation has no flags");
    play("fail SetMode ModeNotChangeable");
    expect_reason(set_number(kAudioSessionProperty_Mode, kAudioSessionMode_Measurement), property,
                  ": ModeNotChangeable as the test says");
    play("fail Activate InsufficientPriority");
    expect_reason(AudioSessionSetActive(1), "'!act' kAudioSessionNotActiveError: ",
                  ": InsufficientPriority as the test says");
    /* The reason belongs to that failure alone. */
    expect_reason(kAudioSessionUnsupportedPropertyError, property, "or not with this value");
    EXPECT(AudioSessionSetActive(1), 0);
    expect_reason(kAudioSessionNotActiveError, "'!act' ", "the session cannot be active");
    EXPECT_TEXT(AudioSessionErrorText(12), "12 is no result of this library");
}

/* So that whoever looks at a program's threads knows whose they are. */
void test_thread_names(void) {
    initialize();
    char found[256] = "";
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry = readdir(threads); entry != NULL; entry = readdir(threads)) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL) continue;
        if (fgets(name, sizeof name, file) != NULL && strncmp(name, "audiosess-", 10) == 0) strcat(found, name);
        fclose(file);
    }
    closedir(threads);
    EXPECT(strstr(found, "audiosess-bus\n") != NULL, 1);
    EXPECT(strstr(found, "audiosess-calls\n") != NULL, 1);
}

static UInt32 option(int index) {
    static const AudioSessionPropertyID options[] = {
        kAudioSessionProperty_OtherMixableAudioShouldDuck,
        kAudioSessionProperty_OverrideCategoryMixWithOthers,
        kAudioSessionProperty_OverrideCategoryDefaultToSpeaker,
        kAudioSessionProperty_OverrideCategoryEnableBluetoothInput,
    };
    return options[index];
}

/* R39, R40, R41, R42, R43, R49, R24 */
void test_categories(void) {
    static const struct {
        UInt32 category, stands_for;
        const char *word;
        /* Which of duck, cmix, cspk, cblu it takes. */
        bool takes[4];
    } all[] = {
        { kAudioSessionCategory_AmbientSound, 0, "ambient", { 1, 0, 0, 0 } },
        { kAudioSessionCategory_SoloAmbientSound, 0, "solo-ambient", { 1, 0, 0, 0 } },
        { kAudioSessionCategory_MediaPlayback, 0, "playback", { 1, 1, 0, 0 } },
        { kAudioSessionCategory_RecordAudio, 0, "record", { 0, 0, 0, 1 } },
        { kAudioSessionCategory_PlayAndRecord, 0, "play-and-record", { 1, 1, 1, 1 } },
        { kAudioSessionCategory_AudioProcessing, 0, "audio-processing", { 0, 0, 0, 0 } },
        { kAudioSessionCategory_UserInterfaceSoundEffects, kAudioSessionCategory_AmbientSound, "ambient", { 1, 0, 0, 0 } },
        { kAudioSessionCategory_LiveAudio, kAudioSessionCategory_MediaPlayback, "playback", { 1, 1, 0, 0 } },
    };
    static const char *const words[] = { "duck-others", "mix-with-others", "default-to-speaker", "allow-bluetooth-input" };
    char expected[128];
    initialize();
    EXPECT(get_number(kAudioSessionProperty_AudioCategory), kAudioSessionCategory_SoloAmbientSound);
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) {
        for (int which = 0; which < 4; which++) {
            EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_AudioProcessing), 0);
            EXPECT(set_number(kAudioSessionProperty_AudioCategory, all[index].category), 0);
            EXPECT(get_number(kAudioSessionProperty_AudioCategory),
                   all[index].stands_for != 0 ? all[index].stands_for : all[index].category);
            stage("calls");
            EXPECT(get_number(option(which)), 0);
            EXPECT(set_number(option(which), 0), 0);
            NEXT_CALLS("");
            EXPECT(set_number(option(which), 77), all[index].takes[which] ? 0 : ERROR_CATEGORY);
            EXPECT(get_number(option(which)), all[index].takes[which]);
            strcpy(expected, "");
            if (all[index].takes[which]) {
                strcat(strcpy(expected, "SetCategory("), all[index].word);
                strcat(strcat(strcat(expected, ",["), words[which]), "],)");
            }
            NEXT_CALLS(expected);
            /* The same category is no change. */
            EXPECT(set_number(kAudioSessionProperty_AudioCategory, all[index].category), 0);
            EXPECT(get_number(option(which)), all[index].takes[which]);
        }
    }
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_PlayAndRecord), 0);
    for (int which = 0; which < 4; which++) EXPECT(set_number(option(which), 1), 0);
    stage("calls");
    EXPECT(set_number(option(0), 0), 0);
    NEXT_CALLS("SetCategory(play-and-record,[mix-with-others,default-to-speaker,allow-bluetooth-input],)");
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_MediaPlayback), 0);
    NEXT_CALLS("SetCategory(playback,[],)");
    for (int which = 0; which < 4; which++) EXPECT(get_number(option(which)), 0);
    /* R49 */
    EXPECT(set_number(option(0), 1), 0);
    EXPECT(get_number(option(1)), 1);
    EXPECT(set_number(option(0), 0), 0);
    EXPECT(get_number(option(1)), 0);
    /* R83 */
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, 0), ERROR_PROPERTY);
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionMode_Default), ERROR_PROPERTY);
    EXPECT(get_number(kAudioSessionProperty_AudioCategory), kAudioSessionCategory_MediaPlayback);
}

/* R25: written from the rule. */
void test_hardware_codecs(void) {
    static const struct {
        UInt32 category, option;
        bool may;
    } all[] = {
        { kAudioSessionCategory_AmbientSound, 0, false },
        { kAudioSessionCategory_SoloAmbientSound, 0, true },
        { kAudioSessionCategory_SoloAmbientSound, kAudioSessionProperty_OtherMixableAudioShouldDuck, false },
        { kAudioSessionCategory_MediaPlayback, 0, true },
        { kAudioSessionCategory_MediaPlayback, kAudioSessionProperty_OverrideCategoryMixWithOthers, false },
        { kAudioSessionCategory_RecordAudio, 0, false },
        { kAudioSessionCategory_PlayAndRecord, 0, true },
        { kAudioSessionCategory_PlayAndRecord, kAudioSessionProperty_OverrideCategoryDefaultToSpeaker, true },
        { kAudioSessionCategory_PlayAndRecord, kAudioSessionProperty_OtherMixableAudioShouldDuck, false },
        { kAudioSessionCategory_AudioProcessing, 0, true },
    };
    Boolean may = 7;
    EXPECT(AudioSessionGetMayUseHardwareCodecs(&may), kAudioSessionNotInitialized);
    EXPECT(may, 7);
    initialize();
    EXPECT(AudioSessionGetMayUseHardwareCodecs(NULL), ERROR_WHAT);
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) {
        /* Another category in between takes the options of the former one away. */
        EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_AmbientSound), 0);
        EXPECT(set_number(kAudioSessionProperty_AudioCategory, all[index].category), 0);
        if (all[index].option != 0) EXPECT(set_number(all[index].option, 1), 0);
        EXPECT(AudioSessionGetMayUseHardwareCodecs(&may), 0);
        EXPECT(may, all[index].may);
    }
}

/* R50, R51, R52, R53, R54, R41 */
void test_modes(void) {
    initialize();
    stage("calls");
    EXPECT(get_number(kAudioSessionProperty_Mode), kAudioSessionMode_Default);
    EXPECT(set_number(kAudioSessionProperty_Mode, kAudioSessionMode_VideoRecording), 0);
    EXPECT(set_number(kAudioSessionProperty_Mode, kAudioSessionMode_Measurement), 0);
    EXPECT(set_number(kAudioSessionProperty_Mode, kAudioSessionMode_VoiceChat), 0);
    EXPECT(get_number(kAudioSessionProperty_OverrideCategoryEnableBluetoothInput), 0);
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_PlayAndRecord), 0);
    EXPECT(get_number(kAudioSessionProperty_OverrideCategoryEnableBluetoothInput), 1);
    NEXT_CALLS("SetMode(video-recording);SetMode(measurement);SetMode(voice-chat);SetCategory(play-and-record,[],)");
    EXPECT(set_number(kAudioSessionProperty_Mode, 1), ERROR_PROPERTY);
    play("fail SetMode ModeNotChangeable");
    EXPECT(set_number(kAudioSessionProperty_Mode, kAudioSessionMode_Default), ERROR_PROPERTY);
    EXPECT(get_number(kAudioSessionProperty_Mode), kAudioSessionMode_VoiceChat);
    stage("calls");
    EXPECT(set_number(kAudioSessionProperty_OverrideAudioRoute, kAudioSessionOverrideAudioRoute_Speaker), 0);
    EXPECT(set_number(kAudioSessionProperty_OverrideAudioRoute, kAudioSessionOverrideAudioRoute_None), 0);
    NEXT_CALLS("OverrideOutput(speaker);OverrideOutput(none)");
    EXPECT(set_number(kAudioSessionProperty_OverrideAudioRoute, 1), ERROR_PROPERTY);
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_MediaPlayback), 0);
    EXPECT(set_number(kAudioSessionProperty_OverrideAudioRoute, kAudioSessionOverrideAudioRoute_Speaker), ERROR_CATEGORY);
    EXPECT(set_number(kAudioSessionProperty_OverrideAudioRoute, kAudioSessionOverrideAudioRoute_None), 0);
}

/* R6: what another library of the process has set in the session that both share. */
void test_other_library(void) {
    initialize();
    play("set Category \"play-and-record\"");
    play("set Options [\"mix-with-others\", \"default-to-speaker\", \"of-a-later-service\"]");
    play("set Mode \"voice-chat\"");
    play("set Preferences {\"sample-rate\": 44100.0, \"input-gain\": 0.5, \"input\": \"usb-in\"}");
    play("set OutputOverride \"speaker\"");
    SOON(get_number(kAudioSessionProperty_Mode) == kAudioSessionMode_VoiceChat);
    EXPECT(get_number(kAudioSessionProperty_AudioCategory), kAudioSessionCategory_PlayAndRecord);
    EXPECT(get_number(kAudioSessionProperty_OverrideCategoryMixWithOthers), 1);
    EXPECT(get_number(kAudioSessionProperty_OverrideCategoryDefaultToSpeaker), 1);
    EXPECT(get_number(kAudioSessionProperty_OtherMixableAudioShouldDuck), 0);
    /* A preference that is taken back, and one that nobody knows. */
    play("set Preferences {\"sample-rate\": 44100.0, \"input-gain\": 0.5, \"later\": 1}");
    play("set Mode \"of-a-later-service\"");
    play("set Category \"of-a-later-service\"");
    play("lost");
    stage("calls");
    play("reset");
    SOON(strstr(stage("sessions"), "1") != NULL);
    SOON(AudioSessionSetActive(1) == 0);
    const char *calls = stage("calls");
    EXPECT(strstr(calls, "OpenSession({streams:shared});GetAll(Session);GetAll(Manager);SetMode(voice-chat);"
                         "SetCategory(play-and-record,[mix-with-others,default-to-speaker],);"
                         "SetPreference(sample-rate,44100);SetPreference(input-gain,0.5);OverrideOutput(speaker);") == calls,
           1);
    EXPECT(get_number(kAudioSessionProperty_AudioCategory), kAudioSessionCategory_PlayAndRecord);
}

static OSStatus set_real(Float64 value) {
    return AudioSessionSetProperty(kAudioSessionProperty_PreferredHardwareSampleRate, sizeof value, &value);
}
static OSStatus set_fraction(AudioSessionPropertyID id, Float32 value) {
    return AudioSessionSetProperty(id, sizeof value, &value);
}
static double get_fraction(AudioSessionPropertyID id) {
    Float32 value = -1;
    UInt32 size = sizeof value;
    EXPECT(AudioSessionGetProperty(id, &size, &value), 0);
    return (double)value;
}

/* R74, R76 */
void test_preferences(void) {
    Float64 rate = -1;
    UInt32 size = sizeof rate;
    initialize();
    stage("calls");
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_PreferredHardwareSampleRate, &size, &rate), 0);
    EXPECT(rate == 0, 1);
    EXPECT(set_real(44100), 0);
    EXPECT(set_fraction(kAudioSessionProperty_PreferredHardwareIOBufferDuration, 0.25f), 0);
    NEXT_CALLS("SetPreference(sample-rate,44100);SetPreference(buffer-duration,0.25)");
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_PreferredHardwareSampleRate, &size, &rate), 0);
    EXPECT(rate == 44100, 1);
    EXPECT(get_fraction(kAudioSessionProperty_PreferredHardwareIOBufferDuration) == 0.25, 1);
    const double wrong_rates[] = { -1, 0.5, 768001, NAN, INFINITY };
    for (int index = 0; index < 5; index++) EXPECT(set_real(wrong_rates[index]), ERROR_PROPERTY);
    const float wrong_durations[] = { -1, 10.5f, NAN, INFINITY };
    for (int index = 0; index < 4; index++) {
        EXPECT(set_fraction(kAudioSessionProperty_PreferredHardwareIOBufferDuration, wrong_durations[index]), ERROR_PROPERTY);
    }
    EXPECT(set_real(0), 0);
    EXPECT(set_fraction(kAudioSessionProperty_InputGainScalar, 0.5f), 0);
    EXPECT(get_fraction(kAudioSessionProperty_InputGainScalar) == 0.5, 1);
    EXPECT(set_fraction(kAudioSessionProperty_InputGainScalar, 7), 0);
    EXPECT(set_fraction(kAudioSessionProperty_InputGainScalar, -INFINITY), 0);
    EXPECT(get_fraction(kAudioSessionProperty_InputGainScalar) == 0, 1);
    EXPECT(set_fraction(kAudioSessionProperty_InputGainScalar, NAN), ERROR_PROPERTY);
    NEXT_CALLS("SetPreference(sample-rate,0);SetPreference(input-gain,0.5);SetPreference(input-gain,1);"
               "SetPreference(input-gain,0)");
    const AudioSessionPropertyID on_disconnect = kAudioSessionProperty_InterruptionOnRouteDisconnect;
    EXPECT(get_number(on_disconnect), 1);
    EXPECT(set_number(on_disconnect, 0), 0);
    EXPECT(get_number(on_disconnect), 0);
    EXPECT(set_number(on_disconnect, 7), 0);
    EXPECT(get_number(on_disconnect), 1);
    NEXT_CALLS("SetPreference(interruption-on-route-disconnect,false);"
               "SetPreference(interruption-on-route-disconnect,true)");
}

static char *get_text(AudioSessionPropertyID id) {
    AudioSessionValueRef value = NULL;
    UInt32 size = sizeof value;
    OSStatus status = AudioSessionGetProperty(id, &size, &value);
    EXPECT(status, 0);
    char *text = AudioSessionValueCopyText(value);
    AudioSessionValueRelease(value);
    return text;
}

static void expect_value(AudioSessionPropertyID id, const char *expected) {
    char *text = get_text(id);
    EXPECT_TEXT(text, expected);
    free(text);
}

static OSStatus set_value(AudioSessionPropertyID id, AudioSessionValueRef value) {
    OSStatus status = AudioSessionSetProperty(id, sizeof value, &value);
    AudioSessionValueRelease(value);
    return status;
}

/* R66. The numbers are FNV-1a of usb-in and usb-out, computed elsewhere. */
void test_accessories(void) {
    initialize();
    stage("calls");
    expect_value(kAudioSessionProperty_InputSources, "[{ID: 1592798107, Description: \"Interface\"}]");
    expect_value(kAudioSessionProperty_OutputDestinations, "[{ID: 62924872, Description: \"Interface\"}]");
    AudioSessionValueRef value = NULL;
    UInt32 size = sizeof value;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_InputSource, &size, &value), kAudioServicesNoHardwareError);
    EXPECT(set_value(kAudioSessionProperty_InputSource, AudioSessionValueCreateNumber(1592798107)), 0);
    EXPECT(set_value(kAudioSessionProperty_OutputDestination, AudioSessionValueCreateNumber(62924872)), 0);
    NEXT_CALLS("SetPreference(input,usb-in);SetPreference(output,usb-out)");
    expect_value(kAudioSessionProperty_InputSource, "1592798107");
    expect_value(kAudioSessionProperty_OutputDestination, "62924872");
    EXPECT(set_value(kAudioSessionProperty_InputSource, AudioSessionValueCreateNumber(62924872)), ERROR_PROPERTY);
    EXPECT(set_value(kAudioSessionProperty_InputSource, AudioSessionValueCreateNumber(1592798107.5)), ERROR_PROPERTY);
    EXPECT(set_value(kAudioSessionProperty_InputSource, AudioSessionValueCreateString("usb-in")), ERROR_PROPERTY);
    EXPECT(set_value(kAudioSessionProperty_InputSource, NULL), ERROR_PROPERTY);
    /* What is unplugged is not in use; it is preferred all the same when it is back. */
    play("set Manager.AvailableInputs []");
    EXPECT(AudioSessionSetActive(1), 0);
    size = sizeof value;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_InputSource, &size, &value), kAudioServicesNoHardwareError);
    play("set CurrentRoute {\"inputs\":[{\"type\":\"USBAudio\",\"id\":\"other-usb\"}],\"outputs\":[]}");
    EXPECT(AudioSessionSetActive(1), 0);
    expect_value(kAudioSessionProperty_InputSource, "1721712538");
    play("set Manager.AvailableInputs [{\"type\":\"USBAudio\",\"id\":\"usb-in\",\"name\":\"Interface\"}]");
    EXPECT(AudioSessionSetActive(1), 0);
    expect_value(kAudioSessionProperty_InputSource, "1592798107");
    EXPECT(AudioSessionUninitialize(), 0);
    /* What is in use counts when nothing was set. */
    initialize();
    play("set CurrentRoute {\"inputs\":[{\"type\":\"USBAudio\",\"id\":\"usb-in\"}],\"outputs\":[]}");
    SOON((size = sizeof value, AudioSessionGetProperty(kAudioSessionProperty_InputSource, &size, &value)) == 0);
    AudioSessionValueRelease(value);
    expect_value(kAudioSessionProperty_AudioRouteDescription, "{Inputs: [{Type: \"USBAudio\"}], Outputs: []}");
}

/* R84: the service's errors, for a property and for activation. Nothing is kept of what was refused. */
void test_service_errors(void) {
    static const struct {
        const char *name;
        OSStatus status;
    } errors[] = {
        { "InsufficientPriority", kAudioSessionNotActiveError },
        { "NoHardware", kAudioServicesNoHardwareError },
        { "NoCategory", kAudioSessionNoCategorySet },
        { "IncompatibleCategory", kAudioSessionIncompatibleCategory },
        { "UnknownValue", kAudioSessionUnsupportedPropertyError },
        { "ModeNotChangeable", kAudioSessionUnsupportedPropertyError },
        { "InvalidFlag", kAudioSessionUnsupportedPropertyError },
        { "org.freedesktop.DBus.Error.InvalidArgs", kAudioSessionUnsupportedPropertyError },
        { "Other", kAudioSessionUnspecifiedError },
        { "org.freedesktop.DBus.Error.Failed", kAudioSessionUnspecifiedError },
    };
    char command[128];
    initialize();
    for (size_t index = 0; index < sizeof errors / sizeof *errors; index++) {
        strcat(strcpy(command, "fail SetCategory "), errors[index].name);
        play(command);
        EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_RecordAudio), errors[index].status);
        EXPECT(get_number(kAudioSessionProperty_AudioCategory), kAudioSessionCategory_SoloAmbientSound);
        strcat(strcpy(command, "fail Activate "), errors[index].name);
        play(command);
        EXPECT(AudioSessionSetActive(1), errors[index].status);
    }
    EXPECT(AudioSessionSetActive(1), 0);
}
