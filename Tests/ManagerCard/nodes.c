/* The sinks and sources of a card, as the daemon has them. A sink is the daemon's own null sink; a source says by its tone
 * which microphone is in use. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <spa/node/io.h>
#include <spa/node/node.h>
#include <spa/monitor/device.h>
#include <spa/node/utils.h>
#include <spa/param/audio/format-utils.h>
#include <spa/param/buffers.h>
#include <spa/pod/builder.h>
#include <spa/pod/filter.h>
#include <spa/support/plugin-loader.h>
#include <spa/utils/keys.h>
#include <spa/utils/names.h>
#include <spa/utils/string.h>

#include "plugin.h"

/* MARK: - Sink */

struct sink {
    struct spa_handle handle;
    struct spa_plugin_loader *loader;
    struct spa_handle *null_sink;
};

static int get_sink(struct spa_handle *handle, const char *type, void **interface) {
    return spa_handle_get_interface(((struct sink *)handle)->null_sink, type, interface);
}

static int clear_sink(struct spa_handle *handle) {
    struct sink *this = (struct sink *)handle;
    return spa_plugin_loader_unload(this->loader, this->null_sink);
}

static int init_sink(const struct spa_handle_factory *factory, struct spa_handle *handle, const struct spa_dict *info,
                     const struct spa_support *support, uint32_t support_count) {
    struct sink *this = (struct sink *)handle;
    (void)factory;
    this->loader = spa_support_find(support, support_count, SPA_TYPE_INTERFACE_PluginLoader);
    if (this->loader == NULL) return -EINVAL;
    this->null_sink = spa_plugin_loader_load(this->loader, "support.null-audio-sink", info);
    if (this->null_sink == NULL) return -errno;
    handle->get_interface = get_sink;
    handle->clear = clear_sink;
    return 0;
}

static size_t sink_size(const struct spa_handle_factory *factory, const struct spa_dict *info) {
    (void)factory, (void)info;
    return sizeof(struct sink);
}

/* MARK: - Source */

enum { RATE = 48000, FRAME = CHANNELS * sizeof(float), MOST_BUFFERS = 16, MOST_FRAMES = 8192 };

struct source {
    struct spa_handle handle;
    struct spa_node node;
    struct spa_hook_list hooks;
    struct spa_callbacks callbacks;
    struct shared *card;
    uint32_t number;

    struct spa_node_info info;
    struct spa_port_info port;
    struct spa_param_info parameters[4];
    struct spa_io_buffers *io;
    struct spa_io_position *position;
    struct spa_io_rate_match *rate;
    struct spa_buffer *buffers[MOST_BUFFERS];
    bool is_free[MOST_BUFFERS];
    uint32_t buffer_count;
    bool has_format;
    double phase;
};

static const struct spa_audio_info_raw format = {
    .format = SPA_AUDIO_FORMAT_F32, .rate = RATE, .channels = CHANNELS, .position = {SPA_AUDIO_CHANNEL_FL, SPA_AUDIO_CHANNEL_FR}};

static void tell_node(struct source *this, bool everything) {
    static const struct spa_dict_item items[] = {{SPA_KEY_DEVICE_API, "alsa"},
                                                 {SPA_KEY_MEDIA_CLASS, "Audio/Source"}};
    this->info.change_mask = everything ? SPA_NODE_CHANGE_MASK_FLAGS | SPA_NODE_CHANGE_MASK_PROPS : 0;
    this->info.props = &SPA_DICT_INIT_ARRAY(items);
    if (everything) spa_node_emit_info(&this->hooks, &this->info);
    this->parameters[2].flags = this->has_format ? SPA_PARAM_INFO_READWRITE : SPA_PARAM_INFO_WRITE;
    this->parameters[3].flags = this->has_format ? SPA_PARAM_INFO_READ : 0;
    this->port.change_mask = SPA_PORT_CHANGE_MASK_PARAMS | (everything ? SPA_PORT_CHANGE_MASK_FLAGS : 0);
    spa_node_emit_port_info(&this->hooks, SPA_DIRECTION_OUTPUT, 0, &this->port);
}

static int add_listener(void *object, struct spa_hook *listener, const struct spa_node_events *events, void *data) {
    struct source *this = object;
    struct spa_hook_list save;
    spa_hook_list_isolate(&this->hooks, &save, listener, events, data);
    tell_node(this, true);
    spa_hook_list_join(&this->hooks, &save);
    return 0;
}

static int set_callbacks(void *object, const struct spa_node_callbacks *callbacks, void *data) {
    ((struct source *)object)->callbacks = SPA_CALLBACKS_INIT(callbacks, data);
    return 0;
}

static int enum_params(void *object, int sequence, uint32_t id, uint32_t start, uint32_t number,
                       const struct spa_pod *filter) {
    (void)object, (void)sequence, (void)id, (void)start, (void)number, (void)filter;
    return -ENOENT;
}

static int set_param(void *object, uint32_t id, uint32_t flags, const struct spa_pod *parameter) {
    (void)object, (void)id, (void)flags, (void)parameter;
    return -ENOENT;
}

static int set_io(void *object, uint32_t id, void *data, size_t size) {
    (void)size;
    if (id == SPA_IO_Position) ((struct source *)object)->position = data;
    return id == SPA_IO_Position || id == SPA_IO_Clock ? 0 : -ENOENT;
}

static int send_command(void *object, const struct spa_command *command) {
    (void)object;
    switch (SPA_NODE_COMMAND_ID(command)) {
    case SPA_NODE_COMMAND_Start:
    case SPA_NODE_COMMAND_Pause:
    case SPA_NODE_COMMAND_Suspend: return 0;
    default: return -ENOTSUP;
    }
}

static int port_enum_params(void *object, int sequence, enum spa_direction direction, uint32_t port, uint32_t id,
                            uint32_t start, uint32_t number, const struct spa_pod *filter) {
    struct source *this = object;
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
    struct spa_result_node_params result = {.id = id, .index = start, .next = start + 1};
    struct spa_pod *parameter = NULL;
    (void)direction, (void)port, (void)number;
    if (start > 0) return 0;
    switch (id) {
    case SPA_PARAM_EnumFormat: parameter = spa_format_audio_raw_build(&builder, id, (struct spa_audio_info_raw *)&format); break;
    case SPA_PARAM_Format:
        if (!this->has_format) return -EIO;
        parameter = spa_format_audio_raw_build(&builder, id, (struct spa_audio_info_raw *)&format);
        break;
    case SPA_PARAM_Buffers:
        if (!this->has_format) return -EIO;
        parameter = spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_ParamBuffers, id, SPA_PARAM_BUFFERS_buffers,
            SPA_POD_CHOICE_RANGE_Int(2, 1, MOST_BUFFERS), SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1),
            SPA_PARAM_BUFFERS_size, SPA_POD_CHOICE_RANGE_Int(MOST_FRAMES * FRAME, 16 * FRAME, INT32_MAX),
            SPA_PARAM_BUFFERS_stride, SPA_POD_Int(FRAME));
        break;
    case SPA_PARAM_IO:
        parameter = spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamIO, id, SPA_PARAM_IO_id,
                                               SPA_POD_Id(SPA_IO_Buffers), SPA_PARAM_IO_size,
                                               SPA_POD_Int(sizeof(struct spa_io_buffers)));
        break;
    default: return -ENOENT;
    }
    if (spa_pod_filter(&builder, &result.param, parameter, filter) < 0) return 0;
    spa_node_emit_result(&this->hooks, sequence, 0, SPA_RESULT_TYPE_NODE_PARAMS, &result);
    return 0;
}

static int port_set_param(void *object, enum spa_direction direction, uint32_t port, uint32_t id, uint32_t flags,
                          const struct spa_pod *parameter) {
    struct source *this = object;
    (void)direction, (void)port, (void)flags;
    if (id != SPA_PARAM_Format) return -ENOENT;
    struct spa_audio_info_raw chosen = {0};
    if (parameter != NULL && (spa_format_audio_raw_parse(parameter, &chosen) < 0 || chosen.format != format.format ||
                              chosen.rate != RATE || chosen.channels != CHANNELS))
        return -EINVAL;
    this->has_format = parameter != NULL;
    if (parameter == NULL) this->buffer_count = 0;
    tell_node(this, false);
    return 0;
}

static int port_use_buffers(void *object, enum spa_direction direction, uint32_t port, uint32_t flags,
                            struct spa_buffer **buffers, uint32_t count) {
    struct source *this = object;
    (void)direction, (void)port, (void)flags;
    if (count > MOST_BUFFERS) return -ENOSPC;
    for (uint32_t index = 0; index < count; index++) {
        if (buffers[index]->datas[0].data == NULL) return -EINVAL;
        this->buffers[index] = buffers[index];
        this->is_free[index] = true;
    }
    this->buffer_count = count;
    return 0;
}

static int port_set_io(void *object, enum spa_direction direction, uint32_t port, uint32_t id, void *data, size_t size) {
    struct source *this = object;
    (void)direction, (void)port, (void)size;
    if (id == SPA_IO_Buffers) this->io = data;
    if (id == SPA_IO_RateMatch) this->rate = data;
    return id == SPA_IO_Buffers || id == SPA_IO_RateMatch ? 0 : -ENOENT;
}

static int port_reuse_buffer(void *object, uint32_t port, uint32_t buffer) {
    struct source *this = object;
    (void)port;
    if (buffer < this->buffer_count) this->is_free[buffer] = true;
    return 0;
}

static int process(void *object) {
    struct source *this = object;
    struct spa_io_buffers *io = this->io;
    if (io == NULL) return -EIO;
    if (io->status == SPA_STATUS_HAVE_DATA) return SPA_STATUS_HAVE_DATA;
    if (io->buffer_id < this->buffer_count) this->is_free[io->buffer_id] = true;
    io->buffer_id = SPA_ID_INVALID;
    uint32_t index = 0;
    while (index < this->buffer_count && !this->is_free[index]) index++;
    if (index == this->buffer_count) return io->status = -EPIPE;
    struct spa_data *plane = &this->buffers[index]->datas[0];
    uint64_t wanted = this->rate != NULL && this->rate->size > 0 ? this->rate->size
                      : this->position != NULL                   ? this->position->clock.duration
                                                                 : 1024;
    uint32_t frames = (uint32_t)SPA_MIN(wanted, plane->maxsize / FRAME);
    double tone = this->card->devices[this->number].tone;
    float *samples = plane->data;
    for (uint32_t frame = 0; frame < frames; frame++) {
        for (int channel = 0; channel < CHANNELS; channel++)
            samples[CHANNELS * frame + channel] = tone > 0 ? (float)(0.25 * sin(this->phase)) : 0;
        this->phase = fmod(this->phase + 2 * M_PI * tone / RATE, 2 * M_PI);
    }
    plane->chunk->offset = 0;
    plane->chunk->stride = FRAME;
    plane->chunk->size = frames * FRAME;
    this->is_free[index] = false;
    io->buffer_id = index;
    return io->status = SPA_STATUS_HAVE_DATA;
}

static const struct spa_node_methods source_methods = {
    SPA_VERSION_NODE_METHODS,
    .add_listener = add_listener,
    .set_callbacks = set_callbacks,
    .enum_params = enum_params,
    .set_param = set_param,
    .set_io = set_io,
    .send_command = send_command,
    .port_enum_params = port_enum_params,
    .port_set_param = port_set_param,
    .port_use_buffers = port_use_buffers,
    .port_set_io = port_set_io,
    .port_reuse_buffer = port_reuse_buffer,
    .process = process,
};

static int get_source(struct spa_handle *handle, const char *type, void **interface) {
    if (!spa_streq(type, SPA_TYPE_INTERFACE_Node)) return -ENOENT;
    *interface = &((struct source *)handle)->node;
    return 0;
}

static int clear_source(struct spa_handle *handle) {
    unmap_card(((struct source *)handle)->card);
    return 0;
}

static int init_source(const struct spa_handle_factory *factory, struct spa_handle *handle, const struct spa_dict *info,
                       const struct spa_support *support, uint32_t support_count) {
    struct source *this = (struct source *)handle;
    const char *number = info != NULL ? spa_dict_lookup(info, KEY_NUMBER) : NULL;
    (void)factory, (void)support, (void)support_count;
    if (number == NULL || (uint32_t)atoi(number) >= MOST_DEVICES) return -EINVAL;
    this->number = (uint32_t)atoi(number);
    this->card = map_card(spa_dict_lookup(info, KEY_CARD));
    if (this->card == NULL) return -ENODEV;
    handle->get_interface = get_source;
    handle->clear = clear_source;
    spa_hook_list_init(&this->hooks);
    this->node.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Node, SPA_VERSION_NODE, &source_methods, this);
    this->info = SPA_NODE_INFO_INIT();
    this->info.max_output_ports = 1;
    this->info.flags = SPA_NODE_FLAG_RT;
    this->port = SPA_PORT_INFO_INIT();
    this->port.flags = SPA_PORT_FLAG_NO_REF | SPA_PORT_FLAG_LIVE;
    this->parameters[0] = SPA_PARAM_INFO(SPA_PARAM_EnumFormat, SPA_PARAM_INFO_READ);
    this->parameters[1] = SPA_PARAM_INFO(SPA_PARAM_IO, SPA_PARAM_INFO_READ);
    this->parameters[2] = SPA_PARAM_INFO(SPA_PARAM_Format, SPA_PARAM_INFO_WRITE);
    this->parameters[3] = SPA_PARAM_INFO(SPA_PARAM_Buffers, 0);
    this->port.params = this->parameters;
    this->port.n_params = 4;
    return 0;
}

static size_t source_size(const struct spa_handle_factory *factory, const struct spa_dict *info) {
    (void)factory, (void)info;
    return sizeof(struct source);
}

static int tell_interface(const struct spa_handle_factory *factory, const struct spa_interface_info **info,
                          uint32_t *index) {
    static const struct spa_interface_info node = {SPA_TYPE_INTERFACE_Node};
    (void)factory;
    if (*index > 0) return 0;
    *info = &node;
    ++*index;
    return 1;
}

const struct spa_handle_factory sink_factory = {
    SPA_VERSION_HANDLE_FACTORY, SPA_NAME_API_ALSA_PCM_SINK, NULL, sink_size, init_sink, tell_interface};
const struct spa_handle_factory source_factory = {
    SPA_VERSION_HANDLE_FACTORY, SPA_NAME_API_ALSA_PCM_SOURCE, NULL, source_size, init_source, tell_interface};
