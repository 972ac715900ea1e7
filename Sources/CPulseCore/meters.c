/* Meters: a client of the daemon inside the daemon's process, on a thread of its own, that records the peaks of other streams
 * as mixers do. The peaks go to the daemon's main loop through a pipe. */
#define _GNU_SOURCE
#include "layout.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pulse/thread-mainloop.h>

struct cpc_meters {
    pa_threaded_mainloop *thread;
    pa_context *context;
    pa_mainloop_api *main;
    pa_io_event *event;
    int pipe[2];
    cpc_meter_callback callback;
    void *userdata;
    /* Only for the thread, or while it is locked. */
    struct meter *first;
};

struct meter {
    struct cpc_meters *meters;
    struct meter *next;
    uint32_t input, source;
    pa_stream *stream;
};

struct peak {
    uint32_t input;
    float value;
};

/* On the thread. A full pipe loses peaks; the thread does not wait. */
static void read_peaks(pa_stream *stream, size_t length, void *userdata) {
    struct meter *meter = userdata;
    (void)length;
    const void *data;
    size_t size;
    struct peak peak = {meter->input, 0};
    bool is_any = false;
    while (pa_stream_readable_size(stream) > 0) {
        if (pa_stream_peek(stream, &data, &size) < 0 || size == 0) break;
        if (data != NULL) {
            const float *samples = data;
            for (size_t index = 0; index < size / sizeof(float); index++) {
                float value = fabsf(samples[index]);
                /* False for NaN. */
                if (value > peak.value) peak.value = value;
            }
            is_any = true;
        }
        pa_stream_drop(stream);
    }
    if (is_any && write(meter->meters->pipe[1], &peak, sizeof peak) < 0) return;
}

static void begin(struct meter *meter) {
    struct cpc_meters *meters = meter->meters;
    if (meter->stream != NULL || pa_context_get_state(meters->context) != PA_CONTEXT_READY) return;
    pa_sample_spec specification = {.format = PA_SAMPLE_FLOAT32NE, .rate = CPC_METER_RATE, .channels = 1};
    meter->stream = pa_stream_new(meters->context, "Level of a voice", &specification, NULL);
    if (meter->stream == NULL) return;
    pa_stream_set_read_callback(meter->stream, read_peaks, meter);
    pa_stream_set_monitor_stream(meter->stream, meter->input);
    pa_buffer_attr attributes;
    memset(&attributes, 0xFF, sizeof attributes);
    attributes.fragsize = sizeof(float);
    char source[16];
    snprintf(source, sizeof source, "%u", meter->source);
    pa_stream_connect_record(
        meter->stream, source, &attributes, PA_STREAM_PEAK_DETECT | PA_STREAM_ADJUST_LATENCY | PA_STREAM_DONT_MOVE);
}

static void end(struct meter *meter) {
    if (meter->stream != NULL) {
        pa_stream_set_read_callback(meter->stream, NULL, NULL);
        pa_stream_disconnect(meter->stream);
        pa_stream_unref(meter->stream);
    }
    free(meter);
}

static void state_changed(pa_context *context, void *userdata) {
    struct cpc_meters *meters = userdata;
    if (pa_context_get_state(context) != PA_CONTEXT_READY) return;
    for (struct meter *meter = meters->first; meter != NULL; meter = meter->next) begin(meter);
}

/* On the main loop. */
static void deliver(pa_mainloop_api *api, pa_io_event *event, int descriptor, pa_io_event_flags_t flags, void *userdata) {
    struct cpc_meters *meters = userdata;
    (void)api, (void)event, (void)flags;
    struct peak peaks[32];
    ssize_t size = read(descriptor, peaks, sizeof peaks);
    for (ssize_t index = 0; index < size / (ssize_t)sizeof peaks[0]; index++)
        meters->callback(peaks[index].input, peaks[index].value, meters->userdata);
}

struct cpc_meters *cpc_meters_new(pa_core *core, cpc_meter_callback callback, void *userdata) {
    pa_mainloop_api *main = cpc_mainloop(core);
    if (main == NULL || callback == NULL) return NULL;
    struct cpc_meters *meters = calloc(1, sizeof *meters);
    if (meters == NULL) return NULL;
    meters->callback = callback;
    meters->userdata = userdata;
    meters->main = main;
    meters->pipe[0] = meters->pipe[1] = -1;
    if (pipe2(meters->pipe, O_CLOEXEC | O_NONBLOCK) < 0) goto fail;
    meters->event = main->io_new(main, meters->pipe[0], PA_IO_EVENT_INPUT, deliver, meters);
    meters->thread = pa_threaded_mainloop_new();
    if (meters->event == NULL || meters->thread == NULL) goto fail;
    meters->context = pa_context_new(pa_threaded_mainloop_get_api(meters->thread), "audio-session");
    if (meters->context == NULL) goto fail;
    pa_context_set_state_callback(meters->context, state_changed, meters);
    /* Does not wait: the daemon answers when its main loop runs again. */
    if (pa_context_connect(meters->context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0) goto fail;
    if (pa_threaded_mainloop_start(meters->thread) < 0) goto fail;
    return meters;
fail:
    cpc_meters_free(meters);
    return NULL;
}

/* Takes the meter of a stream out of the list; the thread is locked. */
static void drop(struct cpc_meters *meters, uint32_t input) {
    for (struct meter **place = &meters->first; *place != NULL; place = &(*place)->next) {
        struct meter *meter = *place;
        if (meter->input != input) continue;
        *place = meter->next;
        end(meter);
        return;
    }
}

void cpc_meters_begin(struct cpc_meters *meters, pa_sink_input *input) {
    pa_sink *sink = cpc_sink_input_sink(input);
    pa_source *monitor = CPC_READ(sink, pa_sink, monitor_source, NULL);
    if (meters == NULL || monitor == NULL) return;
    uint32_t index = cpc_sink_input_index(input);
    pa_threaded_mainloop_lock(meters->thread);
    drop(meters, index);
    struct meter *meter = calloc(1, sizeof *meter);
    if (meter != NULL) {
        *meter = (struct meter){
            .meters = meters, .next = meters->first, .input = index, .source = cpc_source_index(monitor)};
        meters->first = meter;
        begin(meter);
    }
    pa_threaded_mainloop_unlock(meters->thread);
}

void cpc_meters_end(struct cpc_meters *meters, uint32_t index) {
    if (meters == NULL) return;
    pa_threaded_mainloop_lock(meters->thread);
    drop(meters, index);
    pa_threaded_mainloop_unlock(meters->thread);
}

void cpc_meters_free(struct cpc_meters *meters) {
    if (meters == NULL) return;
    if (meters->thread != NULL) {
        pa_threaded_mainloop_stop(meters->thread);
        while (meters->first != NULL) {
            struct meter *meter = meters->first;
            meters->first = meter->next;
            end(meter);
        }
        if (meters->context != NULL) {
            pa_context_set_state_callback(meters->context, NULL, NULL);
            pa_context_disconnect(meters->context);
            pa_context_unref(meters->context);
        }
        pa_threaded_mainloop_free(meters->thread);
    }
    if (meters->event != NULL) meters->main->io_free(meters->event);
    for (int end = 0; end < 2; end++)
        if (meters->pipe[end] >= 0) close(meters->pipe[end]);
    free(meters);
}
