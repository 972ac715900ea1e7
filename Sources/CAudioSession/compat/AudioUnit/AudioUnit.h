/* Audio units, of which there are none on the desktop: what is here lets sources compile that make one ready for long buffers.
 * Nothing has to be made ready, as a stream of PipeWire or PulseAudio takes whatever length the server asks for.
 */
#ifndef AUDIO_SESSION_COMPAT_AUDIO_UNIT_H
#define AUDIO_SESSION_COMPAT_AUDIO_UNIT_H

#include <CoreFoundation/CoreFoundation.h>

/* There is no way to get one, so it is NULL. */
typedef struct AudioSessionUnit *AudioUnit;
typedef UInt32 AudioUnitPropertyID;
typedef UInt32 AudioUnitScope;
typedef UInt32 AudioUnitElement;

enum {
    /* UInt32: the most frames that a unit is asked for at once. */
    kAudioUnitProperty_MaximumFramesPerSlice = 14
};
enum { kAudioUnitScope_Global = 0, kAudioUnitScope_Input = 1, kAudioUnitScope_Output = 2 };
enum { kAudioUnitErr_InvalidProperty = -10879 };

/* Does nothing. Always kAudioUnitErr_InvalidProperty: no unit has any property. */
static inline OSStatus AudioUnitSetProperty(AudioUnit inUnit, AudioUnitPropertyID inID, AudioUnitScope inScope,
                                            AudioUnitElement inElement, const void *inData, UInt32 inDataSize) {
    (void)inUnit, (void)inID, (void)inScope, (void)inElement, (void)inData, (void)inDataSize;
    return kAudioUnitErr_InvalidProperty;
}

#endif
