/* Preloaded into a sound server (LD_PRELOAD), refuses memory, descriptors and watches on behalf of the module: to calls with the
 * module on the stack. For Tests/bin/faults.
 *
 * Each way, the call path from the call up to the module, is refused once, and not again by any server with the same
 * file of ways. Memory is refused only to libraries. An allocation in Swift cannot fail, so a refusal to the module
 * itself would end the process; so would one to PulseAudio's libraries, the dynamic loader or PipeWire's lists of properties;
 * and PipeWire silences a node whose memory it cannot map, or whose client it cannot hand a descriptor. Such calls are counted.
 *
 *   REFUSE_CONTROL   a file whose first byte is 1 while anything is to be refused
 *   REFUSE_WAYS      the file of ways: ways in it are not refused; each refused way is added
 *   REFUSE_ONLY      the only way to refuse
 *   REFUSE_MOST      the number of refusals, at least 100 ms apart (10)
 *   REFUSE_PART      I/N: refuse only ways whose number has the remainder I modulo N
 *   REFUSE_LOG       the file for refusals, counts, and the place of a crash
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { DEEPEST = 64, MOST_WAYS = 65536 };

static volatile const unsigned char *control;
static pthread_t main_thread;
static __thread bool is_inside;
static uintptr_t module_begin, module_end;
static uint64_t ways[MOST_WAYS];
static int way_count, left = 10, part, parts = 1;
static uint64_t only;
static char ways_path[256], log_path[256];
static struct timespec last;
static bool is_ready;

struct figures {
    /* Calls with the module on the stack; of these, the module's own for memory, others that would end the process, and refused
     * ones. */
    unsigned calls, own, ending, refused;
} figures;

static void say(const char *path, const char *format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (write(file, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1) < 0) { /* Nobody to tell. */ }
    close(file);
}

/* Writes addresses as `LIBRARY+OFFSET`, the innermost first. */
static void describe(void **frames, int count, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int index = 0; index < count && used + 80 < size; index++) {
        Dl_info info;
        if (dladdr(frames[index], &info) == 0 || info.dli_fname == NULL) continue;
        const char *name = strrchr(info.dli_fname, '/');
        used += (size_t)snprintf(text + used, size - used, " %.30s+%#lx%s%.30s", name == NULL ? info.dli_fname : name + 1,
                                 (unsigned long)((uintptr_t)frames[index] - (uintptr_t)info.dli_fbase),
                                 info.dli_sname == NULL ? "" : "=", info.dli_sname == NULL ? "" : info.dli_sname);
    }
}

static int find_module(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    if (info->dlpi_name == NULL || strstr(info->dlpi_name, "audio-session.so") == NULL) return 0;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        if (header->p_type != PT_LOAD) continue;
        uintptr_t begin = info->dlpi_addr + header->p_vaddr, end = begin + header->p_memsz;
        if (module_begin == 0 || begin < module_begin) module_begin = begin;
        if (end > module_end) module_end = end;
    }
    return 1;
}

static bool is_in_module(void *frame) {
    return (uintptr_t)frame >= module_begin && (uintptr_t)frame < module_end;
}

static bool is_known(uint64_t way) {
    for (int index = 0; index < way_count; index++)
        if (ways[index] == way) return true;
    return false;
}

/* Whether to refuse this call. */
__attribute__((noinline)) static bool refuses(const char *call, bool is_memory) {
    if (!is_ready || is_inside || control[0] != 1 || !pthread_equal(pthread_self(), main_thread)) return false;
    is_inside = true;
    bool result = false;
    int error = errno;
    if (module_begin == 0) dl_iterate_phdr(find_module, NULL);
    if (module_begin == 0) goto done;
    void *frames[DEEPEST];
    int count = backtrace(frames, DEEPEST), first = 2, ours = -1;
    for (int index = first; index < count; index++)
        if (is_in_module(frames[index])) {
            ours = index;
            break;
        }
    if (ours < 0) goto done;
    figures.calls++;
    if (is_memory && ours == first) {
        figures.own++;
        goto done;
    }
    Dl_info info;
    if (is_memory && dladdr(frames[first], &info) != 0 && info.dli_fname != NULL &&
        (strstr(info.dli_fname, "/libpulse") != NULL || strstr(info.dli_fname, "/pulse") != NULL ||
         strstr(info.dli_fname, "/ld-linux") != NULL)) {
        figures.ending++;
        goto done;
    }
    /* What PipeWire's protocol duplicates, it hands to a client. Without it the client's node is in error for good. */
    if (strcmp(call, "fcntl") == 0 && dladdr(frames[first], &info) != 0 && info.dli_fname != NULL &&
        strstr(info.dli_fname, "/libpipewire-module-protocol-native") != NULL) {
        figures.ending++;
        goto done;
    }
    /* A node without its driver's memory would stay silent until its links are made again. A list of properties of PipeWire's
     * keeps an entry whose name it could not copy, and crashes in its next search. */
    for (int index = first; is_memory && index < ours; index++)
        if (dladdr(frames[index], &info) != 0 && info.dli_sname != NULL &&
            (strncmp(info.dli_sname, "pw_memblock_", 12) == 0 || strncmp(info.dli_sname, "pw_mempool_", 11) == 0 ||
             strncmp(info.dli_sname, "pw_properties_", 14) == 0)) {
            figures.ending++;
            goto done;
        }
    /* Libraries have other addresses in each process, so use offsets from their beginning. */
    uint64_t way = 14695981039346656037u;
    for (int index = first; index < count && index <= ours + 1; index++) {
        if (dladdr(frames[index], &info) == 0) continue;
        way = (way ^ ((uintptr_t)frames[index] - (uintptr_t)info.dli_fbase)) * 1099511628211u;
    }
    if (only != 0 ? way != only || left == 0 : left == 0 || is_known(way) || (int)(way % (unsigned)parts) != part) goto done;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (only == 0 && (now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000 < 100) goto done;
    last = now;
    left--;
    figures.refused++;
    result = true;
    if (way_count < MOST_WAYS) ways[way_count++] = way;
    char text[3000];
    describe(frames + first, (count < ours + 5 ? count : ours + 5) - first, text, sizeof text);
    if (only == 0) say(ways_path, "%016lx\n", (unsigned long)way);
    say(log_path, "refused %016lx %s%s\n", (unsigned long)way, call, text);
done:
    errno = error;
    is_inside = false;
    return result;
}

static void write_figures(void) {
    say(log_path, "figures %u %u %u %u\n", figures.calls, figures.own, figures.ending, figures.refused);
}

static void crashed(int number) {
    void *frames[DEEPEST];
    char text[3000];
    is_inside = true;
    int count = backtrace(frames, DEEPEST);
    describe(frames + 1, count - 1, text, sizeof text);
    say(log_path, "crashed %d%s\n", number, text);
    signal(number, SIG_DFL);
    raise(number);
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("REFUSE_CONTROL"), *known = getenv("REFUSE_WAYS"), *most = getenv("REFUSE_MOST");
    const char *log = getenv("REFUSE_LOG"), *way = getenv("REFUSE_ONLY"), *share = getenv("REFUSE_PART");
    void *frames[4];
    is_inside = true;
    /* The first call of backtrace loads a library, so call it in advance. */
    backtrace(frames, 4);
    main_thread = pthread_self();
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && known != NULL && log != NULL) {
        control = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
        close(file);
        snprintf(ways_path, sizeof ways_path, "%s", known);
        snprintf(log_path, sizeof log_path, "%s", log);
        if (most != NULL) left = atoi(most);
        if (way != NULL) only = strtoull(way, NULL, 16);
        if (share != NULL) sscanf(share, "%d/%d", &part, &parts);
        FILE *list = fopen(known, "r");
        while (list != NULL && way_count < MOST_WAYS && fscanf(list, "%lx", (unsigned long *)&ways[way_count]) == 1) way_count++;
        if (list != NULL) fclose(list);
        const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE, SIGQUIT};
        for (unsigned index = 0; index < sizeof deadly / sizeof *deadly; index++) signal(deadly[index], crashed);
        atexit(write_figures);
        is_ready = control != MAP_FAILED;
    }
    is_inside = false;
    /* Programs that the server starts must not load this library. */
    unsetenv("LD_PRELOAD");
}

/* Memory. */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    if (refuses("malloc", true)) return errno = ENOMEM, NULL;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    if (refuses("calloc", true)) return errno = ENOMEM, NULL;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    if (size > 0 && refuses("realloc", true)) return errno = ENOMEM, NULL;
    return __libc_realloc(old, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (refuses("posix_memalign", true)) return ENOMEM;
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
    if (refuses("aligned_alloc", true)) return errno = ENOMEM, NULL;
    return __libc_memalign(alignment, size);
}

/* Descriptors and watches. */

#define NEXT(name) \
    static __typeof__(name) *next; \
    if (next == NULL) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define REFUSABLE(name, declaration, error, ...) \
    int name declaration { \
        NEXT(name); \
        if (refuses(#name, false)) return errno = error, -1; \
        return next(__VA_ARGS__); \
    }

REFUSABLE(socket, (int domain, int type, int protocol), EMFILE, domain, type, protocol)
REFUSABLE(socketpair, (int domain, int type, int protocol, int pair[2]), EMFILE, domain, type, protocol, pair)
REFUSABLE(pipe2, (int pair[2], int flags), EMFILE, pair, flags)
REFUSABLE(pipe, (int pair[2]), EMFILE, pair)
REFUSABLE(dup, (int file), EMFILE, file)
REFUSABLE(eventfd, (unsigned value, int flags), EMFILE, value, flags)
REFUSABLE(timerfd_create, (int clock, int flags), EMFILE, clock, flags)
REFUSABLE(epoll_create1, (int flags), EMFILE, flags)
REFUSABLE(memfd_create, (const char *name, unsigned flags), EMFILE, name, flags)
REFUSABLE(inotify_init1, (int flags), EMFILE, flags)
REFUSABLE(inotify_add_watch, (int file, const char *path, uint32_t mask), ENOSPC, file, path, mask)

/* Only adding a watch can fail for lack of memory. */
int epoll_ctl(int loop, int what, int file, struct epoll_event *event) {
    NEXT(epoll_ctl);
    if (what == EPOLL_CTL_ADD && refuses("epoll_ctl", false)) return errno = ENOSPC, -1;
    return next(loop, what, file, event);
}

/* A call that may create a file has a mode as a further argument. */
#define OPENING(name, declaration, flags, ...) \
    int name declaration { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
        va_end(arguments); \
        NEXT(name); \
        if (refuses(#name, false)) return errno = EMFILE, -1; \
        return next(__VA_ARGS__, mode); \
    }

OPENING(open, (const char *path, int flags, ...), flags, path, flags)
OPENING(open64, (const char *path, int flags, ...), flags, path, flags)
OPENING(openat, (int folder, const char *path, int flags, ...), flags, folder, path, flags)
OPENING(openat64, (int folder, const char *path, int flags, ...), flags, folder, path, flags)

int fcntl64(int file, int what, ...) {
    va_list arguments;
    va_start(arguments, what);
    void *value = va_arg(arguments, void *);
    va_end(arguments);
    NEXT(fcntl64);
    if ((what == F_DUPFD || what == F_DUPFD_CLOEXEC) && refuses("fcntl", false)) return errno = EMFILE, -1;
    return next(file, what, value);
}

FILE *fopen(const char *path, const char *mode) {
    NEXT(fopen);
    if (refuses("fopen", false)) return errno = EMFILE, NULL;
    return next(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
    NEXT(fopen64);
    if (refuses("fopen64", false)) return errno = EMFILE, NULL;
    return next(path, mode);
}

DIR *opendir(const char *path) {
    NEXT(opendir);
    if (refuses("opendir", false)) return errno = EMFILE, NULL;
    return next(path);
}
