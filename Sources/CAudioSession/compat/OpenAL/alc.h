/* OpenAL where the phone has it. Needs OpenAL's own headers, in Debian libopenal-dev, and `pkg-config --libs openal`. */
#include <AL/alc.h>
