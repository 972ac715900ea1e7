/* Nothing: the library is for LD_PRELOAD, and its report is read from a pipe (live_blocks.c). */
