/* Operations on streams. Each function first checks the conditions over which the daemon would abort. */
#include "layout.h"

enum cpc_state cpc_stream_state(cpc_stream *stream, bool is_playback) {
    unsigned state = is_playback ? CPC_READ(stream, pa_sink_input, state, CPC_UNLINKED)
                                 : CPC_READ(stream, pa_source_output, state, CPC_UNLINKED);
    return state < CPC_UNLINKED ? (enum cpc_state)state : CPC_UNLINKED;
}

static bool is_linked(cpc_stream *stream, bool is_playback) {
    enum cpc_state state = cpc_stream_state(stream, is_playback);
    return state == CPC_RUNNING || state == CPC_CORKED;
}

static void *device_of(const void *stream, bool is_playback) {
    if (is_playback) return CPC_READ(stream, pa_sink_input, sink, NULL);
    return CPC_READ(stream, pa_source_output, source, NULL);
}

static pa_asyncmsgq *queue_of(const void *device, bool is_playback) {
    return is_playback ? CPC_READ(device, pa_sink, asyncmsgq, NULL) : CPC_READ(device, pa_source, asyncmsgq, NULL);
}

/* The queue to a device's thread; NULL for an incomplete filter. While a filter moves, its device keeps the queue of the former
 * master, which may be gone. After the move, a filter on top of that filter still has the old queue, because nobody updates
 * it. */
static pa_asyncmsgq *thread_of_device(const void *device, bool is_playback) {
    pa_asyncmsgq *thread = queue_of(device, is_playback);
    while (device != NULL) {
        const void *filter = is_playback ? (void *)CPC_READ(device, pa_sink, input_to_master, NULL)
                                         : (void *)CPC_READ(device, pa_source, output_from_master, NULL);
        if (filter == NULL) return queue_of(device, is_playback) == thread ? thread : NULL;
        device = device_of(filter, is_playback);
    }
    return NULL;
}

static pa_asyncmsgq *thread_of(cpc_stream *stream, bool is_playback) {
    return is_linked(stream, is_playback) ? thread_of_device(device_of(stream, is_playback), is_playback) : NULL;
}

pa_asyncmsgq *cpc_thread_of_input(pa_sink_input *input) { return thread_of((cpc_stream *)input, true); }

/* The keys of our factors in a stream's table of factors. */
static const char factor_key[] = "audio-session", update_key[] = "audio-session.update";

static void add_factor(pa_sink_input *input, const char *key, pa_volume_t volume) {
    pa_cvolume all;
    /* A factor with one channel applies to all channels. */
    pa_cvolume_set(&all, 1, volume);
    pa_sink_input_add_volume_factor(input, key, &all);
}

static bool set_input_factor(pa_sink_input *input, pa_volume_t volume) {
    pa_hashmap *items = CPC_FIELD(input, pa_sink_input, volume_factor_items);
    if (items == NULL) return false;
    void *entry = pa_hashmap_get(items, factor_key);
    if (volume == PA_VOLUME_NORM) {
        /* The removal makes the daemon recompute the product of the other factors and send it to the thread once. */
        if (entry != NULL) pa_sink_input_remove_volume_factor(input, factor_key);
        return true;
    }
    if (entry == NULL) {
        add_factor(input, factor_key, volume);
        return true;
    }

    if (!cpc_prove_factor(entry, factor_key)) return false;
    /* Removing and adding the factor again would be audible in between, so it is written in place. Only a removal makes the
     * daemon recompute the product, so a neutral factor is added and removed. */
    pa_cvolume *current = &CPC_FIELD(entry, volume_factor_entry, volume);
    if (pa_cvolume_channels_equal_to(current, volume)) return true;
    pa_cvolume_set(current, current->channels, volume);
    if (pa_hashmap_get(items, update_key) == NULL) add_factor(input, update_key, PA_VOLUME_NORM);
    pa_sink_input_remove_volume_factor(input, update_key);
    return true;
}

static void set_output_factor(pa_source_output *output, pa_asyncmsgq *thread, pa_volume_t volume) {
    pa_cvolume *current = &CPC_FIELD(output, pa_source_output, volume_factor);
    if (pa_cvolume_channels_equal_to(current, volume)) return;
    pa_cvolume_set(current, current->channels, volume);
    pa_cvolume *soft = &CPC_FIELD(output, pa_source_output, soft_volume);
    pa_sw_cvolume_multiply(soft, &CPC_FIELD(output, pa_source_output, real_ratio), current);
    pa_asyncmsgq_send(thread, (pa_msgobject *)output, CPC_SOURCE_OUTPUT_MESSAGE_SET_SOFT_VOLUME, NULL, 0, NULL);
}

bool cpc_stream_set_factor(cpc_stream *stream, bool is_playback, double factor) {
    /* Far above any factor in use, and below the values that the conversion cannot represent. */
    static const double largest = 1e6;
    pa_asyncmsgq *thread = thread_of(stream, is_playback);
    if (thread == NULL || !(factor >= 0 && factor <= largest) || cpc_stream_is_passthrough(stream, is_playback)) return false;
    pa_volume_t volume = pa_sw_volume_from_linear(factor);
    if (is_playback) return set_input_factor((pa_sink_input *)stream, volume);
    set_output_factor((pa_source_output *)stream, thread, volume);
    return true;
}

bool cpc_stream_hold(cpc_stream *stream, bool is_playback, bool is_held) {
    pa_asyncmsgq *thread = thread_of(stream, is_playback);
    if (thread == NULL) return false;
    /* The message's pointer argument is the number of a state. */
    const void *state = (const void *)(uintptr_t)(is_held ? CPC_CORKED : cpc_stream_state(stream, is_playback));
    /* A held stream asks the sink to take back (rewind) sound that has not been played yet. The sink's thread does so after it
     * has answered, before the next message; and the caller's next step may switch to the speaker. So the caller has set the
     * stream's factor to zero before: the thread's answer to that confirms that the stream's sound has been taken back. */
    int message = is_playback ? CPC_SINK_INPUT_MESSAGE_SET_STATE : CPC_SOURCE_OUTPUT_MESSAGE_SET_STATE;
    pa_asyncmsgq_send(thread, (pa_msgobject *)stream, message, state, 0, NULL);
    return true;
}

void cpc_stream_send_event(cpc_stream *stream, bool is_playback, const char *event, pa_proplist *data) {
    if (event == NULL || !is_linked(stream, is_playback)) return;
    if (is_playback) pa_sink_input_send_event((pa_sink_input *)stream, event, data);
    else pa_source_output_send_event((pa_source_output *)stream, event, data);
}

void cpc_stream_kill(cpc_stream *stream, bool is_playback) {
    if (!is_linked(stream, is_playback)) return;
    if (is_playback) pa_sink_input_kill((pa_sink_input *)stream);
    else pa_source_output_kill((pa_source_output *)stream);
}

bool cpc_stream_is_passthrough(cpc_stream *stream, bool is_playback) {
    if (is_playback) return CPC_CAN_READ(stream, pa_sink_input) && pa_sink_input_is_passthrough((pa_sink_input *)stream);
    return CPC_CAN_READ(stream, pa_source_output) && pa_source_output_is_passthrough((pa_source_output *)stream);
}

int cpc_stream_move(cpc_stream *stream, bool is_playback, cpc_device *device) {
    /* A passthrough stream fits few devices, and is killed by a move to another. */
    if (cpc_stream_is_passthrough(stream, is_playback)) return -PA_ERR_NOTSUPPORTED;
    if (thread_of(stream, is_playback) == NULL || thread_of_device(device, is_playback) == NULL) return -PA_ERR_BADSTATE;
    /* An unlinked device has a negative state. */
    int state = is_playback ? CPC_FIELD(device, pa_sink, state) : CPC_FIELD(device, pa_source, state);
    if (state < 0) return -PA_ERR_BADSTATE;
    return is_playback ? pa_sink_input_move_to((pa_sink_input *)stream, (pa_sink *)device, false)
                       : pa_source_output_move_to((pa_source_output *)stream, (pa_source *)device, false);
}
