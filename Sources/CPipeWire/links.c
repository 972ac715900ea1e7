/* Puts a mixer with ramps in front of the server's own at the inputs of sinks, and matches the mixer's inputs with links. All
 * of this runs on the main loop.
 *
 * A mixer lives as long as its port, also after the module was unloaded, because the port may be mixing; the module's code
 * stays in memory. Then the mixer passes all sound on unchanged. */
#define _GNU_SOURCE
#include "CPipeWire.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <spa/node/utils.h>
#include <spa/param/audio/format-utils.h>
#include <spa/utils/list.h>
#include <spa/utils/names.h>

#include "mixer.h"

/* Not in the headers, because only the server's own modules use this function. */
__attribute__((weak)) int pw_impl_port_set_mix(struct pw_impl_port *port, struct spa_node *node, uint32_t flags);
enum { MIX_FLAG_MULTI = 1 << 0, MIX_FLAG_NEGOTIATE = 1 << 2 };

enum { NO_INPUT = -1, MAX_LINKS = CPW_MAX_INPUTS };

/* A link to a watched port. */
struct link {
    struct spa_list node;
    struct pw_impl_link *link;
    struct pw_impl_node *stream;
    int32_t input;
};

/* An input port of a sink. */
struct port {
    struct spa_list node;
    struct pw_impl_port *port;
    struct spa_hook hook;
    /* The server's own mixer, and ours in front of it; NULL where the server mixes without us. */
    struct spa_handle *inner;
    struct cpw_mixer *mixer;
    /* The oldest first. */
    struct spa_list links;
};

struct sink {
    struct spa_list node;
    struct pw_impl_node *sink;
    struct spa_hook hook;
};

/* The last target of a stream's links, for later links. */
struct stream {
    struct spa_list node;
    struct pw_impl_node *stream;
    slider_position slider;
};

static struct spa_list ports = {&ports, &ports};
static struct spa_list sinks = {&sinks, &sinks};
static struct spa_list streams = {&streams, &streams};
static struct pw_context *context;
static void (*changed)(void *data);
static void *changed_data;

static void tell_change(void) {
    if (changed != NULL) changed(changed_data);
}

static struct stream *find_stream(struct pw_impl_node *node) {
    struct stream *stream;
    spa_list_for_each(stream, &streams, node) if (stream->stream == node) return stream;
    return NULL;
}

static void free_stream(struct stream *stream) {
    if (stream == NULL) return;
    spa_list_remove(&stream->node);
    free(stream);
}

static void free_link(struct link *link) {
    spa_list_remove(&link->node);
    free(link);
}

static bool can_ramp(const struct port *port, const struct link *link) {
    return port->mixer != NULL && link->input != NO_INPUT && cpw_mixer_can_ramp(port->mixer, (uint32_t)link->input);
}

/* The mixer gets an input for each link, in the order in which the links are made, so the first input belongs to the first
 * link. */
static void match_links(struct port *port) {
    uint32_t inputs[MAX_LINKS], count = 0, index = 0;
    struct link *link;
    spa_list_for_each(link, &port->links, node) count++;
    bool is_sure = port->mixer != NULL && count <= MAX_LINKS && cpw_mixer_inputs(port->mixer, inputs, MAX_LINKS) == count;
    spa_list_for_each(link, &port->links, node) {
        int32_t input = is_sure ? (int32_t)inputs[index++] : NO_INPUT;
        if (input == link->input) continue;
        /* From now on soft volumes lower the stream, so this input must not. */
        if (input == NO_INPUT && port->mixer != NULL)
            cpw_mixer_ramp(port->mixer, (uint32_t)link->input, 1, CPW_LINKS_RETURN, false);
        link->input = input;
        struct stream *stream = find_stream(link->stream);
        if (stream != NULL && input != NO_INPUT) cpw_mixer_ramp(port->mixer, (uint32_t)input, stream->slider, 0, false);
    }
}

/* Whether the server itself runs a node, and so mixes for it. A node of another process mixes there. */
static bool is_of_server(struct pw_impl_node *node) {
    struct spa_node *implementation = node == NULL ? NULL : pw_impl_node_get_implementation(node);
    Dl_info info;
    const char *name;
    if (implementation == NULL || implementation->iface.cb.funcs == NULL ||
        dladdr(implementation->iface.cb.funcs, &info) == 0 || info.dli_fname == NULL)
        return false;
    name = strrchr(info.dli_fname, '/');
    name = name == NULL ? info.dli_fname : name + 1;
    return strncmp(name, "libspa-", strlen("libspa-")) == 0;
}

/* The mixer that the server would use, for the data thread that runs the node; NULL if the mixer cannot be loaded. */
static struct spa_handle *load_inner(struct pw_impl_node *node) {
    const struct pw_properties *settings = pw_context_get_properties(context);
    const char *loops = pw_properties_get(settings, "context.num-data-loops");
    const char *loop = pw_properties_get(pw_impl_node_get_properties(node), "node.loop.name");
    const char *limit = pw_properties_get(settings, "default.clock.quantum-limit");
    struct spa_dict_item items[3];
    uint32_t count = 0;
    /* With several data threads, only the node's property tells which one runs the node. */
    if (pw_properties_get(pw_impl_node_get_properties(node), "node.loop.class") != NULL ||
        pw_properties_get(settings, "context.data-loops") != NULL || (loop != NULL && strpbrk(loop, "*?[(\\") != NULL) ||
        (loop == NULL && loops != NULL && strcmp(loops, "1") != 0))
        return NULL;
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_LIBRARY_NAME, "audiomixer/libspa-audiomixer");
    items[count++] = SPA_DICT_ITEM_INIT("clock.quantum-limit", limit == NULL ? "8192" : limit);
    if (loop != NULL) items[count++] = SPA_DICT_ITEM_INIT("node.loop.name", loop);
    return pw_context_load_spa_handle(context, SPA_NAME_AUDIO_MIXER_DSP, &SPA_DICT_INIT(items, count));
}

static void free_mixer(struct cpw_mixer *mixer, struct spa_handle *inner) {
    cpw_mixer_free(mixer);
    if (inner != NULL) pw_unload_spa_handle(inner);
}

/* Puts our mixer at a port that has just got a format and has no buffers yet, so that no thread is mixing there. */
static void attach(struct port *port) {
    struct pw_impl_node *node = pw_impl_port_get_node(port->port);
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_pod *format = NULL;
    uint32_t type, subtype, index = 0, count, inputs[MAX_LINKS];
    struct spa_audio_info_dsp info = {0};
    void *interface = NULL;
    if (context == NULL || !is_of_server(node)) return;
    if (spa_node_port_enum_params_sync(pw_impl_node_get_implementation(node), SPA_DIRECTION_INPUT,
                                       pw_impl_port_get_id(port->port), SPA_PARAM_Format, &index, NULL, &format,
                                       &builder) != 1 ||
        spa_format_parse(format, &type, &subtype) < 0 || type != SPA_MEDIA_TYPE_audio ||
        subtype != SPA_MEDIA_SUBTYPE_dsp || spa_format_audio_dsp_parse(format, &info) < 0 ||
        info.format != SPA_AUDIO_FORMAT_DSP_F32)
        return;
    struct spa_handle *inner = load_inner(node);
    struct cpw_mixer *mixer = NULL;
    if (inner != NULL && spa_handle_get_interface(inner, SPA_TYPE_INTERFACE_Node, &interface) >= 0)
        mixer = cpw_mixer_new(interface, tell_change);
    if (mixer == NULL || pw_impl_port_set_mix(port->port, cpw_mixer_node(mixer), MIX_FLAG_MULTI | MIX_FLAG_NEGOTIATE) < 0) {
        free_mixer(mixer, inner);
        return;
    }
    count = cpw_mixer_inputs(mixer, inputs, MAX_LINKS);
    for (index = 0; index < SPA_MIN(count, (uint32_t)MAX_LINKS); index++)
        spa_node_port_set_param(cpw_mixer_node(mixer), SPA_DIRECTION_INPUT, inputs[index], SPA_PARAM_Format, 0, format);
    spa_node_port_set_param(cpw_mixer_node(mixer), SPA_DIRECTION_OUTPUT, 0, SPA_PARAM_Format, 0, format);
    free_mixer(port->mixer, port->inner);
    port->mixer = mixer;
    port->inner = inner;
    struct link *link;
    spa_list_for_each(link, &port->links, node) link->input = NO_INPUT;
    match_links(port);
}

static void port_freed(void *data) {
    struct port *port = data;
    struct link *link;
    spa_list_consume(link, &port->links, node) free_link(link);
    free_mixer(port->mixer, port->inner);
    spa_hook_remove(&port->hook);
    spa_list_remove(&port->node);
    free(port);
}

static void port_state_changed(void *data, enum pw_impl_port_state old, enum pw_impl_port_state state,
                               const char *error) {
    struct port *port = data;
    (void)error;
    if (old != PW_IMPL_PORT_STATE_CONFIGURE || state != PW_IMPL_PORT_STATE_READY) return;
    if (port->mixer == NULL || cpw_mixer_is_replaced(port->mixer)) attach(port);
    tell_change();
}

static void port_link_added(void *data, struct pw_impl_link *implementation) {
    struct port *port = data;
    struct link *link = calloc(1, sizeof *link);
    /* Without memory there are fewer links than inputs, and no link is matched. */
    if (link != NULL) {
        link->link = implementation;
        link->stream = pw_impl_port_get_node(pw_impl_link_get_output(implementation));
        link->input = NO_INPUT;
        spa_list_append(&port->links, &link->node);
    }
    match_links(port);
    tell_change();
}

static void port_link_removed(void *data, struct pw_impl_link *implementation) {
    struct port *port = data;
    struct link *link, *next;
    spa_list_for_each_safe(link, next, &port->links, node) if (link->link == implementation) free_link(link);
    tell_change();
}

static const struct pw_impl_port_events port_events = {
    PW_VERSION_IMPL_PORT_EVENTS,
    .free = port_freed,
    .state_changed = port_state_changed,
    .link_added = port_link_added,
    .link_removed = port_link_removed,
};

static int watch_port(void *data, struct pw_impl_port *implementation) {
    struct port *port;
    (void)data;
    /* The port may be watched since an earlier load of the module. */
    spa_list_for_each(port, &ports, node) if (port->port == implementation) return 0;
    /* Its earlier links are not known. */
    if (pw_impl_port_get_direction(implementation) != PW_DIRECTION_INPUT || pw_impl_port_is_linked(implementation)) return 0;
    if ((port = calloc(1, sizeof *port)) == NULL) return 0;
    port->port = implementation;
    spa_list_init(&port->links);
    spa_list_append(&ports, &port->node);
    pw_impl_port_add_listener(implementation, &port->hook, &port_events, port);
    return 0;
}

static void sink_port_added(void *data, struct pw_impl_port *port) { watch_port(data, port); }

static void sink_freed(void *data) {
    struct sink *sink = data;
    spa_hook_remove(&sink->hook);
    spa_list_remove(&sink->node);
    free(sink);
}

static const struct pw_impl_node_events sink_events = {
    PW_VERSION_IMPL_NODE_EVENTS,
    .free = sink_freed,
    .port_added = sink_port_added,
};

bool cpw_links_open(struct pw_context *wanted, void (*callback)(void *data), void *data) {
    if (pw_impl_port_set_mix == NULL) return false;
    context = wanted;
    changed = callback;
    changed_data = data;
    return true;
}

void cpw_links_close(void) {
    struct stream *stream;
    context = NULL;
    changed = NULL;
    spa_list_consume(stream, &streams, node) free_stream(stream);
}

void cpw_links_watch(struct pw_impl_node *node) {
    struct sink *sink;
    if (context == NULL || !is_of_server(node)) return;
    spa_list_for_each(sink, &sinks, node) if (sink->sink == node) return;
    if ((sink = calloc(1, sizeof *sink)) == NULL) return;
    sink->sink = node;
    spa_list_append(&sinks, &sink->node);
    pw_impl_node_add_listener(node, &sink->hook, &sink_events, sink);
    pw_impl_node_for_each_port(node, PW_DIRECTION_INPUT, watch_port, NULL);
}

uint32_t cpw_links_count(struct pw_impl_node *stream) {
    uint32_t count = 0;
    struct port *port;
    struct link *link;
    spa_list_for_each(port, &ports, node) {
        spa_list_for_each(link, &port->links, node) count += link->stream == stream && can_ramp(port, link);
    }
    return count;
}

bool cpw_links_ramp(struct pw_impl_node *node, float slider, uint32_t frames, bool is_from_silence) {
    struct stream *stream = find_stream(node);
    struct port *port;
    struct link *link;
    if (stream == NULL && slider != 1) {
        if ((stream = calloc(1, sizeof *stream)) == NULL) return false;
        stream->stream = node;
        spa_list_append(&streams, &stream->node);
    }
    if (stream != NULL) stream->slider = slider;
    spa_list_for_each(port, &ports, node) {
        /* Also inputs that are left alone now, which would come back with an old gain. */
        spa_list_for_each(link, &port->links, node) if (link->stream == node && link->input != NO_INPUT)
            cpw_mixer_ramp(port->mixer, (uint32_t)link->input, slider, frames, is_from_silence);
    }
    if (slider == 1) free_stream(stream);
    return true;
}

void cpw_links_forget(struct pw_impl_node *node) { free_stream(find_stream(node)); }
