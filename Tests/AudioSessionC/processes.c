/* Threads, forks, the end of a session, and values. */
#include "testing.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for(pid_t child) {
    int status = 0;
    EXPECT(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int child_of_fork(void) {
    UInt32 size = sizeof size;
    EXPECT(AudioSessionSetActive(1), kAudioSessionNotInitialized);
    EXPECT(AudioSessionUninitialize(), kAudioSessionNotInitialized);
    EXPECT(AudioSessionGetPollFD(), -1);
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_Mode, &size, &size), kAudioSessionNotInitialized);
    /* ThreadSanitizer itself ends a child that starts a thread after the fork of a program with threads. */
    const char *sanitized = getenv("AUDIO_SESSION_SANITIZED");
    if (sanitized != NULL && strcmp(sanitized, "thread") == 0) return 0;
    EXPECT(AudioSessionInitialize(NULL, NULL, NULL, NULL), 0);
    EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_MediaPlayback), 0);
    EXPECT(AudioSessionSetActive(1), 0);
    EXPECT(AudioSessionUninitialize(), 0);
    return 0;
}

static void *set_all_the_time(void *is_over) {
    while (!__atomic_load_n((bool *)is_over, __ATOMIC_RELAXED)) {
        EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_MediaPlayback), 0);
    }
    return NULL;
}

static int fork_status = -1;

static void fork_inside(void *data, UInt32 state) {
    pid_t child = fork();
    if (child == 0) _exit(child_of_fork());
    fork_status = wait_for(child);
    hear_interruption(data, state);
}

void test_forks(void) {
    pthread_t thread;
    bool is_over = false;
    EXPECT(AudioSessionInitialize(NULL, NULL, fork_inside, NULL), 0);
    EXPECT(AudioSessionSetActive(1), 0);
    /* AddressSanitizer's allocator does not survive the fork of a thread beside others that allocate. */
    bool is_alone = getenv("AUDIO_SESSION_SANITIZED") != NULL;
    if (!is_alone) pthread_create(&thread, NULL, set_all_the_time, &is_over);
    for (int count = 0; count < 10; count++) {
        pid_t child = fork();
        if (child == 0) _exit(child_of_fork());
        EXPECT(wait_for(child), 0);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    if (!is_alone) pthread_join(thread, NULL);
    play("interrupt");
    HEARD("begin");
    EXPECT(fork_status, 0);
    EXPECT(AudioSessionSetActive(1), 0);
    /* A child that lives on does not keep the parent's session open. */
    int hold[2];
    EXPECT(pipe(hold), 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        close(hold[1]);
        _exit((int)read(hold[0], &byte, 1));
    }
    close(hold[0]);
    EXPECT_TEXT(stage("sessions"), "1");
    play("fail Close Other");
    EXPECT(AudioSessionUninitialize(), 0);
    SOON(strcmp(stage("sessions"), "0") == 0);
    close(hold[1]);
    EXPECT(wait_for(child), 0);
}

static void *use_all(void *data) {
    long seed = (long)(intptr_t)data;
    static char names[8][8];
    snprintf(names[seed], sizeof names[seed], "%ld", seed);
    for (int count = 0; count < 100; count++) {
        AudioSessionValueRef value = NULL;
        UInt32 size = sizeof value;
        switch ((seed + count) % 7) {
        case 0: EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_PlayAndRecord), 0); break;
        case 1: EXPECT(AudioSessionSetActive((Boolean)(count & 1)), 0); break;
        case 2:
            EXPECT(AudioSessionGetProperty(kAudioSessionProperty_InputSources, &size, &value), 0);
            EXPECT(AudioSessionValueGetCount(value), 1);
            break;
        case 3:
            EXPECT(AudioSessionAddPropertyListener(kAudioSessionProperty_InputGainScalar, hear_property, names[seed]), 0);
            break;
        case 4:
            AudioSessionRemovePropertyListenerWithUserData(kAudioSessionProperty_InputGainScalar, hear_property, names[seed]);
            break;
        case 5: {
            UInt32 category = get_number(kAudioSessionProperty_AudioCategory);
            EXPECT(category == kAudioSessionCategory_PlayAndRecord || category == kAudioSessionCategory_SoloAmbientSound, 1);
            break;
        }
        default: {
            Float32 gain = (Float32)((count % 10) / 10.0);
            EXPECT(AudioSessionSetProperty(kAudioSessionProperty_InputGainScalar, sizeof gain, &gain), 0);
        }
        }
        AudioSessionValueRelease(value);
    }
    return NULL;
}

/* How many threads have tried; the session ends only after all have, or a late one would begin another. */
static int tried;

static void *initialize_and_use(void *count) {
    OSStatus status = AudioSessionInitialize(NULL, NULL, NULL, NULL);
    __atomic_fetch_add(&tried, 1, __ATOMIC_RELAXED);
    if (status == kAudioSessionNoError) {
        __atomic_fetch_add((int *)count, 1, __ATOMIC_RELAXED);
    } else {
        EXPECT(status, kAudioSessionAlreadyInitialized);
        /* It was not initialized yet; wait for that. */
        while (AudioSessionGetPollFD() < 0) {
            if (__atomic_load_n((int *)count, __ATOMIC_RELAXED) != 0) return NULL;
            idle();
        }
    }
    do status = AudioSessionSetActive(1);
    while (status == kAudioSessionNoError);
    EXPECT(status, kAudioSessionNotInitialized);
    return NULL;
}

void test_threads(void) {
    pthread_t threads[8];
    initialize();
    for (intptr_t index = 0; index < 8; index++) pthread_create(&threads[index], NULL, use_all, (void *)index);
    for (int index = 0; index < 8; index++) pthread_join(threads[index], NULL);
    EXPECT(AudioSessionUninitialize(), 0);
    /* All at once: one succeeds, and whoever uses it when it ends hears that. */
    for (int round = 0; round < 20; round++) {
        int count = 0;
        for (int index = 0; index < 8; index++) pthread_create(&threads[index], NULL, initialize_and_use, &count);
        SOON(__atomic_load_n(&tried, __ATOMIC_RELAXED) == 8);
        __atomic_store_n(&tried, 0, __ATOMIC_RELAXED);
        EXPECT(__atomic_load_n(&count, __ATOMIC_RELAXED), 1);
        for (int index = 0; index < 20; index++) idle();
        EXPECT(AudioSessionUninitialize(), 0);
        for (int index = 0; index < 8; index++) pthread_join(threads[index], NULL);
        EXPECT(count, 1);
    }
}

static int ends;

static void end_inside(void *data, UInt32 state) {
    hear_interruption(data, state);
    EXPECT(AudioSessionUninitialize(), 0);
    EXPECT(AudioSessionSetActive(1), kAudioSessionNotInitialized);
    if (++ends % 2 == 0) {
        EXPECT(AudioSessionInitialize(NULL, NULL, hear_interruption, NULL), 0);
        EXPECT(AudioSessionUninitialize(), 0);
    }
    EXPECT(AudioSessionInitialize(NULL, NULL, end_inside, data), 0);
}

void test_uninitialize_inside(void) {
    for (int round = 0; round < 2; round++) {
        EXPECT(AudioSessionInitialize(NULL, NULL, end_inside, NULL), 0);
        for (int count = 0; count < 5; count++) {
            is_polling = round == 1;
            /* The second event of the old session is not told any longer. */
            play("interrupt");
            HEARD("begin");
            /* The callback may still be between the end of one session and the beginning of the next. */
            SOON(AudioSessionSetActive(1) == 0);
        }
        is_polling = false;
        EXPECT(AudioSessionUninitialize(), 0);
    }
    SOON(strcmp(stage("sessions"), "0") == 0);
}

static int descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count;
}

static int threads_now(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count - 2;
}

static int begun;

/* Asks nothing: the session may end while it runs. */
static void hear_begin(void *data, UInt32 state) {
    (void)data;
    if (state == kAudioSessionBeginInterruption) __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
}

void test_cycles(void) {
    const char *wanted = getenv("AUDIO_SESSION_CYCLES");
    int cycles = wanted == NULL ? 300 : atoi(wanted), open_files = 0, threads = 0;
    long blocks = 0;
    for (int count = 0; count < cycles; count++) {
        EXPECT(AudioSessionInitialize(NULL, NULL, hear_begin, NULL), 0);
        EXPECT(AudioSessionAddPropertyListener(kAudioSessionProperty_ServerDied, hear_property, NULL), 0);
        EXPECT(set_number(kAudioSessionProperty_AudioCategory, kAudioSessionCategory_MediaPlayback), 0);
        EXPECT(AudioSessionSetActive(1), 0);
        play("interrupt");
        play("end true");
        /* Most often it ends with callbacks that wait or run. */
        if (count % 50 == 0) {
            SOON(__atomic_load_n(&begun, __ATOMIC_RELAXED) > 0);
            __atomic_store_n(&begun, 0, __ATOMIC_RELAXED);
        }
        EXPECT(AudioSessionUninitialize(), 0);
        if (count == cycles / 3) open_files = descriptors(), threads = threads_now(), blocks = blocks_now();
    }
    EXPECT(descriptors(), open_files);
    /* The kernel lists a thread that has ended for a moment more. */
    SOON(threads_now() <= threads);
    EXPECT(blocks_now(), blocks);
    SOON(strcmp(stage("sessions"), "0") == 0);
}

void test_values(void) {
    AudioSessionValueRef text = AudioSessionValueCreateString("a \xc3\xa4"), number = AudioSessionValueCreateNumber(-1.5);
    EXPECT(AudioSessionValueGetKind(text), kAudioSessionValueKind_String);
    EXPECT(AudioSessionValueGetKind(number), kAudioSessionValueKind_Number);
    EXPECT(AudioSessionValueGetKind(NULL), kAudioSessionValueKind_None);
    EXPECT_TEXT(AudioSessionValueGetString(text), "a \xc3\xa4");
    EXPECT(AudioSessionValueGetNumber(number) == -1.5, 1);
    EXPECT(AudioSessionValueGetString(number) == NULL, 1);
    EXPECT(AudioSessionValueGetNumber(text) == 0, 1);
    EXPECT(AudioSessionValueGetCount(text), 0);
    EXPECT(AudioSessionValueGetElement(text, 0) == NULL, 1);
    EXPECT(AudioSessionValueGetMember(text, "x") == NULL, 1);
    EXPECT(AudioSessionValueGetKey(text, 0) == NULL, 1);
    EXPECT(AudioSessionValueCreateString(NULL) == NULL, 1);
    EXPECT(AudioSessionValueRetain(text) == text, 1);
    AudioSessionValueRelease(text);
    EXPECT_TEXT(AudioSessionValueGetString(text), "a \xc3\xa4");
    AudioSessionValueRelease(text);
    AudioSessionValueRelease(number);
    AudioSessionValueRelease(NULL);
    EXPECT(AudioSessionValueRetain(NULL) == NULL, 1);
    EXPECT(AudioSessionValueCopyText(NULL) == NULL, 1);
    initialize();
    AudioSessionValueRef route = NULL;
    UInt32 size = sizeof route;
    EXPECT(AudioSessionGetProperty(kAudioSessionProperty_AudioRouteDescription, &size, &route), 0);
    EXPECT(AudioSessionValueGetKind(route), kAudioSessionValueKind_Dictionary);
    EXPECT(AudioSessionValueGetCount(route), 2);
    EXPECT_TEXT(AudioSessionValueGetKey(route, 1), "Outputs");
    EXPECT(AudioSessionValueGetKey(route, 2) == NULL, 1);
    EXPECT(AudioSessionValueGetElement(route, 2) == NULL, 1);
    EXPECT(AudioSessionValueGetMember(route, NULL) == NULL, 1);
    EXPECT(AudioSessionValueGetMember(route, "other") == NULL, 1);
    AudioSessionValueRef outputs = AudioSessionValueGetMember(route, kAudioSession_AudioRouteKey_Outputs);
    EXPECT(AudioSessionValueGetKind(outputs), kAudioSessionValueKind_Array);
    EXPECT(AudioSessionValueGetKey(outputs, 0) == NULL, 1);
    /* A value lives on without the session. */
    EXPECT(AudioSessionUninitialize(), 0);
    AudioSessionValueRef type = AudioSessionValueGetMember(AudioSessionValueGetElement(outputs, 0), "Type");
    EXPECT_TEXT(AudioSessionValueGetString(type), kAudioSessionOutputRoute_BuiltInSpeaker);
    AudioSessionValueRelease(route);
}
