/* Takes the place of the C library's allocator, and counts the blocks that are there. Sanitizers have one of their own. */
#include "testing.h"

#include <errno.h>
#include <stdlib.h>

static long blocks;

long blocks_now(void) { return __atomic_load_n(&blocks, __ATOMIC_RELAXED); }

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static void *counted(void *block) {
    if (block != NULL) __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
    return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }

void *realloc(void *old, size_t size) {
    void *block = __libc_realloc(old, size);
    if (old == NULL) return counted(block);
    if (size == 0) __atomic_fetch_sub(&blocks, 1, __ATOMIC_RELAXED);
    return block;
}

void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    *result = aligned_alloc(alignment, size);
    return *result == NULL ? ENOMEM : 0;
}

void free(void *block) {
    if (block != NULL) __atomic_fetch_sub(&blocks, 1, __ATOMIC_RELAXED);
    __libc_free(block);
}
#endif
