/* The time that passes for a card. One thread, woken every few milliseconds, renders what its sinks play ahead of time,
 * lets it come out of the plugs when its time has come, and says with a tone which microphone is in use.
 *
 * What comes out of a plug goes to a file, sample for sample: without a stream in the daemon, which others would take for
 * somebody who records. A sample comes out of the plug that is in use in its own moment, and of one only. What has been
 * rendered but has not come out can be taken back, as in a ring buffer; what the card holds cannot. */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include <pulse/rtclock.h>
#include <pulse/util.h>
#include <pulse/xmalloc.h>
#include <pulsecore/core-util.h>

/* How often it wakes at least. */
#define PERIOD (10 * PA_USEC_PER_MSEC)
enum { PIECE = 4096 };

static uint64_t frame_now(const struct fixture *fixture) {
    return (pa_rtclock_now() - fixture->epoch) * RATE / PA_USEC_PER_SEC;
}

static uint64_t frames_in(pa_usec_t duration) { return duration * RATE / PA_USEC_PER_SEC; }

/* MARK: - What comes out, under the lock */

static void add_sound(const struct device *device, uint64_t start, uint32_t count, float (*mix)[CHANNELS]) {
    for (uint32_t frame = 0; frame < count; frame++) {
        uint64_t position = start + frame;
        if (position < device->since || position >= device->rendered) continue;
        for (int channel = 0; channel < CHANNELS; channel++)
            mix[frame][channel] += device->ring[position % RING][channel];
    }
}

static void write_all(int descriptor, const void *data, size_t size) {
    for (const char *rest = data; size > 0;) {
        ssize_t written = write(descriptor, rest, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return note("a recording fails: %s", strerror(errno));
        rest += written;
        size -= (size_t)written;
    }
}

/* Lets everything come out that is due by now. */
static void play(struct fixture *fixture) {
    static _Thread_local float mix[PIECE][CHANNELS];
    uint64_t end = frame_now(fixture);
    /* Never what has not been rendered yet: where the thread is late, so is the sound, but it is all there. */
    for (uint32_t number = 0; number < fixture->plan->device_count; number++) {
        const struct device *device = &fixture->devices[number];
        if (device->ring != NULL && device->is_open) end = PA_MIN(end, device->rendered);
    }
    while (fixture->played < end) {
        uint32_t count = (uint32_t)PA_MIN(end - fixture->played, (uint64_t)PIECE);
        for (struct recording *recording = fixture->recordings; recording != NULL; recording = recording->next) {
            memset(mix, 0, count * FRAME_SIZE);
            for (uint32_t number = 0; number < fixture->plan->device_count; number++) {
                const struct device *device = &fixture->devices[number];
                if (device->ring != NULL && device->is_open && device->port == recording->port)
                    add_sound(device, fixture->played, count, mix);
            }
            write_all(recording->descriptor, mix, count * FRAME_SIZE);
        }
        fixture->played += count;
    }
}

bool record(struct fixture *fixture, uint32_t port, const char *path) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0) return false;
    struct recording *recording = pa_xnew0(struct recording, 1);
    recording->port = port;
    recording->descriptor = descriptor;
    pthread_mutex_lock(&fixture->lock);
    play(fixture);
    recording->next = fixture->recordings;
    fixture->recordings = recording;
    pthread_mutex_unlock(&fixture->lock);
    return true;
}

void use_port(struct device *device, uint32_t port) {
    pthread_mutex_lock(&device->fixture->lock);
    play(device->fixture);
    device->port = port;
    pthread_mutex_unlock(&device->fixture->lock);
    note("port %s", device->fixture->plan->ports[port].key);
}

/* MARK: - The thread of the sound */

void open_device(struct device *device) {
    pthread_mutex_lock(&device->fixture->lock);
    play(device->fixture);
    device->is_open = true;
    device->since = device->rendered = PA_MAX(device->fixture->played, frame_now(device->fixture));
    pthread_mutex_unlock(&device->fixture->lock);
}

void close_device(struct device *device) {
    pthread_mutex_lock(&device->fixture->lock);
    play(device->fixture);
    device->is_open = false;
    pthread_mutex_unlock(&device->fixture->lock);
}

int64_t device_latency(struct device *device) {
    pthread_mutex_lock(&device->fixture->lock);
    int64_t ahead = (int64_t)device->rendered - (int64_t)frame_now(device->fixture);
    bool is_open = device->is_open;
    pthread_mutex_unlock(&device->fixture->lock);
    if (!is_open) return 0;
    return (device->ring != NULL ? ahead : -ahead) * (int64_t)PA_USEC_PER_SEC / RATE;
}

/* Takes back what has been asked for and has not come out. */
static void rewind_sink(struct device *device) {
    pa_sink *sink = device->sink;
    uint64_t taken = frame_now(device->fixture) + device->fixture->held;
    uint64_t frames = 0;
    if (device->is_open && device->rendered > taken)
        frames = PA_MIN(device->rendered - taken, (uint64_t)sink->thread_info.rewind_nbytes / FRAME_SIZE);
    device->rendered -= frames;
    pa_sink_process_rewind(sink, frames * FRAME_SIZE);
}

static void render_sink(struct device *device) {
    pa_sink *sink = device->sink;
    uint64_t latency = frames_in(device->latency), taken = frame_now(device->fixture) + device->fixture->held;
    if (device->rendered > taken + latency / 2) return;
    while (device->rendered < taken + latency && !sink->thread_info.rewind_requested) {
        uint64_t wanted = PA_MIN(taken + latency - device->rendered, (uint64_t)sink->thread_info.max_request / FRAME_SIZE);
        pa_memchunk chunk;
        if (wanted == 0) return;
        pa_sink_render(sink, wanted * FRAME_SIZE, &chunk);
        const float(*sound)[CHANNELS] = pa_memblock_acquire_chunk(&chunk);
        for (size_t frame = 0; frame < chunk.length / FRAME_SIZE; frame++)
            memcpy(device->ring[(device->rendered + frame) % RING], sound[frame], FRAME_SIZE);
        pa_memblock_release(chunk.memblock);
        pa_memblock_unref(chunk.memblock);
        device->rendered += chunk.length / FRAME_SIZE;
    }
}

static void run_source(struct device *device) {
    pa_source *source = device->source;
    double step = 2 * M_PI * device->fixture->plan->ports[device->port].tone / RATE;
    uint64_t now = frame_now(device->fixture);
    while (device->rendered < now) {
        uint32_t count = (uint32_t)PA_MIN(now - device->rendered, (uint64_t)PIECE);
        pa_memchunk chunk = {.memblock = pa_memblock_new(device->fixture->core->mempool, count * FRAME_SIZE),
                             .length = count * FRAME_SIZE};
        float(*sound)[CHANNELS] = pa_memblock_acquire(chunk.memblock);
        for (uint32_t frame = 0; frame < count; frame++) {
            for (int channel = 0; channel < CHANNELS; channel++) sound[frame][channel] = (float)(0.25 * sin(device->phase));
            device->phase = fmod(device->phase + step, 2 * M_PI);
        }
        pa_memblock_release(chunk.memblock);
        pa_source_post(source, &chunk);
        pa_memblock_unref(chunk.memblock);
        device->rendered += count;
    }
}

/* Does what is due, and returns when to go on. */
static pa_usec_t pass_time(struct fixture *fixture) {
    pa_usec_t period = PERIOD;
    pthread_mutex_lock(&fixture->lock);
    for (uint32_t number = 0; number < fixture->plan->device_count; number++) {
        struct device *device = &fixture->devices[number];
        if (device->sink != NULL && PA_SINK_IS_LINKED(device->sink->thread_info.state)) {
            if (device->sink->thread_info.rewind_requested) rewind_sink(device);
            if (device->is_open) {
                render_sink(device);
                period = PA_MIN(period, PA_MAX(device->latency / 4, PA_USEC_PER_MSEC));
            }
        }
        if (device->source != NULL && device->is_open) run_source(device);
    }
    play(fixture);
    pthread_mutex_unlock(&fixture->lock);
    return pa_rtclock_now() + period;
}

static void run(void *data) {
    struct fixture *fixture = data;
    if (fixture->core->realtime_scheduling) pa_thread_make_realtime(fixture->core->realtime_priority);
    pa_thread_mq_install(&fixture->queues);
    int result;
    do {
        pa_rtpoll_set_timer_absolute(fixture->poll, pass_time(fixture));
        result = pa_rtpoll_run(fixture->poll);
        if (fixture->lag > 0) pa_msleep(fixture->lag);
    } while (result > 0);
    if (result == 0) return;
    note("the thread fails");
    pa_asyncmsgq_wait_for(fixture->queues.inq, PA_MESSAGE_SHUTDOWN);
}

/* MARK: - Its beginning and end */

bool start_sound(struct fixture *fixture) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&fixture->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    fixture->epoch = pa_rtclock_now();
    for (uint32_t number = 0; number < fixture->plan->device_count; number++) {
        fixture->devices[number].fixture = fixture;
        fixture->devices[number].number = number;
        fixture->devices[number].latency = LONGEST_LATENCY;
    }
    fixture->poll = pa_rtpoll_new();
    if (pa_thread_mq_init(&fixture->queues, fixture->core->mainloop, fixture->poll) < 0) {
        pa_rtpoll_free(fixture->poll);
        fixture->poll = NULL;
        return false;
    }
    fixture->thread = pa_thread_new("fixture-card", run, fixture);
    return fixture->thread != NULL;
}

void stop_sound(struct fixture *fixture) {
    if (fixture->poll == NULL) return;
    if (fixture->thread != NULL) {
        pa_asyncmsgq_send(fixture->queues.inq, NULL, PA_MESSAGE_SHUTDOWN, NULL, 0, NULL);
        pa_thread_free(fixture->thread);
    }
    pa_thread_mq_done(&fixture->queues);
    pa_rtpoll_free(fixture->poll);
    for (struct recording *recording; (recording = fixture->recordings) != NULL;) {
        fixture->recordings = recording->next;
        close(recording->descriptor);
        pa_xfree(recording);
    }
    pthread_mutex_destroy(&fixture->lock);
}
