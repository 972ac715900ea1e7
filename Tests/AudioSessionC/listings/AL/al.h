/* Stands in for OpenAL's own header, which need not be installed: AL/alc.h has what the listings call. */
