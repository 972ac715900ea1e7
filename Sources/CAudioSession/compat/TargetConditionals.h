/* What sources ask to find out where they are compiled: neither on the phone, nor for its simulator, nor on a Mac. */
#ifndef AUDIO_SESSION_COMPAT_TARGET_CONDITIONALS_H
#define AUDIO_SESSION_COMPAT_TARGET_CONDITIONALS_H

#define TARGET_OS_MAC 0
#define TARGET_OS_IPHONE 0
#define TARGET_OS_LINUX 1
#define TARGET_IPHONE_SIMULATOR 0
#define TARGET_OS_SIMULATOR 0

#endif
