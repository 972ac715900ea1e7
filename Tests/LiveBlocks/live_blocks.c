/* Preloaded into a sound server (LD_PRELOAD), counts the blocks of memory that are in use, by who has allocated them: the shared
 * object that called the allocator, or that called the C library or sd-bus, which did.
 *
 * Whoever reads the pipe $XDG_RUNTIME_DIR/live-blocks gets a line for each shared object, "COUNT BYTES NAME", and a last line
 * "end", after which the reader must close the pipe. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

enum { SLOTS = 1 << 22, OBJECTS = 512, DEEPEST = 40 };

static struct block {
    uintptr_t address;
    uint32_t size, owner;
} *blocks;
static struct object {
    char name[64];
    uintptr_t begin, end;
    /* Whose allocations are counted as those of its caller. */
    bool is_library;
    int64_t count, bytes;
} objects[OBJECTS];
static int object_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread bool is_inside __attribute__((tls_model("initial-exec")));

/* Objects */

static int add_object(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    uintptr_t begin = info->dlpi_addr, end = begin;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        if (header->p_type == PT_LOAD && begin + header->p_vaddr + header->p_memsz > end)
            end = begin + header->p_vaddr + header->p_memsz;
    }
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : *info->dlpi_name ? info->dlpi_name : "program";
    for (int index = 0; index < object_count; index++)
        if (strncmp(objects[index].name, name, sizeof objects->name - 1) == 0) {
            /* It may have been unloaded, and loaded elsewhere. */
            objects[index].begin = begin, objects[index].end = end;
            return 0;
        }
    if (object_count == OBJECTS) return 1;
    struct object *object = &objects[object_count++];
    snprintf(object->name, sizeof object->name, "%s", name);
    object->begin = begin, object->end = end;
    object->is_library = strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libsystemd.so", 13) == 0 ||
        strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "libgcc_s", 8) == 0 ||
        ((uintptr_t)&lock >= begin && (uintptr_t)&lock < end);
    return 0;
}

static int object_of(uintptr_t place) {
    for (int index = 0; index < object_count; index++)
        if (place >= objects[index].begin && place < objects[index].end) return index;
    return -1;
}

struct walk {
    int steps, owner;
};

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *data) {
    struct walk *walk = data;
    int index = object_of(_Unwind_GetIP(context));
    if (index >= 0 && !objects[index].is_library) {
        walk->owner = index;
        return _URC_END_OF_STACK;
    }
    return ++walk->steps < DEEPEST ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* The object that has asked for a block. The lock is held. */
static int owner_of(const void *caller) {
    int index = object_of((uintptr_t)caller);
    if (index < 0) {
        dl_iterate_phdr(add_object, NULL);
        index = object_of((uintptr_t)caller);
    }
    if (index < 0 || !objects[index].is_library) return index < 0 ? 0 : index;
    struct walk walk = {0, index};
    _Unwind_Backtrace(look, &walk);
    return walk.owner;
}

/* Blocks, in a table with open addressing */

static size_t slot_of(uintptr_t address) { return (address >> 4) * 0x9e3779b97f4a7c15u >> (64 - 22); }

static void add(void *block, size_t size, const void *caller) {
    if (block == NULL || is_inside) return;
    is_inside = true;
    pthread_mutex_lock(&lock);
    if (blocks == NULL) {
        blocks = mmap(NULL, SLOTS * sizeof *blocks, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (blocks == MAP_FAILED) abort();
    }
    size_t slot = slot_of((uintptr_t)block);
    while (blocks[slot].address != 0 && blocks[slot].address != (uintptr_t)block) slot = (slot + 1) % SLOTS;
    uint32_t owner = (uint32_t)owner_of(caller);
    blocks[slot] = (struct block){(uintptr_t)block, (uint32_t)size, owner};
    objects[owner].count++, objects[owner].bytes += (uint32_t)size;
    pthread_mutex_unlock(&lock);
    is_inside = false;
}

static void drop(void *block) {
    if (block == NULL || is_inside || blocks == NULL) return;
    pthread_mutex_lock(&lock);
    size_t slot = slot_of((uintptr_t)block);
    while (blocks[slot].address != 0 && blocks[slot].address != (uintptr_t)block) slot = (slot + 1) % SLOTS;
    if (blocks[slot].address != 0) {
        objects[blocks[slot].owner].count--, objects[blocks[slot].owner].bytes -= blocks[slot].size;
        /* Those after it that would no longer be found move up. */
        for (size_t next = (slot + 1) % SLOTS; blocks[next].address != 0; next = (next + 1) % SLOTS) {
            size_t home = slot_of(blocks[next].address);
            if ((next - home) % SLOTS >= (next - slot) % SLOTS) blocks[slot] = blocks[next], slot = next;
        }
        blocks[slot].address = 0;
    }
    pthread_mutex_unlock(&lock);
}

/* The allocator's functions */

#define CALLER __builtin_return_address(0)

void *malloc(size_t size) {
    void *block = __libc_malloc(size);
    add(block, size, CALLER);
    return block;
}

void *calloc(size_t number, size_t size) {
    void *block = __libc_calloc(number, size);
    add(block, number * size, CALLER);
    return block;
}

void *realloc(void *old, size_t size) {
    drop(old);
    void *block = __libc_realloc(old, size);
    add(block != NULL || size == 0 ? block : old, size, CALLER);
    return block;
}

void *reallocarray(void *old, size_t number, size_t size) {
    size_t all;
    if (__builtin_mul_overflow(number, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    drop(old);
    void *block = __libc_realloc(old, all);
    add(block != NULL || all == 0 ? block : old, all, CALLER);
    return block;
}

static void *aligned(size_t alignment, size_t size, const void *caller) {
    void *block = __libc_memalign(alignment, size);
    add(block, size, caller);
    return block;
}

void *memalign(size_t alignment, size_t size) { return aligned(alignment, size, CALLER); }

void *aligned_alloc(size_t alignment, size_t size) { return aligned(alignment, size, CALLER); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    *result = aligned(alignment, size, CALLER);
    return *result != NULL ? 0 : ENOMEM;
}

void free(void *block) {
    drop(block);
    __libc_free(block);
}

/* The report */

static void report(int file) {
    struct object copies[OBJECTS];
    pthread_mutex_lock(&lock);
    int count = object_count;
    memcpy(copies, objects, sizeof objects);
    pthread_mutex_unlock(&lock);
    for (int index = 0; index < count; index++)
        if (copies[index].count != 0)
            dprintf(file, "%lld %lld %s\n", (long long)copies[index].count, (long long)copies[index].bytes, copies[index].name);
    dprintf(file, "end\n");
}

static void *serve(void *path) {
    is_inside = true;
    for (;;) {
        /* Until there is a reader. Opened each time, because PulseAudio closes all open files when it starts. */
        int file = open(path, O_WRONLY | O_CLOEXEC);
        if (file < 0) return NULL;
        report(file);
        /* Until the reader has closed the pipe, or the next report would be its, too. */
        poll(&(struct pollfd){file, 0, 0}, 1, -1);
        close(file);
    }
}

__attribute__((constructor)) static void begin(void) {
    /* Programs that the server starts must not load this library. */
    unsetenv("LD_PRELOAD");
    const char *folder = getenv("XDG_RUNTIME_DIR");
    static char path[256];
    if (folder == NULL) return;
    snprintf(path, sizeof path, "%s/live-blocks", folder);
    if (mkfifo(path, 0600) != 0 && errno != EEXIST) return;
    /* A reader that goes away must not end the server. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    pthread_create(&thread, NULL, serve, path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
