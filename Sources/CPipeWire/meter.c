/* Meters: streams that record other streams, only for their peaks. All of this runs on the main loop; only code of the server
 * runs on the data thread. */
#include "CPipeWire.h"

#include <math.h>
#include <stdlib.h>

#include <pipewire/stream.h>
#include <spa/param/audio/format-utils.h>

struct cpw_meter {
    struct pw_stream *stream;
    struct spa_hook hook;
    cpw_meter_callback callback;
    void *data;
};

struct pw_core *cpw_meters_connect(struct pw_context *context) {
    struct pw_properties *properties =
        pw_properties_new_dict(&SPA_DICT_INIT_ARRAY(((struct spa_dict_item[]){{PW_KEY_APP_NAME, "audio-session"}})));
    return properties == NULL ? NULL : pw_context_connect_self(context, properties, 0);
}

static float peak_of(const struct spa_data *data) {
    if (data->data == NULL || data->chunk == NULL) return 0;
    uint32_t offset = SPA_MIN(data->chunk->offset, data->maxsize);
    uint32_t size = SPA_MIN(data->chunk->size, data->maxsize - offset);
    const float *samples = SPA_PTROFF(data->data, offset, const float);
    float peak = 0;
    for (uint32_t index = 0; index < size / sizeof(float); index++) {
        float value = fabsf(samples[index]);
        /* False for NaN. */
        if (value > peak) peak = value;
    }
    return peak;
}

static void process(void *userdata) {
    struct cpw_meter *meter = userdata;
    struct pw_buffer *buffer;
    float peak = 0;
    bool is_any = false;
    while ((buffer = pw_stream_dequeue_buffer(meter->stream)) != NULL) {
        for (uint32_t index = 0; index < buffer->buffer->n_datas; index++) {
            float value = peak_of(&buffer->buffer->datas[index]);
            if (value > peak) peak = value;
        }
        is_any = true;
        pw_stream_queue_buffer(meter->stream, buffer);
    }
    if (is_any) meter->callback(meter->data, peak);
}

static const struct pw_stream_events events = {PW_VERSION_STREAM_EVENTS, .process = process};

struct cpw_meter *cpw_meter_new(
    struct pw_core *core, const char *target, cpw_meter_callback callback, void *data) {
    struct cpw_meter *meter = calloc(1, sizeof *meter);
    if (meter == NULL) return NULL;
    meter->callback = callback;
    meter->data = data;
    /* As mixers do: the server's resampler passes on the highest sample of each period. The stream is never linked to another
     * target, and does not keep the graph running. */
    struct pw_properties *properties = pw_properties_new_dict(&SPA_DICT_INIT_ARRAY(((struct spa_dict_item[]){
        {PW_KEY_NODE_NAME, "audio-session-meter"},
        {PW_KEY_MEDIA_NAME, "Level of a voice"},
        {PW_KEY_MEDIA_TYPE, "Audio"},
        {PW_KEY_MEDIA_CATEGORY, "Monitor"},
        {PW_KEY_MEDIA_ROLE, "DSP"},
        {PW_KEY_TARGET_OBJECT, target},
        {PW_KEY_STREAM_MONITOR, "true"},
        {PW_KEY_NODE_PASSIVE, "true"},
        {"node.dont-reconnect", "true"},
        {"state.restore-props", "false"},
        {"resample.peaks", "true"},
    })));
    if (properties != NULL) meter->stream = pw_stream_new(core, "audio-session-meter", properties);
    if (meter->stream == NULL) {
        free(meter);
        return NULL;
    }
    pw_stream_add_listener(meter->stream, &meter->hook, &events, meter);
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_audio_info_raw format =
        SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32, .rate = CPW_METER_RATE, .channels = 1);
    const struct spa_pod *parameters[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &format)};
    int result = pw_stream_connect(
        meter->stream, PW_DIRECTION_INPUT, PW_ID_ANY, PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS, parameters,
        1);
    if (result < 0) {
        cpw_meter_destroy(meter);
        return NULL;
    }
    return meter;
}

void cpw_meter_destroy(struct cpw_meter *meter) {
    if (meter == NULL) return;
    spa_hook_remove(&meter->hook);
    pw_stream_destroy(meter->stream);
    free(meter);
}
