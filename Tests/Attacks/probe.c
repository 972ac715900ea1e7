/* Measures each turn of a sound server's main loop from outside of everything that runs in it. To be loaded into the
 * daemon by LD_PRELOAD; what it has measured is in the file that ATTACK_PROBE names, for others to read at any time.
 *
 * A turn is the time between the return of the loop's poll and its next call, on the main thread: how long it was, and how
 * much processor time the thread has used, which on a shared machine is the fairer one. Whose time it was is found out by
 * samples: a second thread interrupts turns that take long, every 100 microseconds, and looks whether a function of the
 * module is on the stack. Then the time since the last look was the module's. A stretch is as much of that as comes without
 * anything else between: the daemon may have many calls for the module in one turn, when a client has sent it as much. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

enum { RECORDS = 1 << 16, SAMPLES = 1 << 13, DEPTH = 30 };

/* Nanoseconds; moments of CLOCK_MONOTONIC. Tests/Attacks/probe.py reads the same. */
struct turn {
    uint64_t begin, wall, cpu, ours, stretch;
};
struct sample {
    uint64_t turn;
    /* In the module, from its beginning; the innermost first, ended by 0. */
    uint64_t places[DEPTH + 1];
};
struct shared {
    /* How many turns there were, how many of them are among the records (the last ones), and how many samples. */
    _Atomic uint64_t turns, recorded, sampled;
    struct turn records[RECORDS];
    struct sample samples[SAMPLES];
};

/* What takes less is not recorded. */
static const uint64_t worth = 200000;
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
    int steps, count;
    uint64_t *places;
};

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *data) {
    struct walk *walk = data;
    uintptr_t place = _Unwind_GetIP(context), from = atomic_load(&module_begin);
    if (place >= from && place < atomic_load(&module_end) && walk->count < DEPTH) walk->places[walk->count++] = place - from;
    return ++walk->steps < 120 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* The time since the last look was the module's. */
static void take(uint64_t cpu) {
    ours += cpu - last_cpu;
    stretch += cpu - last_cpu;
    if (stretch > longest) longest = stretch;
}

static void sample(int number) {
    (void)number;
    uint64_t turn = atomic_load(&begin_wall);
    if (turn == 0) return;
    uint64_t cpu = now(CLOCK_THREAD_CPUTIME_ID);
    uint64_t index = atomic_load(&shared->sampled);
    struct sample *sample = &shared->samples[index % SAMPLES];
    struct walk walk = {0, 0, sample->places};
    if (atomic_load(&module_begin) != 0) _Unwind_Backtrace(look, &walk);
    sample->places[walk.count] = 0;
    sample->turn = turn;
    if (walk.count > 0) {
        take(cpu);
        atomic_store(&shared->sampled, index + 1);
    }
    last_was_ours = walk.count > 0;
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
        if (turn != 0 && now(CLOCK_MONOTONIC) - turn > worth / 2)
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
    /* The first walk loads what it needs, which a handler of signals must not. */
    uint64_t places[DEPTH + 1];
    struct walk walk = {0, 0, places};
    _Unwind_Backtrace(look, &walk);
    shared = memory;
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, NULL) != 0) shared = NULL;
}

static void end_turn(void) {
    uint64_t turn = atomic_exchange(&begin_wall, 0);
    if (turn == 0) return;
    uint64_t cpu = now(CLOCK_THREAD_CPUTIME_ID), wall = now(CLOCK_MONOTONIC) - turn;
    if (last_was_ours) take(cpu);
    atomic_fetch_add(&shared->turns, 1);
    if (wall < worth) return;
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

/* Whether the main loop polls, and not something that was called in a turn. */
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
    /* Not before: PulseAudio forgets the handlers that it finds. */
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
