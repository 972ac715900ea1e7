/* What the tests of the C library share. Each test is a process of its own, on a bus of its own (stage.py). */
#ifndef AUDIO_SESSION_TESTING_H
#define AUDIO_SESSION_TESTING_H

#include "audio_session.h"

#include <stdbool.h>

#define ERROR_WHAT kAudioSessionUnspecifiedError
#define ERROR_PROPERTY kAudioSessionUnsupportedPropertyError
#define ERROR_SIZE kAudioSessionBadPropertySizeError
#define ERROR_CATEGORY kAudioSessionIncompatibleCategory

/* Two numbers that should be the same; four characters are printed as such. Counts, and ends the test if they differ. */
#define EXPECT(found, expected) expect_number((long)(found), (long)(expected), #found, __FILE__, __LINE__)
#define EXPECT_TEXT(found, expected) expect_text(found, expected, #found, __FILE__, __LINE__)
/* Waits for a condition. Who waits for two minutes hangs. */
#define SOON(condition)                                                                 \
    do {                                                                                \
        bool holds = false;                                                             \
        for (double limit = seconds() + 120; !(holds = (condition)) && seconds() < limit;) idle(); \
        expect_number(holds, 1, "soon " #condition, __FILE__, __LINE__);                \
    } while (0)
/* What callbacks have written, after the last time: one after another, with a blank between. Waits for that. */
#define HEARD(expected) expect_heard(expected, __FILE__, __LINE__)

void expect_number(long found, long expected, const char *what, const char *file, int line);
void expect_text(const char *found, const char *expected, const char *what, const char *file, int line);
void expect_heard(const char *expected, const char *file, int line);
/* A millisecond, in which callbacks are dispatched if the test polls. */
void idle(void);
extern bool is_polling;
double seconds(void);

/* The library's waits for an answer, each of which has a time at which it gives up: how many have begun, in all threads; and
 * of this thread, how many have ended because that time had come, and the longest that one could have taken, in s. */
extern int waits_begun;
extern __thread int waits_in_vain;
extern __thread double longest_wait;
/* This thread's waits give up two minutes later, so that what ends them is never the machine. */
extern __thread bool is_patient;

/* A command for stage.py or service.py, and its answer, which lives until the next one. */
const char *stage(const char *command);
/* stage(), which has to answer ok. */
void play(const char *command);

/* How many blocks of memory this program has; 0 with a sanitizer. */
long blocks_now(void);

void write_heard(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Listeners that write what they hear; their data is a name, or NULL. */
void hear_interruption(void *name, UInt32 state);
void hear_property(void *name, AudioSessionPropertyID id, UInt32 size, const void *data);
void initialize(void);

UInt32 get_number(AudioSessionPropertyID id);
OSStatus set_number(AudioSessionPropertyID id, UInt32 number);

#define TESTS                                                                                                          \
    TEST(table_uninitialized)                                                                                          \
    TEST(table_ready)                                                                                                  \
    TEST(table_away)                                                                                                   \
    TEST(initialize_errors)                                                                                            \
    TEST(activation)                                                                                                   \
    TEST(categories)                                                                                                   \
    TEST(hardware_codecs)                                                                                              \
    TEST(modes)                                                                                                        \
    TEST(preferences)                                                                                                  \
    TEST(other_library)                                                                                                \
    TEST(accessories)                                                                                                  \
    TEST(service_errors)                                                                                               \
    TEST(interruptions)                                                                                                \
    TEST(interruptions_polled)                                                                                         \
    TEST(interruption_reasons)                                                                                         \
    TEST(mixing_reverts)                                                                                               \
    TEST(error_texts)                                                                                                  \
    TEST(thread_names)                                                                                                 \
    TEST(routes)                                                                                                       \
    TEST(figures)                                                                                                      \
    TEST(listeners)                                                                                                    \
    TEST(listener_removed_inside)                                                                                      \
    TEST(calls_inside_callbacks)                                                                                       \
    TEST(service_returns)                                                                                              \
    TEST(service_returns_refusing)                                                                                     \
    TEST(service_resets)                                                                                               \
    TEST(bus_returns)                                                                                                  \
    TEST(service_hangs)                                                                                                \
    TEST(liars_and_odd_messages)                                                                                       \
    TEST(forks)                                                                                                        \
    TEST(threads)                                                                                                      \
    TEST(uninitialize_inside)                                                                                          \
    TEST(cycles)                                                                                                       \
    TEST(values)                                                                                                       \
    TEST(compat_constants)                                                                                             \
    TEST(compat_values)

#define TEST(name) void test_##name(void);
TESTS
#undef TEST

#endif
