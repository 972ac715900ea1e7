/* For sources of the phone that say #include <AudioToolbox/AudioToolbox.h>: its Audio Session Services and what they stand on.
 * Of the rest of that framework there is nothing.
 *
 * Compile with `pkg-config --cflags --libs audiosession-compat`. It is audio_session.h with the phone's types in the phone's
 * places: dictionaries, texts, numbers and arrays are CFDictionaryRef, CFStringRef, CFNumberRef and CFArrayRef, and the keys and
 * texts are CFStringRef, as in the reference. New programs need only audio_session.h.
 */
#ifndef AUDIO_SESSION_COMPAT_AUDIO_TOOLBOX_H
#define AUDIO_SESSION_COMPAT_AUDIO_TOOLBOX_H

#include <AudioUnit/AudioUnit.h>
#include <CoreFoundation/CoreFoundation.h>

#include <audio_session.h>
#include <stdbool.h>

/* The texts of audio_session.h as CFStringRef, which they are on the phone. Each name in its own expansion is the C string. The
 * two that the phone, too, has as C strings are not here: CFSTR(kAudioSession_AudioRouteChangeKey_Reason). */
#define AUDIO_SESSION_COMPAT_TEXT(name) ((CFStringRef)(CFTypeRef)AudioSessionValueConstantString(name))
#define kAudioSession_AudioRouteKey_Inputs AUDIO_SESSION_COMPAT_TEXT(kAudioSession_AudioRouteKey_Inputs)
#define kAudioSession_AudioRouteKey_Outputs AUDIO_SESSION_COMPAT_TEXT(kAudioSession_AudioRouteKey_Outputs)
#define kAudioSession_AudioRouteKey_Type AUDIO_SESSION_COMPAT_TEXT(kAudioSession_AudioRouteKey_Type)
#define kAudioSession_InputSourceKey_ID AUDIO_SESSION_COMPAT_TEXT(kAudioSession_InputSourceKey_ID)
#define kAudioSession_InputSourceKey_Description AUDIO_SESSION_COMPAT_TEXT(kAudioSession_InputSourceKey_Description)
#define kAudioSession_OutputDestinationKey_ID AUDIO_SESSION_COMPAT_TEXT(kAudioSession_OutputDestinationKey_ID)
#define kAudioSession_OutputDestinationKey_Description \
    AUDIO_SESSION_COMPAT_TEXT(kAudioSession_OutputDestinationKey_Description)
#define kAudioSession_RouteChangeKey_Reason AUDIO_SESSION_COMPAT_TEXT(kAudioSession_RouteChangeKey_Reason)
#define kAudioSession_AudioRouteChangeKey_PreviousRouteDescription \
    AUDIO_SESSION_COMPAT_TEXT(kAudioSession_AudioRouteChangeKey_PreviousRouteDescription)
#define kAudioSession_AudioRouteChangeKey_CurrentRouteDescription \
    AUDIO_SESSION_COMPAT_TEXT(kAudioSession_AudioRouteChangeKey_CurrentRouteDescription)
#define kAudioSessionInputRoute_LineIn AUDIO_SESSION_COMPAT_TEXT(kAudioSessionInputRoute_LineIn)
#define kAudioSessionInputRoute_BuiltInMic AUDIO_SESSION_COMPAT_TEXT(kAudioSessionInputRoute_BuiltInMic)
#define kAudioSessionInputRoute_HeadsetMic AUDIO_SESSION_COMPAT_TEXT(kAudioSessionInputRoute_HeadsetMic)
#define kAudioSessionInputRoute_BluetoothHFP AUDIO_SESSION_COMPAT_TEXT(kAudioSessionInputRoute_BluetoothHFP)
#define kAudioSessionInputRoute_USBAudio AUDIO_SESSION_COMPAT_TEXT(kAudioSessionInputRoute_USBAudio)
#define kAudioSessionOutputRoute_LineOut AUDIO_SESSION_COMPAT_TEXT(kAudioSessionOutputRoute_LineOut)
#define kAudioSessionOutputRoute_Headphones AUDIO_SESSION_COMPAT_TEXT(kAudioSessionOutputRoute_Headphones)
#define kAudioSessionOutputRoute_BluetoothHFP AUDIO_SESSION_COMPAT_TEXT(kAudioSessionOutputRoute_BluetoothHFP)
#define kAudioSessionOutputRoute_BluetoothA2DP AUDIO_SESSION_COMPAT_TEXT(kAudioSessionOutputRoute_BluetoothA2DP)
#define kAudioSessionOutputRoute_BuiltInReceiver AUDIO_SESSION_COMPAT_TEXT(kAudioSessionOutputRoute_BuiltInReceiver)
#define kAudioSessionOutputRoute_BuiltInSpeaker AUDIO_SESSION_COMPAT_TEXT(kAudioSessionOutputRoute_BuiltInSpeaker)
#define kAudioSessionOutputRoute_USBAudio AUDIO_SESSION_COMPAT_TEXT(kAudioSessionOutputRoute_USBAudio)
#define kAudioSessionOutputRoute_HDMI AUDIO_SESSION_COMPAT_TEXT(kAudioSessionOutputRoute_HDMI)
#define kAudioSessionOutputRoute_AirPlay AUDIO_SESSION_COMPAT_TEXT(kAudioSessionOutputRoute_AirPlay)

#endif
