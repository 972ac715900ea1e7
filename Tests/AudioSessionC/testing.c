/* Runs one test: testing NAME, or testing --list. */
#include "testing.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

bool is_polling;
static long checks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char heard[65536];

double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int waits_begun;
__thread int waits_in_vain;
__thread double longest_wait;
__thread bool is_patient;

/* Takes the place of the C library's function in libaudiosession, which waits for nothing else with a limit. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *limit) {
    int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    *(void **)&wait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec later = { .tv_sec = limit->tv_sec + (is_patient ? 120 : 0), .tv_nsec = limit->tv_nsec };
    double length = (double)limit->tv_sec + (double)limit->tv_nsec / 1e9 - seconds();
    if (length > longest_wait) longest_wait = length;
    __atomic_fetch_add(&waits_begun, 1, __ATOMIC_RELAXED);
    int result = wait(condition, mutex, &later);
    if (result == ETIMEDOUT) waits_in_vain++;
    return result;
}

static const char *shown(long number, char *text) {
    bool is_text = number > 0xffffff;
    for (int index = 0; index < 4; index++) {
        text[index] = (char)(number >> (24 - 8 * index));
        is_text = is_text && text[index] >= 32 && text[index] < 127;
    }
    text[4] = 0;
    if (!is_text) snprintf(text, 24, "%ld", number);
    return text;
}

void expect_number(long found, long expected, const char *what, const char *file, int line) {
    char one[24], other[24];
    __atomic_fetch_add(&checks, 1, __ATOMIC_RELAXED);
    if (found == expected) return;
    fprintf(stderr, "%s:%d: %s is %s, expected %s\n", file, line, what, shown(found, one), shown(expected, other));
    _exit(1);
}

void expect_text(const char *found, const char *expected, const char *what, const char *file, int line) {
    __atomic_fetch_add(&checks, 1, __ATOMIC_RELAXED);
    if (found != NULL && strcmp(found, expected) == 0) return;
    fprintf(stderr, "%s:%d: %s is\n  %s\nexpected\n  %s\n", file, line, what, found == NULL ? "NULL" : found, expected);
    _exit(1);
}

void idle(void) {
    struct pollfd descriptor = { .fd = is_polling ? AudioSessionGetPollFD() : -1, .events = POLLIN };
    if (poll(&descriptor, 1, 1) > 0) EXPECT(AudioSessionDispatch(), 0);
}

void write_heard(const char *format, ...) {
    va_list arguments;
    pthread_mutex_lock(&lock);
    size_t length = strlen(heard);
    if (length > 0 && length + 1 < sizeof heard) heard[length++] = ' ';
    va_start(arguments, format);
    vsnprintf(heard + length, sizeof heard - length, format, arguments);
    va_end(arguments);
    pthread_mutex_unlock(&lock);
}

void expect_heard(const char *expected, const char *file, int line) {
    char found[sizeof heard];
    double limit = seconds() + 120;
    do {
        idle();
        pthread_mutex_lock(&lock);
        strcpy(found, heard);
        pthread_mutex_unlock(&lock);
    } while (strlen(found) < strlen(expected) && seconds() < limit);
    /* What should not come would come now. */
    for (int count = 0; count < 20; count++) idle();
    pthread_mutex_lock(&lock);
    strcpy(found, heard);
    heard[0] = 0;
    pthread_mutex_unlock(&lock);
    expect_text(found, expected, "what was heard", file, line);
}

const char *stage(const char *command) {
    static FILE *in, *out;
    static char answer[65536];
    if (in == NULL) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        snprintf(address.sun_path, sizeof address.sun_path, "%s", getenv("STAGE"));
        EXPECT(connect(descriptor, (struct sockaddr *)&address, sizeof address), 0);
        in = fdopen(descriptor, "r");
        out = fdopen(dup(descriptor), "w");
    }
    fprintf(out, "%s\n", command);
    fflush(out);
    EXPECT(fgets(answer, sizeof answer, in) != NULL, 1);
    answer[strcspn(answer, "\n")] = 0;
    return answer;
}

void play(const char *command) { EXPECT_TEXT(stage(command), "ok"); }

void hear_interruption(void *name, UInt32 state) {
    UInt32 type = 0, size = sizeof type;
    char text[24];
    OSStatus status = AudioSessionGetProperty(kAudioSessionProperty_InterruptionType, &size, &type);
    if (name != NULL) write_heard("%s", (const char *)name);
    if (state == kAudioSessionBeginInterruption) {
        EXPECT(status, ERROR_PROPERTY);
        write_heard("begin");
    } else {
        EXPECT(state, kAudioSessionEndInterruption);
        EXPECT(status, 0);
        write_heard("end:%s", shown((long)type, text));
    }
}

void hear_property(void *name, AudioSessionPropertyID id, UInt32 size, const void *data) {
    char code[24];
    char *text = NULL;
    shown((long)id, code);
    if (name != NULL) write_heard("%s", (const char *)name);
    switch (id) {
    case kAudioSessionProperty_AudioRouteChange:
    case kAudioSessionProperty_InputSources:
    case kAudioSessionProperty_OutputDestinations:
        EXPECT(size, sizeof(AudioSessionValueRef));
        text = AudioSessionValueCopyText((AudioSessionValueRef)data);
        write_heard("%s=%s", code, text);
        free(text);
        break;
    case kAudioSessionProperty_CurrentHardwareSampleRate:
        EXPECT(size, sizeof(Float64));
        write_heard("%s=%g", code, *(const Float64 *)data);
        break;
    case kAudioSessionProperty_CurrentHardwareOutputVolume:
    case kAudioSessionProperty_CurrentHardwareIOBufferDuration:
    case kAudioSessionProperty_InputGainScalar:
        EXPECT(size, sizeof(Float32));
        write_heard("%s=%g", code, (double)*(const Float32 *)data);
        break;
    default:
        EXPECT(size, sizeof(UInt32));
        write_heard("%s=%u", code, *(const UInt32 *)data);
    }
}

void initialize(void) { EXPECT(AudioSessionInitialize(NULL, NULL, hear_interruption, NULL), 0); }

UInt32 get_number(AudioSessionPropertyID id) {
    UInt32 number = 0, size = sizeof number;
    EXPECT(AudioSessionGetProperty(id, &size, &number), 0);
    EXPECT(size, sizeof number);
    return number;
}

OSStatus set_number(AudioSessionPropertyID id, UInt32 number) {
    return AudioSessionSetProperty(id, sizeof number, &number);
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
#define TEST(name) { #name, test_##name },
    TESTS
#undef TEST
};

int main(int argc, char **argv) {
    for (size_t index = 0; index < sizeof tests / sizeof *tests; index++) {
        if (argc == 2 && strcmp(argv[1], "--list") == 0) puts(tests[index].name);
        if (argc != 2 || strcmp(argv[1], tests[index].name) != 0) continue;
        tests[index].run();
        printf("%ld\n", checks);
        return 0;
    }
    return argc == 2 && strcmp(argv[1], "--list") == 0 ? 0 : 2;
}
