#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdint.h>

/* How often this thread has asked for memory so far. */
uint64_t allocation_count(void);

#endif
