#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdint.h>

/* How often this thread has asked for memory so far. */
uint64_t allocation_count(void);

/* How many blocks of memory this thread has asked for and not given back; what one thread asks for and another one gives back
 * makes both wrong. */
int64_t allocated_blocks(void);

#endif
