/* Operations on streams. Each function first checks the conditions over which the daemon would abort. */
#include "layout.h"

/* The queue to a sink's thread; NULL for an incomplete filter. While a filter moves, its sink keeps the queue of the
 * former master sink, which may be gone. After the move, a filter on top of that filter still has the old queue,
 * because nobody updates it. */
static pa_asyncmsgq *thread_of_sink(pa_sink *sink) {
    if (!CPC_CAN_READ(sink, pa_sink)) return NULL;
    pa_asyncmsgq *thread = CPC_FIELD(sink, pa_sink, asyncmsgq);
    for (pa_sink *master = sink; master != NULL;) {
        pa_sink_input *filter = CPC_FIELD(master, pa_sink, input_to_master);
        if (filter == NULL) return CPC_FIELD(master, pa_sink, asyncmsgq) == thread ? thread : NULL;
        master = CPC_READ(filter, pa_sink_input, sink, NULL);
    }
    return NULL;
}

static pa_asyncmsgq *thread_of_source(pa_source *source) {
    if (!CPC_CAN_READ(source, pa_source)) return NULL;
    pa_asyncmsgq *thread = CPC_FIELD(source, pa_source, asyncmsgq);
    for (pa_source *master = source; master != NULL;) {
        pa_source_output *filter = CPC_FIELD(master, pa_source, output_from_master);
        if (filter == NULL) return CPC_FIELD(master, pa_source, asyncmsgq) == thread ? thread : NULL;
        master = CPC_READ(filter, pa_source_output, source, NULL);
    }
    return NULL;
}

pa_asyncmsgq *cpc_thread_of_input(pa_sink_input *input) {
    enum cpc_state state = cpc_sink_input_state(input);
    if (state != CPC_RUNNING && state != CPC_CORKED) return NULL;
    return thread_of_sink(CPC_FIELD(input, pa_sink_input, sink));
}

static pa_asyncmsgq *thread_of_output(pa_source_output *output) {
    enum cpc_state state = cpc_source_output_state(output);
    if (state != CPC_RUNNING && state != CPC_CORKED) return NULL;
    return thread_of_source(CPC_FIELD(output, pa_source_output, source));
}

/* Far above any factor in use, and below the values that the conversion cannot represent. */
static const double largest_factor = 1e6;

static bool is_factor(double factor) { return factor >= 0 && factor <= largest_factor; }

/* The key of our factor in a stream's table of factors. */
static const char factor_key[] = "audio-session";
static const char update_key[] = "audio-session.update";

static void add_factor(pa_sink_input *input, const char *key, pa_volume_t volume) {
    pa_cvolume all;
    /* One channel is applied to all. */
    pa_cvolume_set(&all, 1, volume);
    pa_sink_input_add_volume_factor(input, key, &all);
}

bool cpc_sink_input_set_factor(pa_sink_input *input, double factor) {
    if (cpc_thread_of_input(input) == NULL || !is_factor(factor) || pa_sink_input_is_passthrough(input)) return false;
    pa_hashmap *items = CPC_FIELD(input, pa_sink_input, volume_factor_items);
    if (items == NULL) return false;

    pa_volume_t volume = pa_sw_volume_from_linear(factor);
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
    /* Removing and adding the factor again would be audible in between, so it is written in place. Only a removal
     * makes the daemon recompute the product, so a neutral factor is added and removed. */
    pa_cvolume *current = &CPC_FIELD(entry, volume_factor_entry, volume);
    if (pa_cvolume_channels_equal_to(current, volume)) return true;
    pa_cvolume_set(current, current->channels, volume);
    if (pa_hashmap_get(items, update_key) == NULL) add_factor(input, update_key, PA_VOLUME_NORM);
    pa_sink_input_remove_volume_factor(input, update_key);
    return true;
}

uint32_t cpc_source_output_rate(pa_source_output *output) {
    return CPC_CAN_READ(output, pa_source_output) ? CPC_FIELD(output, pa_source_output, sample_spec).rate : 0;
}

bool cpc_source_output_set_factor(pa_source_output *output, double factor) {
    pa_asyncmsgq *thread = thread_of_output(output);
    if (thread == NULL || !is_factor(factor) || pa_source_output_is_passthrough(output)) return false;

    pa_volume_t volume = pa_sw_volume_from_linear(factor);
    pa_cvolume *current = &CPC_FIELD(output, pa_source_output, volume_factor);
    if (pa_cvolume_channels_equal_to(current, volume)) return true;
    pa_cvolume_set(current, current->channels, volume);
    pa_cvolume *soft = &CPC_FIELD(output, pa_source_output, soft_volume);
    pa_sw_cvolume_multiply(soft, &CPC_FIELD(output, pa_source_output, real_ratio), current);
    pa_asyncmsgq_send(
        thread, (pa_msgobject *)output, CPC_SOURCE_OUTPUT_MESSAGE_SET_SOFT_VOLUME, NULL, 0, NULL);
    return true;
}

/* Packs a state's number into a message's pointer argument. */
static const void *state_data(unsigned state) { return (const void *)(uintptr_t)state; }

bool cpc_sink_input_hold(pa_sink_input *input, bool is_held) {
    pa_asyncmsgq *thread = cpc_thread_of_input(input);
    if (thread == NULL) return false;
    unsigned state = is_held ? CPC_CORKED : CPC_FIELD(input, pa_sink_input, state);
    /* A held stream asks the sink to take back (rewind) sound that has not been played yet. The sink's thread does
     * so after it has answered, before the next message; and the caller's next step may switch to the speaker. So
     * the caller has set the stream's factor to zero before: the thread's answer to that confirms that the stream's
     * sound has been taken back. */
    pa_asyncmsgq_send(thread, (pa_msgobject *)input, CPC_SINK_INPUT_MESSAGE_SET_STATE, state_data(state), 0, NULL);
    return true;
}

bool cpc_source_output_hold(pa_source_output *output, bool is_held) {
    pa_asyncmsgq *thread = thread_of_output(output);
    if (thread == NULL) return false;
    unsigned state = is_held ? CPC_CORKED : CPC_FIELD(output, pa_source_output, state);
    pa_asyncmsgq_send(
        thread, (pa_msgobject *)output, CPC_SOURCE_OUTPUT_MESSAGE_SET_STATE, state_data(state), 0, NULL);
    return true;
}

static bool is_linked(enum cpc_state state) { return state == CPC_RUNNING || state == CPC_CORKED; }

void cpc_sink_input_send_event(pa_sink_input *input, const char *event, pa_proplist *data) {
    if (event != NULL && is_linked(cpc_sink_input_state(input))) pa_sink_input_send_event(input, event, data);
}

void cpc_source_output_send_event(pa_source_output *output, const char *event, pa_proplist *data) {
    if (event != NULL && is_linked(cpc_source_output_state(output))) pa_source_output_send_event(output, event, data);
}

void cpc_sink_input_kill(pa_sink_input *input) {
    if (is_linked(cpc_sink_input_state(input))) pa_sink_input_kill(input);
}

void cpc_source_output_kill(pa_source_output *output) {
    if (is_linked(cpc_source_output_state(output))) pa_source_output_kill(output);
}

bool cpc_sink_input_is_passthrough(pa_sink_input *input) {
    return CPC_CAN_READ(input, pa_sink_input) && pa_sink_input_is_passthrough(input);
}

bool cpc_source_output_is_passthrough(pa_source_output *output) {
    return CPC_CAN_READ(output, pa_source_output) && pa_source_output_is_passthrough(output);
}

/* An unlinked stream has a negative state. A passthrough stream fits few devices, and is killed by a move to
 * another. */

int cpc_sink_input_move(pa_sink_input *input, pa_sink *sink) {
    if (cpc_sink_input_is_passthrough(input)) return -PA_ERR_NOTSUPPORTED;
    if (cpc_thread_of_input(input) == NULL || thread_of_sink(sink) == NULL) return -PA_ERR_BADSTATE;
    if (CPC_FIELD(sink, pa_sink, state) < 0) return -PA_ERR_BADSTATE;
    return pa_sink_input_move_to(input, sink, false);
}

int cpc_source_output_move(pa_source_output *output, pa_source *source) {
    if (cpc_source_output_is_passthrough(output)) return -PA_ERR_NOTSUPPORTED;
    if (thread_of_output(output) == NULL || thread_of_source(source) == NULL) return -PA_ERR_BADSTATE;
    if (CPC_FIELD(source, pa_source, state) < 0) return -PA_ERR_BADSTATE;
    return pa_source_output_move_to(output, source, false);
}
