/* Takes the place of the C library's allocator in the program that links this, counts, and passes everything on. */
#include "AllocationCount.h"

#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

extern void __libc_free(void *);

static __thread uint64_t count __attribute__((tls_model("initial-exec")));
static __thread int64_t blocks __attribute__((tls_model("initial-exec")));

uint64_t allocation_count(void) { return count; }

int64_t allocated_blocks(void) { return blocks; }

/* A block that somebody now has. */
static void *had(void *block)
{
    if (block != NULL) blocks++;
    return block;
}

void *malloc(size_t size)
{
    count++;
    return had(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
    count++;
    return had(__libc_calloc(number, size));
}

void *realloc(void *old, size_t size)
{
    count++;
    void *block = __libc_realloc(old, size);
    if (old == NULL)
        had(block);
    else if (block == NULL && size == 0)
        blocks--;
    return block;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count++;
    return had(__libc_memalign(alignment, size));
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
    count++;
    *result = had(__libc_memalign(alignment, size));
    return *result ? 0 : ENOMEM;
}

void free(void *block)
{
    if (block != NULL) blocks--;
    __libc_free(block);
}
