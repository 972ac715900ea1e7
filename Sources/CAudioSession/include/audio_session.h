/* Audio Session Services: an application says what its sound is for, and is told when it is interrupted.
 *
 * Names, constants, sizes and errors are those of the phone's C interface of this name. Comments say what differs on the
 * desktop. The sound server's module audio-session has to be loaded; its service on the session bus is
 * org.AudioSession1.
 *
 * A small player:
 *
 *     static void interrupted(void *player, UInt32 state) {
 *         if (state == kAudioSessionBeginInterruption) pause_player(player);
 *         else resume_player(player);
 *     }
 *     AudioSessionInitialize(NULL, NULL, interrupted, player);
 *     UInt32 category = kAudioSessionCategory_MediaPlayback;
 *     AudioSessionSetProperty(kAudioSessionProperty_AudioCategory, sizeof category, &category);
 *     AudioSessionSetActive(1);
 *
 * One session: all libraries in the process that use the service, such as the one for Swift, share one session. A setting of one
 * is in force for all, each is told of everything, and the session ends with the last of them. Behind the bus proxy of a
 * sandbox, where the service does not know the process, each has a session of its own.
 *
 * Threads: every function may be called from any thread and from inside a callback. Callbacks run one after another, on a
 * thread of the library, or in AudioSessionDispatch() if the application asked for AudioSessionGetPollFD().
 *
 * Time: no function waits longer than AUDIO_SESSION_CALL_LIMIT_MS for the service. AudioSessionUninitialize() also waits
 * for a callback that is running.
 *
 * While the service is away, or has not answered in that time, after AudioSessionInitialize() has succeeded:
 *   - properties that say what the application wants (category, mode, overrides, preferences) can be read and set; what is
 *     set is kept, and counts when the service is back;
 *   - properties that say what is, and activation, fail with kAudioSessionUnspecifiedError;
 *   - a session that was active becomes active again when the service is back. If that fails, the interruption listener
 *     gets kAudioSessionBeginInterruption. An interruption that had begun ends, with ShouldNotResume.
 *
 * Processes: after fork(), the child has no session. It may call AudioSessionInitialize() for one of its own.
 *
 * Link with -laudiosession, or `pkg-config --cflags --libs audiosession`.
 */
#ifndef AUDIO_SESSION_H
#define AUDIO_SESSION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define AUDIO_SESSION_PUBLIC __attribute__((visibility("default")))
#else
#define AUDIO_SESSION_PUBLIC
#endif

/* A constant text. One file of the library defines them all. */
#if defined(AUDIO_SESSION_DEFINES_TEXTS)
#define AUDIO_SESSION_TEXT(name, text) AUDIO_SESSION_PUBLIC const char *const name = text
#else
#define AUDIO_SESSION_TEXT(name, text) AUDIO_SESSION_PUBLIC extern const char *const name
#endif

/* The longest time, in milliseconds, that a function waits for the service. */
#define AUDIO_SESSION_CALL_LIMIT_MS 5000

/* The reference's names for types. Define AUDIO_SESSION_NO_BASE_TYPES if another header has them. */
#ifndef AUDIO_SESSION_NO_BASE_TYPES
typedef int32_t OSStatus;
typedef uint32_t UInt32;
typedef int32_t SInt32;
typedef float Float32;
typedef double Float64;
typedef unsigned char Boolean;
#endif

/* ---------------------------------------------------------------------------------------------------------------------
 * Results
 */

enum {
    /* Done. */
    kAudioSessionNoError = 0,
    /* '!ini': AudioSessionInitialize() has to succeed first. */
    kAudioSessionNotInitialized = 0x21696e69,
    /* 'init': AudioSessionInitialize() was called before. */
    kAudioSessionAlreadyInitialized = 0x696e6974,
    /* 'ini?': there is no session bus or no service on it, or it did not answer in time. */
    kAudioSessionInitializationError = 0x696e693f,
    /* 'pty?': there is no such property, it cannot be used in this way or not now, or its value is not one of those
     * allowed. */
    kAudioSessionUnsupportedPropertyError = 0x7074793f,
    /* '!siz': the value's size is wrong. */
    kAudioSessionBadPropertySizeError = 0x2173697a,
    /* '!act': the session is not active, or cannot become active beside a session with a stronger claim. */
    kAudioSessionNotActiveError = 0x21616374,
    /* 'nohw': there is no input or output of the kind that is needed. */
    kAudioServicesNoHardwareError = 0x6e6f6877,
    /* '?cat': no category was set, and one is needed. */
    kAudioSessionNoCategorySet = 0x3f636174,
    /* '!cat': the property does not fit the category. */
    kAudioSessionIncompatibleCategory = 0x21636174,
    /* 'what': anything else: the service is away or did not answer in time, a pointer is NULL, there is no memory. */
    kAudioSessionUnspecifiedError = 0x77686174
};

/* A result for people: its four characters, its name and a sentence. If it is the result of the calling thread's last function of
 * this library, the reason of this failure follows where it is known; 'pty?' and 'what' have several reasons. Never NULL;
 * borrowed, until the thread calls this function again. Not on the phone. */
AUDIO_SESSION_PUBLIC const char *AudioSessionErrorText(OSStatus inStatus);

/* ---------------------------------------------------------------------------------------------------------------------
 * Values: texts, numbers, arrays and dictionaries, in place of the phone's CFString, CFNumber, CFArray and CFDictionary
 *
 * A value never changes, and may be used by several threads. Functions with Create or Copy in their names, and
 * AudioSessionGetProperty(), give values that the caller releases; all others give borrowed ones, which live as long as the
 * value that they are in. NULL is allowed for every value, and is of no kind.
 */

typedef const struct AudioSessionValue *AudioSessionValueRef;

/* What a value is. Not on the phone. */
typedef UInt32 AudioSessionValueKind;
enum {
    kAudioSessionValueKind_None = 0,
    kAudioSessionValueKind_String = 1,
    kAudioSessionValueKind_Number = 2,
    kAudioSessionValueKind_Array = 3,
    kAudioSessionValueKind_Dictionary = 4
};

/* A text, which is copied. NULL for NULL, or without memory. */
AUDIO_SESSION_PUBLIC AudioSessionValueRef AudioSessionValueCreateString(const char *inText);
/* A constant text: the same value for the same text, as long as the program runs, and never released. For few texts, because
 * each is kept. NULL for NULL, or without memory. Not on the phone, where it is CFSTR(). */
AUDIO_SESSION_PUBLIC AudioSessionValueRef AudioSessionValueConstantString(const char *inText);
/* A number. NULL without memory. */
AUDIO_SESSION_PUBLIC AudioSessionValueRef AudioSessionValueCreateNumber(Float64 inNumber);
/* Keeps a value until AudioSessionValueRelease(). Returns the value. */
AUDIO_SESSION_PUBLIC AudioSessionValueRef AudioSessionValueRetain(AudioSessionValueRef inValue);
/* Gives a value back. */
AUDIO_SESSION_PUBLIC void AudioSessionValueRelease(AudioSessionValueRef inValue);
/* What the value is. */
AUDIO_SESSION_PUBLIC AudioSessionValueKind AudioSessionValueGetKind(AudioSessionValueRef inValue);
/* The text, in UTF-8, borrowed. NULL if the value is no text. */
AUDIO_SESSION_PUBLIC const char *AudioSessionValueGetString(AudioSessionValueRef inValue);
/* The number. 0 if the value is no number. */
AUDIO_SESSION_PUBLIC Float64 AudioSessionValueGetNumber(AudioSessionValueRef inValue);
/* The number of elements of an array, or of members of a dictionary. 0 for other kinds. */
AUDIO_SESSION_PUBLIC UInt32 AudioSessionValueGetCount(AudioSessionValueRef inValue);
/* An element of an array, or the value of a member of a dictionary, borrowed. NULL if there are not so many. */
AUDIO_SESSION_PUBLIC AudioSessionValueRef AudioSessionValueGetElement(AudioSessionValueRef inValue, UInt32 inIndex);
/* The key of a member of a dictionary, borrowed. NULL if there are not so many. */
AUDIO_SESSION_PUBLIC const char *AudioSessionValueGetKey(AudioSessionValueRef inValue, UInt32 inIndex);
/* The value of a dictionary for a key, borrowed. NULL if there is none. */
AUDIO_SESSION_PUBLIC AudioSessionValueRef AudioSessionValueGetMember(AudioSessionValueRef inValue, const char *inKey);
/* The whole value as text, for people: {key: [1, "text"]}. The caller frees it with free(). NULL for NULL. */
AUDIO_SESSION_PUBLIC char *AudioSessionValueCopyText(AudioSessionValueRef inValue);

/* ---------------------------------------------------------------------------------------------------------------------
 * Callbacks
 */

/* Called when an interruption begins (kAudioSessionBeginInterruption) and ends (kAudioSessionEndInterruption). At the
 * beginning the sound has stopped already, and the session is inactive. At the end, kAudioSessionProperty_InterruptionType
 * says whether to go on; an application that goes on calls AudioSessionSetActive() first. */
typedef void (*AudioSessionInterruptionListener)(void *inClientData, UInt32 inInterruptionState);

/* A property's four characters. */
typedef UInt32 AudioSessionPropertyID;

/* Called with a property's new value. For a property whose value is an AudioSessionValueRef, inData is that value itself,
 * as on the phone: AudioSessionValueRef value = (AudioSessionValueRef)inData. It is borrowed; retain it to keep it. For all
 * others inData points to the value. */
typedef void (*AudioSessionPropertyListener)(void *inClientData, AudioSessionPropertyID inID, UInt32 inDataSize,
                                             const void *inData);

/* The states that an AudioSessionInterruptionListener hears. */
enum { kAudioSessionBeginInterruption = 1, kAudioSessionEndInterruption = 0 };

/* Values of kAudioSessionProperty_InterruptionType. */
typedef UInt32 AudioSessionInterruptionType;
enum {
    /* 'irsm': go on. */
    kAudioSessionInterruptionType_ShouldResume = 0x6972736d,
    /* '!rsm': wait until the user plays. */
    kAudioSessionInterruptionType_ShouldNotResume = 0x2172736d
};

/* ---------------------------------------------------------------------------------------------------------------------
 * The session
 */

/* In place of the phone's CFRunLoopRef and CFStringRef. */
typedef const struct AudioSessionRunLoop *AudioSessionRunLoopRef;
typedef const struct AudioSessionString *AudioSessionStringRef;

/* Opens the application's session. Every other function fails with '!ini' before that.
 *
 * The run loop and its mode are for sources that pass them, and are ignored: see AudioSessionGetPollFD(). The listener may
 * be NULL. Errors: 'init'; 'ini?', at once if there is no service. After an error it may be called again. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionInitialize(AudioSessionRunLoopRef inRunLoop, AudioSessionStringRef inRunLoopMode,
                                                     AudioSessionInterruptionListener inInterruptionListener,
                                                     void *inClientData);

/* Closes the session, forgets all that was set, and removes all listeners. Afterwards every function fails with '!ini'
 * until AudioSessionInitialize() is called again. Not on the phone.
 *
 * No callback begins after its return. It waits for a callback that is running, unless it is called inside one.
 * Errors: '!ini'. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionUninitialize(void);

/* Activates (not 0) or deactivates (0) the session. Activation may interrupt or lower others; after a deactivation they are
 * told not to resume: see AudioSessionSetActiveWithFlags().
 *
 * Errors: '!act', if a session with a stronger claim does not let this one be active; nothing changes then. 'nohw', if
 * the category is 'reca' and there is nothing to record: no input, and no output, whose sound can be recorded too. 'what'.
 * A deactivation while the service is away succeeds. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionSetActive(Boolean active);

/* The same, with flags; 0 for none. Errors: also 'pty?' for an unknown flag, or a flag of the other direction. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionSetActiveWithFlags(Boolean active, UInt32 inFlags);

/* Whether the application may leave the decoding of compressed sound to a device (1), or should decode it itself (0). *outMay is
 * 1 with SoloAmbientSound, MediaPlayback, PlayAndRecord and AudioProcessing, while the session does not mix with others, because
 * a device can decode for one application at a time. Not on the phone, which offers it elsewhere.
 * Errors: '!ini'; 'what' for NULL. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionGetMayUseHardwareCodecs(Boolean *outMay);

/* Flags of AudioSessionSetActiveWithFlags(). */
enum {
    /* 0x01, for deactivation only: sessions that this one has interrupted are told to resume. */
    kAudioSessionSetActiveFlag_NotifyOthersOnDeactivation = 1 << 0
};

/* ---------------------------------------------------------------------------------------------------------------------
 * Properties
 */

/* Reads a property. *ioDataSize is the size of the buffer at outData, in bytes, and becomes the value's size. A value that is an
 * AudioSessionValueRef belongs to the caller, who releases it.
 * Errors: 'pty?' if the property cannot be read; '!siz' if the buffer is too small; 'what'; more at each property. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionGetProperty(AudioSessionPropertyID inID, UInt32 *ioDataSize, void *outData);

/* The size of a property's value, in bytes. Errors: 'pty?' if the property cannot be read. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionGetPropertySize(AudioSessionPropertyID inID, UInt32 *outDataSize);

/* Sets a property. Errors: 'pty?' if the property cannot be set, or not to this value; '!siz' if inDataSize is not the
 * value's size; '!cat' if the value does not fit the category; 'what'. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionSetProperty(AudioSessionPropertyID inID, UInt32 inDataSize, const void *inData);

/* Calls a function whenever a property changes. There is one listener for each pair of property and client data: adding
 * the same pair again replaces its function. Errors: 'pty?' if the property cannot be listened to; 'what'. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionAddPropertyListener(AudioSessionPropertyID inID,
                                                              AudioSessionPropertyListener inProc, void *inClientData);

/* Removes all listeners of a property. Deprecated: AudioSessionRemovePropertyListenerWithUserData() removes one.
 * Errors: 'pty?' if the property cannot be listened to. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionRemovePropertyListener(AudioSessionPropertyID inID);

/* Removes the listener with this property, function and client data. Once this has returned, no call of it begins; one that
 * has begun on another thread may still run. Errors: 'pty?' if the property cannot be listened to, or there is no such
 * listener. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionRemovePropertyListenerWithUserData(AudioSessionPropertyID inID,
                                                                             AudioSessionPropertyListener inProc,
                                                                             void *inClientData);

enum {
    /* 'hwsr', Float64, Hz, read and write: the sample rate that the application would like, from 1 to 768000; 0 for none,
     * the default. The rate in use is kAudioSessionProperty_CurrentHardwareSampleRate. */
    kAudioSessionProperty_PreferredHardwareSampleRate = 0x68777372,
    /* 'iobd', Float32, s, read and write: the buffer duration that the application would like, up to 10; 0 for none, the
     * default. The one in use is kAudioSessionProperty_CurrentHardwareIOBufferDuration. */
    kAudioSessionProperty_PreferredHardwareIOBufferDuration = 0x696f6264,
    /* 'acat', UInt32, read and write: what the session's sound is for, kAudioSessionCategory_…. A change resets the
     * overrides of the category, duck and ovrd, and takes effect at once while the session is active. Reading a deprecated
     * category gives the one that it stands for. Errors when set: '!act' if the session is active and could not stay active
     * with the new category. */
    kAudioSessionProperty_AudioCategory = 0x61636174,
    /* 'roch', AudioSessionValueRef, listeners only: a dictionary with the reason of a change of route, the route before and
     * the route now: kAudioSession_RouteChangeKey_… and kAudioSession_AudioRouteChangeKey_…. */
    kAudioSessionProperty_AudioRouteChange = 0x726f6368,
    /* 'chsr', Float64, Hz, read and listeners (not on the phone): the sample rate in use. It follows a preference with the
     * first stream that plays or records. Error: 'what' while the service is away; so with all properties below that are
     * only read. */
    kAudioSessionProperty_CurrentHardwareSampleRate = 0x63687372,
    /* 'chic', UInt32, read and listeners: the number of channels of the input in use; on the phone only read. Error: 'what'
     * if the service does not know it. */
    kAudioSessionProperty_CurrentHardwareInputNumberChannels = 0x63686963,
    /* 'choc', UInt32, read and listeners: the same of the output in use. */
    kAudioSessionProperty_CurrentHardwareOutputNumberChannels = 0x63686f63,
    /* 'chov', Float32, 0…1, read and listeners: the volume of the output in use, also with a category that does not
     * play. Error: 'what' if the service does not know it. */
    kAudioSessionProperty_CurrentHardwareOutputVolume = 0x63686f76,
    /* 'cilt', Float32, s, read: the latency of the input in use. Error: 'what' if the service does not know it. */
    kAudioSessionProperty_CurrentHardwareInputLatency = 0x63696c74,
    /* 'colt', Float32, s, read: the latency of the output in use. Error: 'what' if the service does not know it. */
    kAudioSessionProperty_CurrentHardwareOutputLatency = 0x636f6c74,
    /* 'chbd', Float32, s, read and listeners (not on the phone): the buffer duration in use. It follows a preference with the
     * first stream that plays or records: PipeWire takes the next smaller power of two of samples, PulseAudio keeps its own. */
    kAudioSessionProperty_CurrentHardwareIOBufferDuration = 0x63686264,
    /* 'othr', UInt32, 0 or 1, read: whether another application is heard. */
    kAudioSessionProperty_OtherAudioIsPlaying = 0x6f746872,
    /* 'ovrd', UInt32, write: kAudioSessionOverrideAudioRoute_…. Any change of route, any interruption and any change of
     * category end it. Errors: '!cat' for the speaker with another category than PlayAndRecord. */
    kAudioSessionProperty_OverrideAudioRoute = 0x6f767264,
    /* 'aiav', UInt32, 0 or 1, read and listeners: whether there is any input. */
    kAudioSessionProperty_AudioInputAvailable = 0x61696176,
    /* 'died', UInt32, listeners only: 1 when the service has gone, 0 when it is back and the session is set up again. On
     * the phone the application has to set up its session anew; here it is done. */
    kAudioSessionProperty_ServerDied = 0x64696564,
    /* 'duck', UInt32, 0 or 1, read and write: others are lowered while this session is active; the session then mixes with
     * them. Not 0 counts as 1. Error: '!cat' for 1 with a category that does not play, and with AudioProcessing. */
    kAudioSessionProperty_OtherMixableAudioShouldDuck = 0x6475636b,
    /* 'cmix', UInt32, 0 or 1, read and write: the session mixes with others. An interruption and a change of category set it
     * to 0. With MediaPlayback and PlayAndRecord it also reads 1 while 'duck' is 1; with other categories it reads 0. Error:
     * '!cat' for 1 with another category than these two. */
    kAudioSessionProperty_OverrideCategoryMixWithOthers = 0x636d6978,
    /* 'cspk', UInt32, 0 or 1, read and write: output goes to the speaker instead of the receiver while nothing else is
     * connected. Error: '!cat' for 1 with another category than PlayAndRecord. */
    kAudioSessionProperty_OverrideCategoryDefaultToSpeaker = 0x6373706b,
    /* 'cblu', UInt32, 0 or 1, read and write: a Bluetooth headset's microphone may be used. It also reads 1 with
     * PlayAndRecord and the mode VoiceChat. Error: '!cat' for 1 with a category that does not record. */
    kAudioSessionProperty_OverrideCategoryEnableBluetoothInput = 0x63626c75,
    /* 'type', UInt32, read: kAudioSessionInterruptionType_…. Error: 'pty?' anywhere but in the interruption listener while
     * it hears kAudioSessionEndInterruption, on the thread that called it. */
    kAudioSessionProperty_InterruptionType = 0x74797065,
    /* 'mode', UInt32, read and write: kAudioSessionMode_…. A mode that does not fit the category behaves as the default.
     * Error: 'pty?' for a change while the session is active or mixes with others. */
    kAudioSessionProperty_Mode = 0x6d6f6465,
    /* 'srcs', AudioSessionValueRef, read and listeners: an array of the inputs of USB accessories, each a dictionary with
     * kAudioSession_InputSourceKey_…. Empty without one. */
    kAudioSessionProperty_InputSources = 0x73726373,
    /* 'dsts', AudioSessionValueRef, read and listeners: an array of the outputs of USB accessories, each a dictionary with
     * kAudioSession_OutputDestinationKey_…. Empty without one. */
    kAudioSessionProperty_OutputDestinations = 0x64737473,
    /* 'isrc', AudioSessionValueRef, read and write: the id of the input that is preferred, a number. When nothing was set, or
     * what was set is unplugged, that of the USB input in use. Errors: 'nohw' if there is none; when set, 'pty?' for anything but an id in 'srcs',
     * 'what' while the service is away. */
    kAudioSessionProperty_InputSource = 0x69737263,
    /* 'odst', AudioSessionValueRef, read and write: the same for outputs, with an id in 'dsts'. */
    kAudioSessionProperty_OutputDestination = 0x6f647374,
    /* 'igav', UInt32, 0 or 1, read and listeners: whether the level of recordings can be changed. */
    kAudioSessionProperty_InputGainAvailable = 0x69676176,
    /* 'igsc', Float32, 0…1, read, write and listeners: the factor on recorded sound. What is set is limited to 0…1, and
     * takes effect while the session is active and 'igav' is 1; what is read is in effect. Errors: 'pty?' for NaN; when
     * read, 'what' while the service is away. */
    kAudioSessionProperty_InputGainScalar = 0x69677363,
    /* 'crar', AudioSessionValueRef, read: the session's route, a dictionary with kAudioSession_AudioRouteKey_…. */
    kAudioSessionProperty_AudioRouteDescription = 0x63726172,
    /* 'rout', AudioSessionValueRef, read: the route's name, a text such as "Headphone", "Speaker", "ReceiverAndMicrophone",
     * empty without one. Deprecated: kAudioSessionProperty_AudioRouteDescription. */
    kAudioSessionProperty_AudioRoute = 0x726f7574,

    /* Not on the phone. */

    /* 'irsn', UInt32, read: the reason of the last interruption that the interruption listener was told of,
     * kAudioSessionInterruptionReason_…. Error: 'pty?' before the first one. */
    kAudioSessionProperty_InterruptionReason = 0x6972736e,
    /* 'iwho', AudioSessionValueRef, read: the name, for people, of the cause of that interruption, such as "Calls (phone)"; only
     * "another application" in a sandbox. Error: 'pty?' before the first one. */
    kAudioSessionProperty_InterruptedBy = 0x6977686f,
    /* 'iord', UInt32, 0 or 1, read and write: whether the session is interrupted when its output is pulled out. With 0 it
     * goes on where the sound server sends it, and the application decides, when it hears of the change of the route. It
     * reads 1 until it is set; until then the policy decides, which interrupts unless its administrator says otherwise. */
    kAudioSessionProperty_InterruptionOnRouteDisconnect = 0x696f7264
};

/* Values of kAudioSessionProperty_InterruptionReason. */
enum {
    /* Another session, a call or an alarm. */
    kAudioSessionInterruptionReason_Default = 0,
    /* The machine sleeps. */
    kAudioSessionInterruptionReason_Suspended = 1,
    /* The user has muted the input. */
    kAudioSessionInterruptionReason_DeviceMuted = 2,
    /* The output has gone, or the route of a recording has changed. The listeners of 'roch' were told before. */
    kAudioSessionInterruptionReason_RouteDisconnected = 4
};

/* Values of kAudioSessionProperty_AudioCategory. */
enum {
    /* 'ambi': decoration; mixes with others, obeys the silent switch and the lock. */
    kAudioSessionCategory_AmbientSound = 0x616d6269,
    /* 'solo': the same, but does not mix. The default. */
    kAudioSessionCategory_SoloAmbientSound = 0x736f6c6f,
    /* 'medi': sound is what the application is for: music, films, speech. */
    kAudioSessionCategory_MediaPlayback = 0x6d656469,
    /* 'reca': recording only; silences all playback but calls and alarms. */
    kAudioSessionCategory_RecordAudio = 0x72656361,
    /* 'plar': playback and recording, at once or not: calls. */
    kAudioSessionCategory_PlayAndRecord = 0x706c6172,
    /* 'proc': conversion without a device. */
    kAudioSessionCategory_AudioProcessing = 0x70726f63,
    /* 'uifx': deprecated, stands for AmbientSound. */
    kAudioSessionCategory_UserInterfaceSoundEffects = 0x75696678,
    /* 'live': deprecated, stands for MediaPlayback. */
    kAudioSessionCategory_LiveAudio = 0x6c697665
};

/* Values of kAudioSessionProperty_Mode. */
enum {
    /* 'dflt': the default; for every category. */
    kAudioSessionMode_Default = 0x64666c74,
    /* 'vcct': a call, with PlayAndRecord. Also allows a Bluetooth headset's microphone. */
    kAudioSessionMode_VoiceChat = 0x76636374,
    /* 'vrcd': recording with a camera, with RecordAudio and PlayAndRecord. */
    kAudioSessionMode_VideoRecording = 0x76726364,
    /* 'msmt': recording without processing, with RecordAudio and PlayAndRecord. */
    kAudioSessionMode_Measurement = 0x6d736d74
};

/* Values of kAudioSessionProperty_OverrideAudioRoute. */
enum {
    /* 0: where the category sends it. */
    kAudioSessionOverrideAudioRoute_None = 0,
    /* 'spkr': output goes to the loudspeaker, input comes from the built-in microphone. */
    kAudioSessionOverrideAudioRoute_Speaker = 0x73706b72
};

/* Why a route has changed. */
enum {
    kAudioSessionRouteChangeReason_Unknown = 0,
    /* Something was plugged in. */
    kAudioSessionRouteChangeReason_NewDeviceAvailable = 1,
    /* What was in use is gone. */
    kAudioSessionRouteChangeReason_OldDeviceUnavailable = 2,
    /* The session's category has changed. */
    kAudioSessionRouteChangeReason_CategoryChange = 3,
    /* kAudioSessionProperty_OverrideAudioRoute or 'cspk' has begun or ended. */
    kAudioSessionRouteChangeReason_Override = 4,
    /* There is no 5. The machine woke up. */
    kAudioSessionRouteChangeReason_WakeFromSleep = 6,
    /* The category needs an input or output, and there is none. */
    kAudioSessionRouteChangeReason_NoSuitableRouteForCategory = 7,
    /* Another port was chosen, and none was added or removed. Not in the phone's interface of this name. */
    kAudioSessionRouteChangeReason_RouteConfigurationChange = 8
};

/* ---------------------------------------------------------------------------------------------------------------------
 * Keys of dictionaries, and the texts in them. On the phone they are CFStrings, here C strings.
 */

/* Of a route: arrays of dictionaries, one for each input or output in use; empty if there is none. */
AUDIO_SESSION_TEXT(kAudioSession_AudioRouteKey_Inputs, "Inputs");
AUDIO_SESSION_TEXT(kAudioSession_AudioRouteKey_Outputs, "Outputs");
/* Of an input or output in a route: what it is, one of the texts below, or "Unknown". */
AUDIO_SESSION_TEXT(kAudioSession_AudioRouteKey_Type, "Type");

/* Of an element of kAudioSessionProperty_InputSources: its number, the same whenever it is plugged in; its name. */
AUDIO_SESSION_TEXT(kAudioSession_InputSourceKey_ID, "ID");
AUDIO_SESSION_TEXT(kAudioSession_InputSourceKey_Description, "Description");
/* Of an element of kAudioSessionProperty_OutputDestinations: the same. */
AUDIO_SESSION_TEXT(kAudioSession_OutputDestinationKey_ID, "ID");
AUDIO_SESSION_TEXT(kAudioSession_OutputDestinationKey_Description, "Description");

/* The same key as kAudioSession_RouteChangeKey_Reason. */
#define kAudioSession_AudioRouteChangeKey_Reason "OutputDeviceDidChange_Reason"
/* Of kAudioSessionProperty_AudioRouteChange: a number, kAudioSessionRouteChangeReason_…. */
AUDIO_SESSION_TEXT(kAudioSession_RouteChangeKey_Reason, kAudioSession_AudioRouteChangeKey_Reason);
/* Of kAudioSessionProperty_AudioRouteChange: the routes before and now, as kAudioSessionProperty_AudioRouteDescription. */
AUDIO_SESSION_TEXT(kAudioSession_AudioRouteChangeKey_PreviousRouteDescription, "PreviousRouteDescription");
AUDIO_SESSION_TEXT(kAudioSession_AudioRouteChangeKey_CurrentRouteDescription, "CurrentRouteDescription");
/* The former route's name, a text as kAudioSessionProperty_AudioRoute. Deprecated. */
#define kAudioSession_AudioRouteChangeKey_OldRoute "OutputDeviceDidChange_OldRoute"

/* What an input is. */
AUDIO_SESSION_TEXT(kAudioSessionInputRoute_LineIn, "LineIn");
AUDIO_SESSION_TEXT(kAudioSessionInputRoute_BuiltInMic, "BuiltInMic");
AUDIO_SESSION_TEXT(kAudioSessionInputRoute_HeadsetMic, "HeadsetMic");
AUDIO_SESSION_TEXT(kAudioSessionInputRoute_BluetoothHFP, "BluetoothHFP");
AUDIO_SESSION_TEXT(kAudioSessionInputRoute_USBAudio, "USBAudio");

/* What an output is. */
AUDIO_SESSION_TEXT(kAudioSessionOutputRoute_LineOut, "LineOut");
AUDIO_SESSION_TEXT(kAudioSessionOutputRoute_Headphones, "Headphones");
AUDIO_SESSION_TEXT(kAudioSessionOutputRoute_BluetoothHFP, "BluetoothHFP");
AUDIO_SESSION_TEXT(kAudioSessionOutputRoute_BluetoothA2DP, "BluetoothA2DP");
AUDIO_SESSION_TEXT(kAudioSessionOutputRoute_BuiltInReceiver, "BuiltInReceiver");
AUDIO_SESSION_TEXT(kAudioSessionOutputRoute_BuiltInSpeaker, "BuiltInSpeaker");
AUDIO_SESSION_TEXT(kAudioSessionOutputRoute_USBAudio, "USBAudio");
AUDIO_SESSION_TEXT(kAudioSessionOutputRoute_HDMI, "HDMI");
AUDIO_SESSION_TEXT(kAudioSessionOutputRoute_AirPlay, "AirPlay");

/* ---------------------------------------------------------------------------------------------------------------------
 * Callbacks on a thread of the application. Not on the phone, where its run loop calls them.
 */

/* A descriptor that is readable while a callback waits. From the first call on, callbacks run only in
 * AudioSessionDispatch(); without any call they run on a thread of the library. The descriptor belongs to the library, and
 * is closed by AudioSessionUninitialize(). -1 if the session is not initialized. */
AUDIO_SESSION_PUBLIC int AudioSessionGetPollFD(void);

/* Runs the callbacks that wait; none, if it is called inside a callback, or without AudioSessionGetPollFD(). Does not wait
 * for more. Errors: '!ini'. */
AUDIO_SESSION_PUBLIC OSStatus AudioSessionDispatch(void);

#undef AUDIO_SESSION_TEXT

#ifdef __cplusplus
}
#endif

#endif
