/* Gives back the memory that only this module's start has used. */
#define _GNU_SOURCE
#include "runtime_trim.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where the code of the server's data thread begins, which stays (constants.ld); nowhere in a program of the tests. */
extern const char crt_kept_code[] __attribute__((visibility("hidden"), weak));

static int release(struct dl_phdr_info *object, size_t size, void *data)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), own = (uintptr_t)&release, kept = (uintptr_t)crt_kept_code;
    bool is_self = false;
    (void)size;
    (void)data;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && own - start < segment->p_memsz)
            is_self = true;
    }
    if (!is_self)
        return 0;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
        /* A writable segment cannot be read from the file again. */
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0)
            continue;
        if (kept >= start && kept < end)
            end = kept;
        start = (start + page - 1) & ~(page - 1);
        end &= ~(page - 1);
        if (start < end)
            madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 1;
}

void crt_release_pages(void)
{
    dl_iterate_phdr(release, NULL);
}
