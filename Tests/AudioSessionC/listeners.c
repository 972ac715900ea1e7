/* What applications hear. */
#include "testing.h"

#include <stdlib.h>
#include <string.h>

static OSStatus listen(AudioSessionPropertyID id, const char *name) {
    return AudioSessionAddPropertyListener(id, hear_property, (void *)(uintptr_t)name);
}

/* R26, R29, R31, R32 */
void test_interruptions(void) {
    UInt32 type, size = sizeof type;
    initialize();
    EXPECT(AudioSessionSetActive(1), 0);
    play("interrupt");
    HEARD("begin");
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_InterruptionType, &size, &type), ERROR_PROPERTY);
    play("end true");
    HEARD("end:irsm");
    EXPECT(AudioSessionSetActive(1), 0);
    play("interrupt");
    play("end false");
    HEARD("begin end:!rsm");
    for (int count = 0; count < 3; count++) {
        play("interrupt");
        play("end true");
    }
    HEARD("begin end:irsm begin end:irsm begin end:irsm");
}

void test_interruptions_polled(void) {
    initialize();
    play("interrupt");
    HEARD("begin");
    EXPECT(AudioSessionGetPollFD() >= 0, 1);
    EXPECT(AudioSessionGetPollFD(), AudioSessionGetPollFD());
    play("end true");
    play("interrupt");
    /* Nobody is called without AudioSessionDispatch(). */
    HEARD("");
    is_polling = true;
    HEARD("end:irsm begin");
    EXPECT(AudioSessionDispatch(), 0);
    HEARD("");
    play("end false");
    HEARD("end:!rsm");
    EXPECT(AudioSessionSetActive(1), 0);
    /* Far more than are kept, and nobody dispatches: the last pair is still there. */
    is_polling = false;
    for (int count = 0; count < 600; count++) {
        play("interrupt");
        play("end false");
    }
    play("interrupt");
    play("end true");
    EXPECT(AudioSessionSetActive(1), 0);
    EXPECT(AudioSessionDispatch(), 0);
    static char all[32768];
    for (int count = 0; count < 511; count++) strcat(all, "begin end:!rsm ");
    HEARD(strcat(all, "begin end:irsm"));
    EXPECT(AudioSessionUninitialize(), 0);
    test_interruptions();
}

static void hear_reason(void *data, UInt32 state) {
    AudioSessionValueRef by = NULL;
    UInt32 size = sizeof by;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_InterruptedBy, &size, &by), 0);
    write_heard("%u %s", get_number(kAudioSessionProperty_InterruptionReason), AudioSessionValueGetString(by));
    AudioSessionValueRelease(by);
    hear_interruption(data, state);
}

/* Each callback reads why its own interruption has begun, however late it runs. */
void test_interruption_reasons(void) {
    UInt32 size = sizeof size, reason;
    AudioSessionValueRef by = NULL;
    EXPECT(AudioSessionInitialize(NULL, NULL, hear_reason, NULL), 0);
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_InterruptionReason, &size, &reason), ERROR_PROPERTY);
    size = sizeof by;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_InterruptedBy, &size, &by), ERROR_PROPERTY);
    EXPECT(AudioSessionGetPollFD() >= 0, 1);
    play("interrupt default Calls");
    play("end true");
    play("interrupt suspended Machine");
    play("end true");
    play("interrupt device-muted Microphone");
    play("end false");
    play("interrupt route-disconnected Headset");
    play("interrupt later-reason X");
    is_polling = true;
    HEARD("0 Calls begin 0 Calls end:irsm 1 Machine begin 1 Machine end:irsm 2 Microphone begin 2 Microphone end:!rsm "
          "4 Headset begin 0 X begin");
}

/* An interruption takes back that the session mixes; lowering others stays. */
void test_mixing_reverts(void) {
    initialize();
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_MediaPlayback), 0);
    EXPECT(set_number(kAudioSessionProperty_OverrideCategoryMixWithOthers, 1), 0);
    stage("calls");
    play("interrupt");
    HEARD("begin");
    EXPECT(get_number(kAudioSessionProperty_OverrideCategoryMixWithOthers), 0);
    play("end true");
    HEARD("end:irsm");
    EXPECT(AudioSessionSetActive(1), 0);
    EXPECT_TEXT(stage("calls"), "SetCategory(playback,[],);Activate([])");
    EXPECT(set_number(kAudioSessionProperty_OtherMixableAudioShouldDuck, 1), 0);
    stage("calls");
    play("interrupt");
    HEARD("begin");
    EXPECT(get_number(kAudioSessionProperty_OtherMixableAudioShouldDuck), 1);
    EXPECT(AudioSessionSetActive(1), 0);
    EXPECT_TEXT(stage("calls"), "Activate([])");
    /* What the application asks for in that moment is not lost. */
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_PlayAndRecord), 0);
    EXPECT(set_number(kAudioSessionProperty_OverrideCategoryMixWithOthers, 1), 0);
    stage("calls");
    play("interrupt-in SetCategory");
    EXPECT(set_number(kAudioSessionProperty_OverrideCategoryDefaultToSpeaker, 1), 0);
    HEARD("begin");
    EXPECT(AudioSessionSetActive(1), 0);
    EXPECT_TEXT(stage("calls"), "SetCategory(play-and-record,[mix-with-others,default-to-speaker],);"
                                "SetCategory(play-and-record,[default-to-speaker],);Activate([])");
}

static void expect_route(const char *description, const char *name) {
    const AudioSessionPropertyID ids[] = { kAudioSessionProperty_AudioRouteDescription, kAudioSessionProperty_AudioRoute };
    for (int index = 0; index < 2; index++) {
        AudioSessionValueRef value = NULL;
        UInt32 size = sizeof value;
        EXPECT(AudioSessionGetProperty(ids[index], &size, &value), 0);
        char *text = AudioSessionValueCopyText(value);
        EXPECT_TEXT(index == 0 ? text : AudioSessionValueGetString(value), index == 0 ? description : name);
        free(text);
        AudioSessionValueRelease(value);
    }
}

/* R56, R58, R59, R60, R61, R62 */
void test_routes(void) {
    initialize();
    expect_route("{Inputs: [], Outputs: [{Type: \"BuiltInSpeaker\"}]}", "Speaker");
    EXPECT(listen(kAudioSessionProperty_AudioRouteChange, NULL), 0);
    play("route 1 BuiltInSpeaker Headphones");
    HEARD("roch={OutputDeviceDidChange_Reason: 1, OutputDeviceDidChange_OldRoute: \"Speaker\", "
          "PreviousRouteDescription: {Inputs: [], Outputs: [{Type: \"BuiltInSpeaker\"}]}, "
          "CurrentRouteDescription: {Inputs: [], Outputs: [{Type: \"Headphones\"}]}}");
    expect_route("{Inputs: [], Outputs: [{Type: \"Headphones\"}]}", "Headphone");
    play("route 5 Headphones Strange");
    HEARD("roch={OutputDeviceDidChange_Reason: 0, OutputDeviceDidChange_OldRoute: \"Headphone\", "
          "PreviousRouteDescription: {Inputs: [], Outputs: [{Type: \"Headphones\"}]}, "
          "CurrentRouteDescription: {Inputs: [], Outputs: [{Type: \"Strange\"}]}}");
    static const struct {
        const char *input, *output, *name;
    } routes[] = {
        { "HeadsetMic", "Headphones", "HeadsetInOut" },   { "BuiltInMic", "Headphones", "HeadphonesAndMicrophone" },
        { "BuiltInMic", "BuiltInReceiver", "ReceiverAndMicrophone" }, { NULL, "BuiltInReceiver", "Receiver" },
        { "BuiltInMic", "BuiltInSpeaker", "SpeakerAndMicrophone" }, { "LineIn", "LineOut", "LineInOut" },
        { NULL, "LineOut", "LineOut" },                   { "BluetoothHFP", "BluetoothHFP", "HeadsetBT" },
        { NULL, "BluetoothA2DP", "HeadphonesBT" },        { NULL, "USBAudio", "USB" },
        { NULL, "HDMI", "HDMI" },                         { NULL, "AirPlay", "AirTunes" },
        { "BuiltInMic", NULL, "MicrophoneBuiltIn" },      { "HeadsetMic", NULL, "MicrophoneWired" },
        { NULL, NULL, "" },                               { NULL, "Strange", "Unknown" },
    };
    AudioSessionRemovePropertyListener(kAudioSessionProperty_AudioRouteChange);
    for (size_t index = 0; index < sizeof routes / sizeof *routes; index++) {
        char command[256] = "set CurrentRoute {\"inputs\":[", description[256] = "{Inputs: [";
        const char *types[] = { routes[index].input, routes[index].output };
        for (int side = 0; side < 2; side++) {
            if (types[side] != NULL) {
                strcat(strcat(strcat(command, "{\"type\":\""), types[side]), "\"}");
                strcat(strcat(strcat(description, "{Type: \""), types[side]), "\"}");
            }
            strcat(command, side == 0 ? "],\"outputs\":[" : "]}");
            strcat(description, side == 0 ? "], Outputs: [" : "]}");
        }
        play(command);
        /* The answer to a call comes after the signal. */
        EXPECT(AudioSessionSetActive(1), 0);
        expect_route(description, routes[index].name);
    }
}

/* R73, R78: each value, when it changes, and only then */
void test_figures(void) {
    static const AudioSessionPropertyID ids[] = {
        kAudioSessionProperty_CurrentHardwareOutputVolume, kAudioSessionProperty_AudioInputAvailable,
        kAudioSessionProperty_InputSources, kAudioSessionProperty_OutputDestinations,
        kAudioSessionProperty_InputGainAvailable, kAudioSessionProperty_InputGainScalar,
        kAudioSessionProperty_CurrentHardwareSampleRate, kAudioSessionProperty_CurrentHardwareIOBufferDuration,
        kAudioSessionProperty_CurrentHardwareInputNumberChannels,
        kAudioSessionProperty_CurrentHardwareOutputNumberChannels,
    };
    initialize();
    for (int index = 0; index < 10; index++) EXPECT(listen(ids[index], NULL), 0);
    play("set OutputVolume 0.5");
    play("set OutputVolume 0.25");
    play("set OutputVolume 0.25");
    HEARD("chov=0.25");
    play("set InputGain 0.125");
    play("set InputGainAvailable true");
    HEARD("igsc=0.125 igav=1");
    EXPECT(get_number(kAudioSessionProperty_InputGainAvailable), 1);
    EXPECT(get_number(kAudioSessionProperty_AudioInputAvailable), 1);
    play("set Manager.AvailableInputs []");
    HEARD("aiav=0 srcs=[]");
    EXPECT(get_number(kAudioSessionProperty_AudioInputAvailable), 0);
    play("set Manager.AvailableInputs [{\"type\":\"USBAudio\",\"id\":\"other-usb\",\"name\":\"Other\"}]");
    HEARD("aiav=1 srcs=[{ID: 1721712538, Description: \"Other\"}]");
    play("set Manager.AvailableOutputs []");
    HEARD("dsts=[]");
    play("set OtherAudioPlaying true");
    play("set SampleRate 44100.0");
    EXPECT(AudioSessionSetActive(1), 0);
    EXPECT(get_number(kAudioSessionProperty_OtherAudioIsPlaying), 1);
    Float64 rate = 0;
    UInt32 size = sizeof rate;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_CurrentHardwareSampleRate, &size, &rate), 0);
    EXPECT(rate == 44100, 1);
    HEARD("chsr=44100");
    play("set BufferDuration 0.005");
    HEARD("chbd=0.005");
    play("set OutputChannels 2");
    play("set OutputChannels 6");
    HEARD("choc=6");
    play("set InputChannels 2");
    play("set InputChannels 1");
    HEARD("chic=1");
}

static void hear_otherwise(void *name, AudioSessionPropertyID id, UInt32 size, const void *data) {
    write_heard("other");
    hear_property(name, id, size, data);
}

/* R71, R72, R73 */
void test_listeners(void) {
    const AudioSessionPropertyID id = kAudioSessionProperty_InputGainAvailable;
    static char one[] = "one", two[] = "two";
    initialize();
    EXPECT(AudioSessionAddPropertyListener(id, hear_property, one), 0);
    EXPECT(AudioSessionAddPropertyListener(id, hear_property, two), 0);
    play("set InputGainAvailable true");
    HEARD("one igav=1 two igav=1");
    EXPECT(AudioSessionAddPropertyListener(id, hear_property, one), 0);
    play("set InputGainAvailable false");
    HEARD("one igav=0 two igav=0");
    EXPECT(AudioSessionAddPropertyListener(id, hear_otherwise, one), 0);
    play("set InputGainAvailable true");
    HEARD("other one igav=1 two igav=1");
    EXPECT(AudioSessionRemovePropertyListenerWithUserData(id, hear_property, one), ERROR_PROPERTY);
    EXPECT(AudioSessionRemovePropertyListenerWithUserData(id, hear_otherwise, two), ERROR_PROPERTY);
    EXPECT(AudioSessionRemovePropertyListenerWithUserData(kAudioSessionProperty_InputGainScalar, hear_otherwise, one),
           ERROR_PROPERTY);
    EXPECT(AudioSessionRemovePropertyListenerWithUserData(id, hear_otherwise, one), 0);
    EXPECT(AudioSessionAddPropertyListener(kAudioSessionProperty_InputGainScalar, hear_property, one), 0);
    play("set InputGainAvailable false");
    HEARD("two igav=0");
    EXPECT(AudioSessionAddPropertyListener(id, hear_property, one), 0);
    EXPECT(AudioSessionRemovePropertyListener(id), 0);
    EXPECT(AudioSessionRemovePropertyListener(id), 0);
    play("set InputGainAvailable true");
    play("set InputGain 0.5");
    HEARD("one igsc=0.5");
    /* Not kept by the next session. */
    EXPECT(AudioSessionUninitialize(), 0);
    initialize();
    play("set InputGain 0.25");
    HEARD("");
}

static char first_name[] = "first", second_name[] = "second", third_name[] = "third";

static void remove_second(void *name, AudioSessionPropertyID id, UInt32 size, const void *data) {
    EXPECT(AudioSessionRemovePropertyListenerWithUserData(id, hear_property, second_name), 0);
    /* Added after the news, so it hears the next ones. */
    EXPECT(AudioSessionAddPropertyListener(id, hear_property, third_name), 0);
    EXPECT(AudioSessionRemovePropertyListenerWithUserData(id, remove_second, first_name), 0);
    /* At last, for the test goes on then. */
    hear_property(name, id, size, data);
}

void test_listener_removed_inside(void) {
    const AudioSessionPropertyID id = kAudioSessionProperty_InputGainAvailable;
    initialize();
    EXPECT(AudioSessionAddPropertyListener(id, remove_second, first_name), 0);
    EXPECT(AudioSessionAddPropertyListener(id, hear_property, second_name), 0);
    play("set InputGainAvailable true");
    HEARD("first igav=1");
    play("set InputGainAvailable false");
    HEARD("third igav=0");
}

static void resume_inside(void *data, UInt32 state) {
    EXPECT(AudioSessionSetActive(state == kAudioSessionEndInterruption), 0);
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_MediaPlayback), 0);
    EXPECT(get_number(kAudioSessionProperty_AudioCategory), kAudioSessionCategory_MediaPlayback);
    EXPECT(AudioSessionDispatch(), 0);
    EXPECT(AudioSessionInitialize(NULL, NULL, NULL, NULL), kAudioSessionAlreadyInitialized);
    if (state == kAudioSessionEndInterruption) {
        EXPECT(get_number(kAudioSessionProperty_InterruptionType), kAudioSessionInterruptionType_ShouldResume);
    }
    hear_interruption(data, state);
}

void test_calls_inside_callbacks(void) {
    for (int round = 0; round < 2; round++) {
        EXPECT(AudioSessionInitialize(NULL, NULL, resume_inside, NULL), 0);
        if (round == 1) is_polling = true;
        stage("calls");
        play("interrupt");
        HEARD("begin");
        play("end true");
        HEARD("end:irsm");
        EXPECT_TEXT(stage("calls"),
                    "Deactivate([]);SetCategory(playback,[],);Activate([]);SetCategory(playback,[],)");
        EXPECT(AudioSessionUninitialize(), 0);
    }
}
