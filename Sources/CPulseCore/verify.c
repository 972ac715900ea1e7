/* Proves that the daemon's structs match the tables before any struct is read. A distribution may have patched a
 * struct, and a pointer read from a wrong offset would crash the daemon.
 *
 * Objects are read through the kernel, which returns an error for an unmapped address instead of a crash. Each value
 * read is compared with the result of the daemon's own functions, or with a value that cannot occur by chance: the
 * address of the function that tells a sink from a source, the core that a hook belongs to, the name under which the
 * object is found. A field without such a sign, for example a number, is trusted if the neighbours on both sides
 * have one.
 *
 * The first object of each kind is checked: when the module is loaded if there is one, otherwise when the first one
 * appears. */
#define _GNU_SOURCE
#include "layout.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool cpc_is_proved[CPC_KINDS];
/* The kinds whose layout was found to differ. */
static bool is_refused[CPC_KINDS];
static pa_core *verified_core;
/* The first difference found, for people; empty if none. */
static char doubt[256];
static cpc_doubt_callback doubt_callback;
static void *doubt_userdata;

static const char *const kind_names[CPC_KINDS] = {
    [CPC_KIND_pa_module] = "module",
    [CPC_KIND_pa_core] = "core",
    [CPC_KIND_pa_client] = "client",
    [CPC_KIND_pa_card] = "card",
    [CPC_KIND_pa_card_profile] = "profile of a card",
    [CPC_KIND_pa_device_port] = "port",
    [CPC_KIND_pa_sink] = "sink",
    [CPC_KIND_pa_source] = "source",
    [CPC_KIND_pa_sink_input] = "playback stream",
    [CPC_KIND_pa_source_output] = "recording stream",
};

#define L(field) (cpc_layout->field)

/* MARK: Reading memory that may be unmapped */

static bool read_through_pipe(const void *address, void *buffer, size_t size) {
    int ends[2];
    /* A pipe holds this much at once, and write fails with an error at an unmapped address. */
    if (size > 4096 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return false;
    bool is_read = write(ends[1], address, size) == (ssize_t)size && read(ends[0], buffer, size) == (ssize_t)size;
    close(ends[0]);
    close(ends[1]);
    return is_read;
}

/* Copies from an address that may be unmapped. */
static bool copy(const void *address, void *buffer, size_t size) {
    struct iovec here = {.iov_base = buffer, .iov_len = size};
    struct iovec there = {.iov_base = (void *)address, .iov_len = size};
    ssize_t count = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (count == (ssize_t)size) return true;
    /* The kernel may lack that call, or a filter may forbid it. */
    return count < 0 && errno != EFAULT && read_through_pipe(address, buffer, size);
}

static const void *at(const void *object, size_t offset) { return (const char *)object + offset; }

/* The pointer at an address; NULL if the address is unmapped. */
static const void *word(const void *object, size_t offset) {
    const void *value;
    return copy(at(object, offset), &value, sizeof value) ? value : NULL;
}

/* The 32-bit number at an address; the highest one if the address is unmapped. */
static uint32_t number(const void *object, size_t offset) {
    uint32_t value;
    return copy(at(object, offset), &value, sizeof value) ? value : UINT32_MAX;
}

/* Longer names are not checked. */
enum { NAME_SIZE = 1024, PAGE = 4096 };

/* Whether an address holds a text without control characters; copies the text if it fits. */
static bool is_text(const char *text, char *result) {
    size_t length = 0;
    while (text != NULL && length < NAME_SIZE) {
        /* Read up to the end of a page, because the next page may be unmapped. */
        size_t part = PAGE - ((uintptr_t)text + length) % PAGE;
        if (part > NAME_SIZE - length) part = NAME_SIZE - length;
        if (!copy(text + length, result + length, part)) return false;
        for (size_t end = length + part; length < end; length++) {
            if (result[length] == '\0') return true;
            if ((unsigned char)result[length] < ' ' && result[length] != '\t' && result[length] != '\n') return false;
        }
    }
    return false;
}

static bool is_text_or_nothing(const void *object, size_t offset) {
    char text[NAME_SIZE];
    const void *value;
    return copy(at(object, offset), &value, sizeof value) && (value == NULL || is_text(value, text));
}

/* MARK: Values that cannot occur by chance */

/* The first words of the daemon's sets and lists: their hash and compare functions. */
static const void *set_signs[2];
static const void *list_signs[3];

/* The file that contains a function's address. */
static const void *file_of(const void *function) {
    Dl_info file;
    return function != NULL && dladdr(function, &file) != 0 ? file.dli_fbase : NULL;
}

static bool learn_expected_values(void) {
    pa_idxset *set = pa_idxset_new(NULL, NULL);
    pa_proplist *list = pa_proplist_new();
    bool is_learnt = copy(set, set_signs, sizeof set_signs) && copy(list, list_signs, sizeof list_signs) &&
        file_of(set_signs[0]) != NULL && file_of(set_signs[1]) != NULL && file_of(list_signs[0]) != NULL &&
        file_of(list_signs[1]) != NULL && set_signs[0] != list_signs[0];
    pa_idxset_free(set, NULL);
    pa_proplist_free(list);
    return is_learnt;
}

static bool is_set(const void *object, size_t offset) {
    const void *signs[2], *set = word(object, offset);
    return copy(set, signs, sizeof signs) && memcmp(signs, set_signs, sizeof signs) == 0;
}

/* Whether a field points to a table with names as keys. */
static bool is_table(const void *object, size_t offset) {
    const void *signs[2], *table = word(object, offset);
    return copy(table, signs, sizeof signs) && memcmp(signs, list_signs, sizeof signs) == 0;
}

/* Whether a field points to a property list: such a table, whose entries are freed by a function of the client
 * library or of its copy in the daemon's library. */
static bool is_list(const void *object, size_t offset) {
    const void *signs[4], *list = word(object, offset);
    if (!copy(list, signs, sizeof signs) || memcmp(signs, list_signs, sizeof list_signs) != 0) return false;
    const void *file = file_of(signs[3]);
    return file != NULL && (file == file_of(list_signs[0]) || file == file_of((const void *)pa_get_library_version));
}

/* Whether an address holds a reference-counted object of a type. */
static bool is_object(const void *object, cpc_check_type type) {
    return object != NULL && word(object, L(pa_object_check_type)) == (const void *)type;
}

/* Whether a field points to an object whose core is the daemon's, or is NULL. */
static bool is_of_core(const void *object, size_t offset, size_t core_offset) {
    const void *value;
    if (!copy(at(object, offset), &value, sizeof value)) return false;
    return value == NULL || word(value, core_offset) == verified_core;
}

static bool is_object_or_nothing(const void *object, size_t offset, cpc_check_type type) {
    const void *value;
    if (!copy(at(object, offset), &value, sizeof value)) return false;
    return value == NULL || is_object(value, type);
}

/* The number of channels of a valid sample format, which the channel map behind the format must repeat; otherwise 0. */
static unsigned channels(const void *object, size_t offset) {
    pa_sample_spec format;
    uint8_t ordered;
    if (!copy(at(object, offset), &format, sizeof format) || !pa_sample_spec_valid(&format)) return 0;
    return copy(at(object, offset + sizeof format), &ordered, 1) && ordered == format.channels ? ordered : 0;
}

static bool is_volume(const void *object, size_t offset, unsigned wanted) {
    pa_cvolume volume;
    return copy(at(object, offset), &volume, sizeof volume) && pa_cvolume_valid(&volume) && volume.channels == wanted;
}

/* Whether a set of the core finds an object under the object's own index. */
static bool is_numbered(const void *object, size_t offset, size_t set) {
    uint32_t index = number(object, offset);
    pa_idxset *all = (pa_idxset *)word(verified_core, set);
    return index != PA_INVALID_INDEX && pa_idxset_get_by_index(all, index) == object;
}

/* The types of names for pa_namereg_get. */
enum { REGISTERED_SINK = 0, REGISTERED_SOURCE = 1, REGISTERED_CARD = 3 };

static bool is_registered(const void *object, size_t offset, unsigned type) {
    char name[NAME_SIZE];
    return is_text(word(object, offset), name) && pa_namereg_get(verified_core, name, type) == object;
}

/* Whether a table finds an object under the object's own name. */
static bool is_named(const void *object, size_t offset, const void *table_owner, size_t table) {
    char name[NAME_SIZE];
    return is_text(word(object, offset), name) && is_table(table_owner, table) &&
        pa_hashmap_get(word(table_owner, table), name) == object;
}

/* Whether a device without ports has no active port, and a device with ports an active one among them. */
static bool has_port(const void *device, size_t ports, size_t active) {
    const void *port;
    void *state = NULL;
    if (!copy(at(device, active), &port, sizeof port)) return false;
    if (port == NULL) return pa_hashmap_iterate(word(device, ports), &state, NULL) == NULL;
    return is_object(port, pa_device_port_check_type) && is_named(port, L(pa_device_port_name), device, ports);
}

/* MARK: Each kind */

/* Names the field that fails a check. */
#define CHECK(condition, what) \
    do { \
        if (!(condition)) return what; \
    } while (0)

static const char *check_module(const void *module) {
    char name[NAME_SIZE];
    Dl_info function;
    CHECK(is_object(word(module, L(pa_module_core)), pa_core_check_type), "core");
    CHECK(is_text(word(module, L(pa_module_name)), name), "name");
    CHECK(is_text_or_nothing(module, L(pa_module_argument)), "argument");
    if (verified_core != NULL) {
        CHECK(word(module, L(pa_module_core)) == verified_core, "core");
        CHECK(is_numbered(module, L(pa_module_index), L(pa_core_modules)), "number");
    }
    const void *init = word(module, L(pa_module_init)), *done = word(module, L(pa_module_done));
    CHECK(
        file_of(init) != NULL && dladdr(init, &function) != 0 && function.dli_saddr == init &&
            function.dli_sname != NULL && strcmp(function.dli_sname, "pa__init") == 0,
        "entry point");
    CHECK(file_of(done) == function.dli_fbase, "second entry point");
    CHECK(is_list(module, L(pa_module_proplist)), "list of properties");
    return NULL;
}

/* Whether a piece of sound is as large as its block, where it begins there, and its length: all that is set to nothing. */
static bool is_chunk_known(void) {
    size_t words[8], count = 0;
    memset(words, 1, sizeof words);
    pa_memchunk_reset((pa_memchunk *)words);
    while (count < 8 && words[count] == 0) count++;
    return count == 3 && L(pa_memchunk_memblock) == 0 && L(pa_memchunk_length) == 2 * sizeof words[0];
}

static const char *check_core(const void *core) {
    CHECK(is_chunk_known(), "pieces of sound");
    static const struct {
        const char *name;
        size_t offset;
    } entries[] = {
        {"io_new", offsetof(pa_mainloop_api, io_new)},
        {"io_enable", offsetof(pa_mainloop_api, io_enable)},
        {"io_free", offsetof(pa_mainloop_api, io_free)},
        {"time_new", offsetof(pa_mainloop_api, time_new)},
        {"time_free", offsetof(pa_mainloop_api, time_free)},
        {"defer_new", offsetof(pa_mainloop_api, defer_new)},
        {"defer_enable", offsetof(pa_mainloop_api, defer_enable)},
        {"defer_free", offsetof(pa_mainloop_api, defer_free)},
        {"quit", offsetof(pa_mainloop_api, quit)},
    };
    CHECK(is_object(core, pa_core_check_type), "kind");
    const void *loop = word(core, L(pa_core_mainloop));
    for (size_t index = 0; index < sizeof entries / sizeof entries[0]; index++)
        CHECK(loop != NULL && file_of(word(loop, entries[index].offset)) != NULL, "main loop");
    CHECK(is_set(core, L(pa_core_clients)), "set of clients");
    CHECK(is_set(core, L(pa_core_cards)), "set of cards");
    CHECK(is_set(core, L(pa_core_sinks)), "set of sinks");
    CHECK(is_set(core, L(pa_core_sources)), "set of sources");
    CHECK(is_set(core, L(pa_core_sink_inputs)), "set of playback streams");
    CHECK(is_set(core, L(pa_core_source_outputs)), "set of recording streams");
    CHECK(is_set(core, L(pa_core_modules)), "set of modules");
    CHECK(is_set(core, L(pa_core_scache)), "set of samples");
    CHECK(is_table(core, L(pa_core_namereg)), "register of names");
    CHECK(is_table(core, L(pa_core_shared)), "table of shared data");
    CHECK(is_table(core, L(pa_core_message_handlers)), "table of message handlers");

    /* Each hook points to its core. One hook too many or too few means that hooks were inserted or removed. */
    for (unsigned hook = 0; hook < L(hook_count); hook++)
        CHECK(
            word(core, L(pa_core_hooks) + (size_t)hook * L(hook_size) + L(pa_hook_data)) == core, "hooks");
    CHECK(word(core, L(pa_core_hooks) - L(hook_size) + L(pa_hook_data)) != core, "first hook");
    CHECK(
        word(core, L(pa_core_hooks) + (size_t)L(hook_count) * L(hook_size) + L(pa_hook_data)) != core,
        "number of hooks");

    /* The daemon's own functions must return the values that we read. */
    pa_core *asked = (pa_core *)core;
    const void *sink, *source;
    CHECK(
        copy(at(core, L(pa_core_default_sink)), &sink, sizeof sink) &&
            pa_namereg_get(asked, NULL, REGISTERED_SINK) == sink,
        "default sink");
    CHECK(
        copy(at(core, L(pa_core_default_source)), &source, sizeof source) &&
            pa_namereg_get(asked, NULL, REGISTERED_SOURCE) == source,
        "default source");
    return NULL;
}

static const char *check_client(const void *client) {
    CHECK(word(client, L(pa_client_core)) == verified_core, "core");
    CHECK(is_list(client, L(pa_client_proplist)), "list of properties");
    return NULL;
}

static const char *check_card(const void *card) {
    CHECK(word(card, L(pa_card_core)) == verified_core, "core");
    CHECK(is_numbered(card, L(pa_card_index), L(pa_core_cards)), "number");
    CHECK(is_registered(card, L(pa_card_name), REGISTERED_CARD), "name");
    CHECK(is_list(card, L(pa_card_proplist)), "list of properties");
    CHECK(is_set(card, L(pa_card_sinks)), "set of sinks");
    CHECK(is_set(card, L(pa_card_sources)), "set of sources");
    CHECK(is_table(card, L(pa_card_profiles)), "table of profiles");
    CHECK(is_table(card, L(pa_card_ports)), "table of ports");
    const void *profile;
    CHECK(copy(at(card, L(pa_card_active_profile)), &profile, sizeof profile), "profile");
    if (profile != NULL)
        CHECK(is_named(profile, L(pa_card_profile_name), card, L(pa_card_profiles)), "profile");
    return NULL;
}

static const char *check_profile(const void *profile) {
    const void *card = word(profile, L(pa_card_profile_card));
    CHECK(card != NULL && word(card, L(pa_card_core)) == verified_core, "card");
    CHECK(is_named(profile, L(pa_card_profile_name), card, L(pa_card_profiles)), "name");
    CHECK(is_text_or_nothing(profile, L(pa_card_profile_description)), "description");
    /* The names for input and output lie between these fields. */
    for (size_t offset = L(pa_card_profile_description) + sizeof(char *); offset < L(pa_card_profile_priority);
         offset += sizeof(char *))
        CHECK(is_text_or_nothing(profile, offset), "priority");
    CHECK(number(profile, L(pa_card_profile_available)) <= CPC_AVAILABLE_YES, "availability");
    return NULL;
}

static const char *check_port(const void *port) {
    CHECK(is_object(port, pa_device_port_check_type), "kind");
    CHECK(word(port, L(pa_device_port_core)) == verified_core, "core");
    CHECK(is_of_core(port, L(pa_device_port_card), L(pa_card_core)), "card");
    const void *card = word(port, L(pa_device_port_card));
    char name[NAME_SIZE];
    CHECK(is_text(word(port, L(pa_device_port_name)), name), "name");
    if (card != NULL) CHECK(is_named(port, L(pa_device_port_name), card, L(pa_card_ports)), "name");
    CHECK(is_text_or_nothing(port, L(pa_device_port_description)), "description");
    /* The daemon defines far fewer types than 256. */
    CHECK(number(port, L(pa_device_port_type)) < 256, "type");
    CHECK(number(port, L(pa_device_port_available)) <= CPC_AVAILABLE_YES, "availability");
    CHECK(is_list(port, L(pa_device_port_proplist)), "list of properties");
    CHECK(is_table(port, L(pa_device_port_profiles)), "table of profiles");
    uint32_t direction = number(port, L(pa_device_port_direction));
    CHECK(direction >= 1 && direction <= 3, "direction");
    return NULL;
}

/* Sinks and sources have their common fields in the same order, but their offsets may differ. */
#define CHECK_DEVICE(device, type, set, registered, streams)                                 \
    CHECK(is_object(device, type##_check_type), "kind");                                     \
    CHECK(word(device, L(type##_core)) == verified_core, "core");                            \
    CHECK(is_numbered(device, L(type##_index), L(set)), "number");                           \
    CHECK(is_registered(device, L(type##_name), registered), "name");                        \
    /* Every state, from before the put hook to unlinked. */                                 \
    CHECK((int)number(device, L(type##_state)) >= -2 && (int)number(device, L(type##_state)) <= 3, "state"); \
    CHECK(is_list(device, L(type##_proplist)), "list of properties");                        \
    CHECK(is_of_core(device, L(type##_card), L(pa_card_core)), "card");                      \
    CHECK(channels(device, L(type##_sample_spec)) != 0, "format");                           \
    CHECK(is_set(device, L(streams)), "set of streams");                                     \
    CHECK(                                                                                   \
        is_volume(device, L(type##_reference_volume), channels(device, L(type##_sample_spec))), "volume"); \
    CHECK(is_table(device, L(type##_ports)), "table of ports");                              \
    CHECK(has_port(device, L(type##_ports), L(type##_active_port)), "port")

static const char *check_sink(const void *sink) {
    CHECK_DEVICE(sink, pa_sink, pa_core_sinks, REGISTERED_SINK, pa_sink_inputs);
    CHECK(is_of_core(sink, L(pa_sink_module), L(pa_module_core)), "module");
    const void *monitor = word(sink, L(pa_sink_monitor_source));
    CHECK(is_object(monitor, pa_source_check_type), "monitor");
    CHECK(word(monitor, L(pa_source_monitor_of)) == sink, "monitor");
    CHECK(is_object_or_nothing(sink, L(pa_sink_input_to_master), pa_sink_input_check_type), "master");
    /* The daemon always sets both together. */
    CHECK(word(sink, L(pa_sink_asyncmsgq)) == word(monitor, L(pa_source_asyncmsgq)), "queue to its thread");
    return NULL;
}

static const char *check_source(const void *source) {
    CHECK_DEVICE(source, pa_source, pa_core_sources, REGISTERED_SOURCE, pa_source_outputs);
    const void *sink;
    CHECK(copy(at(source, L(pa_source_monitor_of)), &sink, sizeof sink), "monitored sink");
    if (sink != NULL) {
        CHECK(is_object(sink, pa_sink_check_type), "monitored sink");
        CHECK(word(sink, L(pa_sink_monitor_source)) == source, "monitored sink");
        CHECK(word(sink, L(pa_sink_asyncmsgq)) == word(source, L(pa_source_asyncmsgq)), "queue to its thread");
    }
    CHECK(
        is_object_or_nothing(source, L(pa_source_output_from_master), pa_source_output_check_type), "master");
    unsigned count = channels(source, L(pa_source_sample_spec));
    CHECK(is_volume(source, L(pa_source_real_volume), count), "volume of the hardware");
    CHECK(is_volume(source, L(pa_source_soft_volume), count), "volume of the software");
    /* The volumes lie one behind the other, and the mute bits follow the last one. */
    CHECK(L(pa_source_muted) == L(pa_source_soft_volume) + sizeof(pa_cvolume), "mute switch");
    return NULL;
}

#define CHECK_STREAM(stream, type, set)                                                      \
    CHECK(is_object(stream, type##_check_type), "kind");                                     \
    CHECK(word(stream, L(type##_core)) == verified_core, "core");                            \
    CHECK(is_numbered(stream, L(type##_index), L(set)), "number");                           \
    CHECK(number(stream, L(type##_state)) <= CPC_UNLINKED, "state");                         \
    CHECK(is_list(stream, L(type##_proplist)), "list of properties");                        \
    CHECK(is_of_core(stream, L(type##_module), L(pa_module_core)), "module");                \
    CHECK(is_of_core(stream, L(type##_client), L(pa_client_core)), "client");                \
    unsigned count = channels(stream, L(type##_sample_spec));                                \
    CHECK(count != 0, "format")

/* A method of resampling: a small number, or -1 for none. */
static bool is_method(const void *object, size_t offset) { return number(object, offset) + 1 <= 64; }

bool cpc_prove_callbacks(const void *input) {
    const size_t first = L(pa_sink_input_pop), last = L(pa_sink_input_process_rewind);
    const void *pop = word(input, first), *rewind = word(input, last), *message = word(input, L(pa_msgobject_process_msg));
    /* Before the first one lie two numbers, and between them the function for the end of the sound, which a stream may lack. */
    const void *underrun;
    return file_of(pop) != NULL && file_of(pop) == file_of(rewind) && pop != rewind && last == first + 2 * sizeof pop &&
        is_method(input, first - sizeof pop) && is_method(input, first - sizeof pop / 2) &&
        copy(at(input, first + sizeof pop), &underrun, sizeof underrun) &&
        (underrun == NULL || file_of(underrun) == file_of(pop)) &&
        /* The function for messages is all that is added to what every object has. */
        L(pa_msgobject_process_msg) == L(pa_object_check_type) + sizeof message && file_of(message) != NULL;
}

static const char *check_sink_input(const void *input) {
    CHECK_STREAM(input, pa_sink_input, pa_core_sink_inputs);
    CHECK(is_object_or_nothing(input, L(pa_sink_input_sink), pa_sink_check_type), "sink");
    CHECK(is_object_or_nothing(input, L(pa_sink_input_origin_sink), pa_sink_check_type), "filtered sink");
    CHECK(is_set(input, L(pa_sink_input_direct_outputs)), "set of source outputs that record it");
    CHECK(is_volume(input, L(pa_sink_input_volume_factor), count), "factor");
    CHECK(is_table(input, L(pa_sink_input_volume_factor_items)), "table of factors");
    CHECK(is_volume(input, L(pa_sink_input_reference_ratio), count), "ratio to the reference");
    CHECK(is_volume(input, L(pa_sink_input_soft_volume), count), "volume of the software");
    CHECK(is_table(input, L(pa_sink_input_volume_factor_sink_items)), "table of the sink's factors");
    /* The mute bits follow that table. */
    CHECK(L(pa_sink_input_muted) == L(pa_sink_input_volume_factor_sink_items) + sizeof(pa_hashmap *), "mute switch");
    /* A stream that is being made or is gone has no functions. */
    const unsigned state = number(input, L(pa_sink_input_state));
    CHECK((state != CPC_RUNNING && state != CPC_CORKED) || cpc_prove_callbacks(input), "functions for its sound");
    return NULL;
}

static const char *check_source_output(const void *output) {
    CHECK_STREAM(output, pa_source_output, pa_core_source_outputs);
    CHECK(is_object_or_nothing(output, L(pa_source_output_source), pa_source_check_type), "source");
    CHECK(
        is_object_or_nothing(output, L(pa_source_output_destination_source), pa_source_check_type), "filtered source");
    CHECK(
        is_object_or_nothing(output, L(pa_source_output_direct_on_input), pa_sink_input_check_type), "recorded stream");
    CHECK(is_volume(output, L(pa_source_output_volume), count), "volume");
    CHECK(is_volume(output, L(pa_source_output_reference_ratio), count), "ratio to the reference");
    CHECK(is_volume(output, L(pa_source_output_real_ratio), count), "ratio to the hardware");
    CHECK(is_volume(output, L(pa_source_output_volume_factor), count), "factor");
    CHECK(is_volume(output, L(pa_source_output_soft_volume), count), "volume of the software");
    return NULL;
}

static const char *check(enum cpc_kind kind, const void *object) {
    switch (kind) {
    case CPC_KIND_pa_module: return check_module(object);
    case CPC_KIND_pa_core: return check_core(object);
    case CPC_KIND_pa_client: return check_client(object);
    case CPC_KIND_pa_card: return check_card(object);
    case CPC_KIND_pa_card_profile: return check_profile(object);
    case CPC_KIND_pa_device_port: return check_port(object);
    case CPC_KIND_pa_sink: return check_sink(object);
    case CPC_KIND_pa_source: return check_source(object);
    case CPC_KIND_pa_sink_input: return check_sink_input(object);
    case CPC_KIND_pa_source_output: return check_source_output(object);
    case CPC_KINDS: break;
    }
    return "kind";
}

/* MARK: The verdict */

bool cpc_prove(enum cpc_kind kind, const void *object) {
    if (cpc_layout == NULL || verified_core == NULL || is_refused[kind]) return false;
    const char *wrong = check(kind, object);
    if (wrong == NULL) {
        cpc_is_proved[kind] = true;
        return true;
    }
    is_refused[kind] = true;
    snprintf(doubt, sizeof doubt, "a %s has no %s where it should be", kind_names[kind], wrong);
    if (doubt_callback != NULL) doubt_callback(doubt, doubt_userdata);
    return false;
}

void cpc_on_doubt(cpc_doubt_callback callback, void *userdata) {
    doubt_callback = callback;
    doubt_userdata = userdata;
}

/* Checks the existing objects, as many as are needed to see all fields. */
static const char *check_all(const void *core) {
    static const struct {
        enum cpc_kind kind;
        enum cpc_set set;
    } sets[] = {
        {CPC_KIND_pa_card, CPC_CARDS},
        {CPC_KIND_pa_sink, CPC_SINKS},
        {CPC_KIND_pa_source, CPC_SOURCES},
        {CPC_KIND_pa_sink_input, CPC_SINK_INPUTS},
        {CPC_KIND_pa_source_output, CPC_SOURCE_OUTPUTS},
    };
    enum { MOST = 64 };
    pa_idxset *clients = (pa_idxset *)word(core, L(pa_core_clients));
    void *state = NULL, *object;
    for (int count = 0; count < MOST && (object = pa_idxset_iterate(clients, &state, NULL)) != NULL; count++)
        if (!cpc_prove(CPC_KIND_pa_client, object)) return doubt;
    for (size_t index = 0; index < sizeof sets / sizeof sets[0]; index++) {
        state = NULL;
        for (int count = 0; count < MOST && (object = cpc_iterate((pa_core *)core, sets[index].set, &state)) != NULL;
             count++) {
            /* Check every object of the set, because another one may have fields that this one lacks. */
            cpc_is_proved[sets[index].kind] = false;
            if (!cpc_prove(sets[index].kind, object)) return doubt;
            if (sets[index].kind != CPC_KIND_pa_card) continue;
            void *port_state = NULL, *profile_state = NULL, *part;
            while ((part = pa_hashmap_iterate(CPC_FIELD(object, pa_card, ports), &port_state, NULL)) != NULL) {
                cpc_is_proved[CPC_KIND_pa_device_port] = false;
                if (!cpc_prove(CPC_KIND_pa_device_port, part)) return doubt;
            }
            while ((part = pa_hashmap_iterate(CPC_FIELD(object, pa_card, profiles), &profile_state, NULL)) != NULL) {
                cpc_is_proved[CPC_KIND_pa_card_profile] = false;
                if (!cpc_prove(CPC_KIND_pa_card_profile, part)) return doubt;
            }
        }
    }
    return NULL;
}

static void forget(void) {
    memset(cpc_is_proved, 0, sizeof cpc_is_proved);
    memset(is_refused, 0, sizeof is_refused);
    doubt[0] = '\0';
    verified_core = NULL;
}

static const char *fail(const char *what, const char *wrong) {
    snprintf(doubt, sizeof doubt, "the %s has no %s where it should be", what, wrong);
    return doubt;
}

const char *cpc_verify_as(const struct cpc_layout *layout, const pa_module *module) {
    /* A copy, because sinks' threads read it, and the memory of constants is given back now and then. */
    static struct cpc_layout own;
    own = *layout;
    cpc_layout = &own;
    forget();
    if (!learn_expected_values()) return "its memory cannot be read";
    const char *wrong = check_module(module);
    if (wrong != NULL) return fail("module", wrong);
    const void *core = word(module, L(pa_module_core));
    if ((wrong = check_core(core)) != NULL) return fail("core", wrong);
    verified_core = (pa_core *)core;
    cpc_is_proved[CPC_KIND_pa_core] = true;
    return cpc_prove(CPC_KIND_pa_module, module) ? check_all(core) : doubt;
}

const char *cpc_verify(pa_module *module) {
    static char kept[sizeof doubt];
    if (verified_core != NULL) {
        /* The difference was found by a module that was loaded earlier and may still be active. */
        if (doubt[0] != '\0') return doubt;
        return check_module(module) == NULL ? NULL : "the daemon does not list the module";
    }
    /* Report the difference from the first layout tried, which most daemons have. */
    kept[0] = '\0';
    for (unsigned variant = 0; variant < CPC_VARIANTS; variant++) {
        const struct cpc_layout *candidate = cpc_layout_of(cpc_major, variant);
        if (candidate == NULL) continue;
        const char *wrong = cpc_verify_as(candidate, module);
        if (wrong == NULL) return NULL;
        if (kept[0] == '\0') snprintf(kept, sizeof kept, "%s", wrong);
    }
    forget();
    return kept;
}

bool cpc_prove_factor(const void *entry, const char *key) {
    char name[NAME_SIZE];
    pa_cvolume volume;
    return is_text(word(entry, L(volume_factor_entry_key)), name) && strcmp(name, key) == 0 &&
        copy(at(entry, L(volume_factor_entry_volume)), &volume, sizeof volume) && pa_cvolume_valid(&volume);
}

bool cpc_prove_handler(const void *handler, const char *path) {
    char name[NAME_SIZE];
    const void *callback;
    return is_text(word(handler, L(pa_message_handler_object_path)), name) && strcmp(name, path) == 0 &&
        copy(at(handler, L(pa_message_handler_callback)), &callback, sizeof callback) && file_of(callback) != NULL;
}
