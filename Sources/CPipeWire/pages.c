/* Finds this module's own file and memory, and releases the pages that only its start has read. */
#define _GNU_SOURCE
#include "CPipeWire.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

struct self {
    uintptr_t address;
};

static int release(struct dl_phdr_info *object, size_t size, void *data) {
    const struct self *self = data;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    bool is_self = false;
    (void)size;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && self->address - start < segment->p_memsz) is_self = true;
    }
    if (!is_self) return 0;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
        /* A writable segment cannot be read from the file again. */
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
        start = (start + page - 1) & ~(page - 1);
        end &= ~(page - 1);
        if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 1;
}

void cpw_release_code(void) {
    struct self self = {(uintptr_t)&release};
    dl_iterate_phdr(release, &self);
}

const char *cpw_own_file(void) {
    Dl_info file;
    return dladdr((const void *)cpw_own_file, &file) != 0 ? file.dli_fname : NULL;
}
