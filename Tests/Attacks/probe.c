/* Measures each turn of a sound server's main loop. Loaded into the daemon with LD_PRELOAD; writes the results to the
 * file that ATTACK_PROBE names, where others can read them at any time. For Tests/bin/attacks.
 *
 * A turn is the time on the main thread from the return of the loop's poll to its next call. Both the elapsed time and
 * the thread's processor time are measured; on a shared machine the latter is more accurate. Samples find the module's
 * part: during long turns, a second thread interrupts the main thread every 100 microseconds. If a function of the
 * module is on the stack, the time since the last sample counts as the module's. A stretch is the module's time without
 * a break: a daemon with many messages of a client may call the module many times in one turn. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

enum { RECORDS = 1 << 16 };

/* All times are in nanoseconds of CLOCK_MONOTONIC. Tests/bin/attacks reads the same layout. */
struct turn {
    uint64_t begin, wall, cpu, ours, stretch;
};
struct shared {
    /* The numbers of turns, and of recorded turns, of which the records hold the last. */
    _Atomic uint64_t turns, recorded;
    struct turn records[RECORDS];
};

/* Shorter turns are not recorded. */
static const uint64_t shortest_recorded = 200000;
static const long pause_nanoseconds = 100000;

static struct shared *shared;
static pid_t main_thread;
static _Atomic uint64_t begin_wall;
static uint64_t begin_cpu, last_cpu, ours, overhead, stretch, longest;
static int last_was_ours;
static _Atomic uintptr_t module_begin, module_end;

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int find_module(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    const char *name = strrchr(info->dlpi_name, '/');
    if (name == NULL || strstr(name, "module-audio-session") == NULL) return 0;
    uintptr_t end = info->dlpi_addr;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        if (header->p_type == PT_LOAD && header->p_vaddr + header->p_memsz > end - info->dlpi_addr)
            end = info->dlpi_addr + header->p_vaddr + header->p_memsz;
    }
    atomic_store(&module_begin, info->dlpi_addr);
    atomic_store(&module_end, end);
    return 1;
}

struct walk {
    int steps;
    bool is_ours;
};

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *data) {
    struct walk *walk = data;
    uintptr_t place = _Unwind_GetIP(context);
    walk->is_ours = place >= atomic_load(&module_begin) && place < atomic_load(&module_end);
    return !walk->is_ours && ++walk->steps < 120 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Counts the time since the last sample as the module's. */
static void count_module_time(uint64_t cpu) {
    ours += cpu - last_cpu;
    stretch += cpu - last_cpu;
    if (stretch > longest) longest = stretch;
}

static void sample(int number) {
    (void)number;
    if (atomic_load(&begin_wall) == 0) return;
    uint64_t cpu = now(CLOCK_THREAD_CPUTIME_ID);
    struct walk walk = {0, false};
    if (atomic_load(&module_begin) != 0) _Unwind_Backtrace(look, &walk);
    if (walk.is_ours) count_module_time(cpu);
    last_was_ours = walk.is_ours;
    if (!last_was_ours) stretch = 0;
    last_cpu = now(CLOCK_THREAD_CPUTIME_ID);
    overhead += last_cpu - cpu;
}

static void *watch(void *data) {
    (void)data;
    struct sched_param parameters = {.sched_priority = 1};
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
    pthread_setname_np(pthread_self(), "attack-probe");
    for (unsigned round = 0;; round++) {
        nanosleep(&(struct timespec){0, pause_nanoseconds}, NULL);
        if (atomic_load(&module_begin) == 0 && round % 512 == 0) dl_iterate_phdr(find_module, NULL);
        uint64_t turn = atomic_load(&begin_wall);
        if (turn != 0 && now(CLOCK_MONOTONIC) - turn > shortest_recorded / 2)
            syscall(SYS_tgkill, getpid(), main_thread, SIGRTMAX - 3);
    }
    return NULL;
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("ATTACK_PROBE");
    unsetenv("LD_PRELOAD");
    if (path == NULL) return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof(struct shared)) < 0) return;
    void *memory = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return;
    main_thread = (pid_t)syscall(SYS_gettid);
    /* The first stack walk loads a library, which a signal handler must not do. */
    struct walk walk = {0, false};
    _Unwind_Backtrace(look, &walk);
    shared = memory;
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, NULL) != 0) shared = NULL;
}

static void end_turn(void) {
    uint64_t turn = atomic_exchange(&begin_wall, 0);
    if (turn == 0) return;
    uint64_t cpu = now(CLOCK_THREAD_CPUTIME_ID), wall = now(CLOCK_MONOTONIC) - turn;
    if (last_was_ours) count_module_time(cpu);
    atomic_fetch_add(&shared->turns, 1);
    if (wall < shortest_recorded) return;
    uint64_t index = atomic_load(&shared->recorded);
    shared->records[index % RECORDS] = (struct turn){turn, wall, cpu - begin_cpu - overhead, ours, longest};
    atomic_store(&shared->recorded, index + 1);
}

static void begin_turn(void) {
    begin_cpu = last_cpu = now(CLOCK_THREAD_CPUTIME_ID);
    ours = overhead = stretch = longest = 0;
    last_was_ours = 0;
    atomic_store(&begin_wall, now(CLOCK_MONOTONIC));
}

/* Whether the caller of poll is the main loop, and not code that the loop called in a turn. */
static int is_loop(const void *caller) {
    static _Atomic(const void *) loop;
    static _Thread_local int is_main = -1;
    if (shared == NULL) return 0;
    if (is_main < 0) is_main = (pid_t)syscall(SYS_gettid) == main_thread;
    if (!is_main) return 0;
    const void *known = atomic_load(&loop);
    if (known != NULL) return known == caller;
    Dl_info info;
    if (dladdr(caller, &info) == 0 || info.dli_fname == NULL) return 0;
    if (strstr(info.dli_fname, "libspa-support") == NULL && strstr(info.dli_fname, "/libpulse.so") == NULL) return 0;
    /* Installed only now, because PulseAudio resets all signal handlers when it starts. */
    struct sigaction action = {.sa_handler = sample, .sa_flags = SA_RESTART};
    sigaction(SIGRTMAX - 3, &action, NULL);
    atomic_store(&loop, caller);
    return 1;
}

#define POLLED(call)                                                   \
    do {                                                               \
        if (!is_loop(__builtin_return_address(0))) return call;        \
        end_turn();                                                    \
        int result = call;                                             \
        begin_turn();                                                  \
        return result;                                                 \
    } while (0)

#define REAL(name)                                                     \
    static __typeof__(name) *real;                                     \
    if (real == NULL) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((visibility("default"))) int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout) {
    REAL(epoll_wait);
    POLLED(real(epoll, events, count, timeout));
}

__attribute__((visibility("default"))) int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                                                const sigset_t *mask) {
    REAL(ppoll);
    POLLED(real(files, count, timeout, mask));
}

__attribute__((visibility("default"))) int poll(struct pollfd *files, nfds_t count, int timeout) {
    REAL(poll);
    POLLED(real(files, count, timeout));
}
