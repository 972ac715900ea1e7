/* Proves that the daemon's structs match the tables before any struct is read. A distribution may have patched a struct, and a
 * pointer read from a wrong offset would crash the daemon.
 *
 * Objects are read through the kernel, which returns an error for an unmapped address instead of a crash. Each value read is
 * compared with the result of the daemon's own functions, or with a value that cannot occur by chance: the address of the
 * function that tells a sink from a source, the core that a hook belongs to, the name under which the object is found. A field
 * without such a sign, for example a number, is trusted if the neighbours on both sides have one.
 *
 * The first object of each kind is checked: when the module is loaded if there is one, otherwise when the first one appears. */
#define _GNU_SOURCE
#include "layout.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool cpc_is_proved[CPC_KINDS];
/* The kinds whose layout was found to differ. */
static bool is_refused[CPC_KINDS];
static const pa_core *verified_core;
/* The first difference found, for people; empty if none. */
static char doubt[256];
static cpc_doubt_callback doubt_callback;
static void *doubt_userdata;

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

/* Copies from an address that may be unmapped; the object may be NULL. */
static bool copy(const void *object, size_t offset, void *buffer, size_t size) {
    const void *address = (const void *)((uintptr_t)object + offset);
    struct iovec here = {.iov_base = buffer, .iov_len = size};
    struct iovec there = {.iov_base = (void *)address, .iov_len = size};
    ssize_t count = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (count == (ssize_t)size) return true;
    /* The kernel may lack that call, or a filter may forbid it. */
    return count < 0 && errno != EFAULT && read_through_pipe(address, buffer, size);
}

/* Reads the pointer at an address; false if the address is unmapped, and then the pointer is NULL. */
static bool read_word(const void *object, size_t offset, const void **value) {
    if (copy(object, offset, value, sizeof *value)) return true;
    *value = NULL;
    return false;
}

static const void *word(const void *object, size_t offset) {
    const void *value;
    read_word(object, offset, &value);
    return value;
}

/* The 32-bit number at an address; the highest one if the address is unmapped. */
static uint32_t number(const void *object, size_t offset) {
    uint32_t value;
    return copy(object, offset, &value, sizeof value) ? value : UINT32_MAX;
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
        if (!copy(text, length, result + length, part)) return false;
        for (size_t end = length + part; length < end; length++) {
            if (result[length] == '\0') return true;
            if ((unsigned char)result[length] < ' ' && result[length] != '\t' && result[length] != '\n') return false;
        }
    }
    return false;
}

/* MARK: Values that cannot occur by chance */

/* The first words of the daemon's sets and lists: their hash and compare functions, and how a list's keys are freed. */
static const void *set_signs[2], *list_signs[3];

/* The file that contains a function's address. */
static const void *file_of(const void *function) {
    Dl_info file;
    return function != NULL && dladdr(function, &file) != 0 ? file.dli_fbase : NULL;
}

static bool learn_expected_values(void) {
    pa_idxset *set = pa_idxset_new(NULL, NULL);
    pa_proplist *list = pa_proplist_new();
    bool is_learnt = copy(set, 0, set_signs, sizeof set_signs) && copy(list, 0, list_signs, sizeof list_signs) &&
        file_of(set_signs[0]) != NULL && file_of(set_signs[1]) != NULL && file_of(list_signs[0]) != NULL &&
        file_of(list_signs[1]) != NULL && set_signs[0] != list_signs[0];
    pa_idxset_free(set, NULL);
    pa_proplist_free(list);
    return is_learnt;
}

static bool begins_with(const void *object, const void *const *signs, size_t count) {
    const void *found[3];
    return copy(object, 0, found, count * sizeof *found) && memcmp(found, signs, count * sizeof *found) == 0;
}

/* Whether a field points to a table with names as keys. */
static bool is_table(const void *object, size_t offset) { return begins_with(word(object, offset), list_signs, 2); }

/* Whether a field points to a property list: such a table, whose entries are freed by a function of the client library or of
 * its copy in the daemon's library. */
static bool is_list(const void *object, size_t offset) {
    const void *list = word(object, offset), *file = file_of(word(list, sizeof list_signs));
    return begins_with(list, list_signs, 3) && file != NULL &&
        (file == file_of(list_signs[0]) || file == file_of((const void *)pa_get_library_version));
}

/* Whether an address holds a reference-counted object of a type. */
static bool is_object(const void *object, cpc_check_type type) {
    return object != NULL && word(object, L(pa_object_check_type)) == (const void *)type;
}

static bool is_core(const void *core) {
    return verified_core == NULL ? is_object(core, pa_core_check_type) : core == verified_core;
}

/* The number of channels of a valid sample format, which the channel map behind the format must repeat; otherwise 0. */
static unsigned channels(const void *object, size_t offset) {
    pa_sample_spec format;
    uint8_t ordered;
    if (!copy(object, offset, &format, sizeof format) || !pa_sample_spec_valid(&format)) return 0;
    return copy(object, offset + sizeof format, &ordered, 1) && ordered == format.channels ? ordered : 0;
}

static bool is_volume(const void *object, size_t offset, unsigned wanted) {
    pa_cvolume volume;
    return copy(object, offset, &volume, sizeof volume) && pa_cvolume_valid(&volume) && volume.channels == wanted;
}

/* Whether a set of the core, if that is known yet, finds an object under the object's own index. */
static bool is_numbered(const void *object, size_t offset, size_t set) {
    uint32_t index = number(object, offset);
    return verified_core == NULL || (index != PA_INVALID_INDEX &&
        pa_idxset_get_by_index((pa_idxset *)word(verified_core, set), index) == object);
}

/* The types of names for pa_namereg_get. */
enum { REGISTERED_SINK = 0, REGISTERED_SOURCE = 1, REGISTERED_CARD = 3 };

static bool is_registered(const void *object, size_t offset, unsigned type) {
    char name[NAME_SIZE];
    return is_text(word(object, offset), name) && pa_namereg_get((pa_core *)verified_core, name, type) == object;
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
    if (!read_word(device, active, &port)) return false;
    if (port == NULL) return pa_hashmap_iterate(word(device, ports), &state, NULL) == NULL;
    return is_object(port, pa_device_port_check_type) && is_named(port, L(pa_device_port_name), device, ports);
}

/* MARK: What the type of a field tells */

enum sign { NONE, SET, TABLE, LIST, TEXT, CORE, MODULE, CLIENT, CARD, SINK, SOURCE, INPUT, OUTPUT, FORMAT, VOLUME, STATE };

/* Without pointers, which the loader would write into every daemon's own memory. */
static const struct field {
    char type[20], name[26];
    uint8_t sign;
    uint16_t place;
} fields[] = {
#define SIGN(value)                                                                                                            \
    _Generic((value *)NULL, pa_idxset **: SET, pa_hashmap **: TABLE, pa_proplist **: LIST, char **: TEXT, pa_core **: CORE,    \
        pa_module **: MODULE, pa_client **: CLIENT, pa_card **: CARD, pa_sink **: SINK, pa_source **: SOURCE,                  \
        pa_sink_input **: INPUT, pa_source_output **: OUTPUT, pa_sample_spec *: FORMAT, pa_cvolume *: VOLUME,                  \
        int *: STATE, default: NONE)
#define FIELD(type, field, value, ...) {#type, #field, SIGN(value), offsetof(struct cpc_layout, type##_##field)},
    CPC_FIELDS(FIELD, FIELD)
};

/* An offset that is given by its place in a layout. */
static size_t offset_at(size_t place) { return *(const uint16_t *)((const char *)cpc_layout + place); }

/* Checks a field by its type; `count` is the number of its object's channels. */
static bool is_right(const void *object, size_t offset, enum sign sign, unsigned count) {
    char text[NAME_SIZE];
    const void *value;
    const bool is_nothing = read_word(object, offset, &value) && value == NULL;
    switch (sign) {
    case NONE: return true;
    case SET: return begins_with(value, set_signs, 2);
    case TABLE: return is_table(object, offset);
    case LIST: return is_list(object, offset);
    case CORE: return is_core(value);
    case TEXT: return is_nothing || is_text(value, text);
    case MODULE: return is_nothing || is_core(word(value, L(pa_module_core)));
    case CLIENT: return is_nothing || is_core(word(value, L(pa_client_core)));
    case CARD: return is_nothing || is_core(word(value, L(pa_card_core)));
    case SINK: return is_nothing || is_object(value, pa_sink_check_type);
    case SOURCE: return is_nothing || is_object(value, pa_source_check_type);
    case INPUT: return is_nothing || is_object(value, pa_sink_input_check_type);
    case OUTPUT: return is_nothing || is_object(value, pa_source_output_check_type);
    case FORMAT: return count != 0;
    case VOLUME: return is_volume(object, offset, count);
    /* Every state of a sink or source, from before the put hook to unlinked. */
    case STATE: return (int)number(object, offset) >= -2 && (int)number(object, offset) <= 3;
    }
    return false;
}

/* MARK: What else each kind tells */

/* Names the field that fails a check. */
#define CHECK(condition, what) \
    do { \
        if (!(condition)) return what; \
    } while (0)

static const char *check_module(const void *module) {
    char name[NAME_SIZE];
    Dl_info function;
    CHECK(is_text(word(module, L(pa_module_name)), name), "name");
    const void *init = word(module, L(pa_module_init)), *done = word(module, L(pa_module_done));
    CHECK(
        file_of(init) != NULL && dladdr(init, &function) != 0 && function.dli_saddr == init && function.dli_sname != NULL &&
            strcmp(function.dli_sname, "pa__init") == 0,
        "entry point");
    CHECK(file_of(done) == function.dli_fbase, "second entry point");
    return NULL;
}

/* Whether the daemon clears as many bytes of a piece of sound as our fields say: its block, where it begins there, its length. */
static bool is_chunk_known(void) {
    size_t words[8], count = 0;
    memset(words, 1, sizeof words);
    pa_memchunk_reset((pa_memchunk *)words);
    while (count < 8 && words[count] == 0) count++;
    return count == 3 && L(pa_memchunk_memblock) == 0 && L(pa_memchunk_length) == 2 * sizeof words[0];
}

static const char *check_core(const void *core) {
    CHECK(is_chunk_known(), "pieces of sound");
    /* A main loop has only functions after its first word. */
    const void *loop = word(core, L(pa_core_mainloop));
    for (size_t entry = offsetof(pa_mainloop_api, io_new); entry < sizeof(pa_mainloop_api); entry += sizeof loop)
        CHECK(file_of(word(loop, entry)) != NULL, "main loop");
    /* Each hook points to its core. One hook too many or too few means that hooks were inserted or removed. */
    for (int hook = -1; hook <= L(hook_count); hook++) {
        const void *owner = word(core, (size_t)(L(pa_core_hooks) + hook * L(hook_size) + L(pa_hook_data)));
        CHECK((owner == core) == (hook >= 0 && hook < L(hook_count)), "hooks");
    }
    /* The daemon's own functions must return the values that we read. */
    pa_core *asked = (pa_core *)core;
    CHECK(pa_namereg_get(asked, NULL, REGISTERED_SINK) == word(core, L(pa_core_default_sink)), "default sink");
    CHECK(pa_namereg_get(asked, NULL, REGISTERED_SOURCE) == word(core, L(pa_core_default_source)), "default source");
    return NULL;
}

static const char *check_card(const void *card) {
    CHECK(is_registered(card, L(pa_card_name), REGISTERED_CARD), "name");
    const void *profile;
    CHECK(read_word(card, L(pa_card_active_profile), &profile), "profile");
    if (profile != NULL) CHECK(is_named(profile, L(pa_card_profile_name), card, L(pa_card_profiles)), "profile");
    return NULL;
}

static const char *check_profile(const void *profile) {
    const void *card = word(profile, L(pa_card_profile_card));
    CHECK(card != NULL, "card");
    CHECK(is_named(profile, L(pa_card_profile_name), card, L(pa_card_profiles)), "name");
    /* The names for input and output lie between these fields. */
    for (size_t offset = L(pa_card_profile_description); offset < L(pa_card_profile_priority); offset += sizeof(char *))
        CHECK(is_right(profile, offset, TEXT, 0), "priority");
    CHECK(number(profile, L(pa_card_profile_available)) <= CPC_AVAILABLE_YES, "availability");
    return NULL;
}

static const char *check_port(const void *port) {
    const void *card = word(port, L(pa_device_port_card));
    char name[NAME_SIZE];
    CHECK(is_text(word(port, L(pa_device_port_name)), name), "name");
    if (card != NULL) CHECK(is_named(port, L(pa_device_port_name), card, L(pa_card_ports)), "name");
    /* The daemon defines far fewer types than 256. */
    CHECK(number(port, L(pa_device_port_type)) < 256, "type");
    CHECK(number(port, L(pa_device_port_available)) <= CPC_AVAILABLE_YES, "availability");
    uint32_t direction = number(port, L(pa_device_port_direction));
    CHECK(direction >= 1 && direction <= 3, "direction");
    return NULL;
}

/* Whether a sink and the source that monitors it know each other, and have the same queue to their thread: the daemon always
 * sets both together. */
static bool is_pair(const void *sink, const void *monitor) {
    return is_object(sink, pa_sink_check_type) && is_object(monitor, pa_source_check_type) &&
        word(sink, L(pa_sink_monitor_source)) == monitor && word(monitor, L(pa_source_monitor_of)) == sink &&
        word(sink, L(pa_sink_asyncmsgq)) == word(monitor, L(pa_source_asyncmsgq));
}

static const char *check_sink(const void *sink) {
    CHECK(is_registered(sink, L(pa_sink_name), REGISTERED_SINK), "name");
    CHECK(has_port(sink, L(pa_sink_ports), L(pa_sink_active_port)), "port");
    CHECK(is_pair(sink, word(sink, L(pa_sink_monitor_source))), "monitor with the same queue");
    return NULL;
}

static const char *check_source(const void *source) {
    CHECK(is_registered(source, L(pa_source_name), REGISTERED_SOURCE), "name");
    CHECK(has_port(source, L(pa_source_ports), L(pa_source_active_port)), "port");
    const void *sink = word(source, L(pa_source_monitor_of));
    CHECK(sink == NULL || is_pair(sink, source), "monitored sink with the same queue");
    /* The volumes lie one behind the other, and the mute bits follow the last one. */
    CHECK(L(pa_source_muted) == L(pa_source_soft_volume) + sizeof(pa_cvolume), "mute switch");
    return NULL;
}

/* A method of resampling: a small number, or -1 for none. */
static bool is_method(const void *object, size_t offset) { return number(object, offset) + 1 <= 64; }

bool cpc_prove_callbacks(const void *input) {
    const size_t first = L(pa_sink_input_pop), last = L(pa_sink_input_process_rewind);
    const void *pop = word(input, first), *rewind = word(input, last), *message = word(input, L(pa_msgobject_process_msg));
    /* Two numbers lie before the two functions; between them lies the function for the end of the sound, which may be missing. */
    const void *underrun;
    return file_of(pop) != NULL && file_of(pop) == file_of(rewind) && pop != rewind && last == first + 2 * sizeof pop &&
        is_method(input, first - sizeof pop) && is_method(input, first - sizeof pop / 2) &&
        read_word(input, first + sizeof pop, &underrun) && (underrun == NULL || file_of(underrun) == file_of(pop)) &&
        /* To the fields of every object, a receiver of messages adds only its function. */
        L(pa_msgobject_process_msg) == L(pa_object_check_type) + sizeof message && file_of(message) != NULL;
}

static const char *check_sink_input(const void *input) {
    /* The mute bits follow the table of the sink's factors. */
    CHECK(L(pa_sink_input_muted) == L(pa_sink_input_volume_factor_sink_items) + sizeof(pa_hashmap *), "mute switch");
    const unsigned state = number(input, L(pa_sink_input_state));
    CHECK(state <= CPC_UNLINKED, "state");
    /* A stream that is being made or is gone has no functions. */
    CHECK((state != CPC_RUNNING && state != CPC_CORKED) || cpc_prove_callbacks(input), "functions for its sound");
    return NULL;
}

static const char *check_source_output(const void *output) {
    CHECK(number(output, L(pa_source_output_state)) <= CPC_UNLINKED, "state");
    return NULL;
}

/* For each kind: the daemon's name, and the name for people; the check beside that of its fields; the function that tells the
 * kind from others; and the place of the core's set of this kind. */
static const struct {
    const char *type, *name;
    const char *(*check)(const void *object);
    cpc_check_type is_type;
    size_t all;
} kinds[CPC_KINDS] = {
#define ALL(set) offsetof(struct cpc_layout, pa_core_##set)
    [CPC_KIND_pa_module] = {"pa_module", "module", check_module, NULL, ALL(modules)},
    [CPC_KIND_pa_core] = {"pa_core", "core", check_core, pa_core_check_type, 0},
    [CPC_KIND_pa_client] = {"pa_client", "client", NULL, NULL, ALL(clients)},
    [CPC_KIND_pa_card] = {"pa_card", "card", check_card, NULL, ALL(cards)},
    [CPC_KIND_pa_card_profile] = {"pa_card_profile", "profile of a card", check_profile, NULL, 0},
    [CPC_KIND_pa_device_port] = {"pa_device_port", "port", check_port, pa_device_port_check_type, 0},
    [CPC_KIND_pa_sink] = {"pa_sink", "sink", check_sink, pa_sink_check_type, ALL(sinks)},
    [CPC_KIND_pa_source] = {"pa_source", "source", check_source, pa_source_check_type, ALL(sources)},
    [CPC_KIND_pa_sink_input] = {
        "pa_sink_input", "playback stream", check_sink_input, pa_sink_input_check_type, ALL(sink_inputs)},
    [CPC_KIND_pa_source_output] = {
        "pa_source_output", "recording stream", check_source_output, pa_source_output_check_type, ALL(source_outputs)},
};

/* The field of an object that is not where it should be; NULL if all are. */
static const char *check(enum cpc_kind kind, const void *object) {
    if (kinds[kind].is_type != NULL && !is_object(object, kinds[kind].is_type)) return "kind";
    unsigned count = 0;
    for (const struct field *field = fields; field < fields + sizeof fields / sizeof fields[0]; field++) {
        if (strcmp(field->type, kinds[kind].type) != 0) continue;
        const size_t offset = offset_at(field->place);
        /* The format comes before all volumes. */
        if (field->sign == FORMAT) count = channels(object, offset);
        if (!is_right(object, offset, field->sign, count)) return field->name;
        const bool is_index = strcmp(field->name, "index") == 0;
        if (is_index && !is_numbered(object, offset, offset_at(kinds[kind].all))) return field->name;
    }
    return kinds[kind].check == NULL ? NULL : kinds[kind].check(object);
}

/* MARK: The verdict */

static const char *doubt_of(enum cpc_kind kind, const char *wrong) {
    snprintf(doubt, sizeof doubt, "a %s has no %s where it should be", kinds[kind].name, wrong);
    return doubt;
}

bool cpc_prove(enum cpc_kind kind, const void *object) {
    if (cpc_layout == NULL || verified_core == NULL || is_refused[kind]) return false;
    const char *wrong = check(kind, object);
    cpc_is_proved[kind] = wrong == NULL;
    if (wrong == NULL) return true;
    is_refused[kind] = true;
    doubt_of(kind, wrong);
    if (doubt_callback != NULL) doubt_callback(doubt, doubt_userdata);
    return false;
}

void cpc_on_doubt(cpc_doubt_callback callback, void *userdata) {
    doubt_callback = callback;
    doubt_userdata = userdata;
}

static bool prove_parts(enum cpc_kind kind, const void *table) {
    void *state = NULL, *part;
    while ((part = pa_hashmap_iterate(table, &state, NULL)) != NULL)
        if (!cpc_prove(kind, part)) return false;
    return true;
}

/* Checks the existing objects, because another one may have fields that the first one lacks. */
static bool prove_all(void) {
    enum { MOST = 64 };
    for (enum cpc_kind kind = 0; kind < CPC_KINDS; kind++) {
        /* Other modules do not matter. */
        if (kinds[kind].all == 0 || kind == CPC_KIND_pa_module) continue;
        pa_idxset *all = (pa_idxset *)word(verified_core, offset_at(kinds[kind].all));
        void *state = NULL, *object;
        for (int count = 0; count < MOST && (object = pa_idxset_iterate(all, &state, NULL)) != NULL; count++) {
            if (!cpc_prove(kind, object)) return false;
            if (kind == CPC_KIND_pa_card && !(prove_parts(CPC_KIND_pa_device_port, word(object, L(pa_card_ports))) &&
                    prove_parts(CPC_KIND_pa_card_profile, word(object, L(pa_card_profiles)))))
                return false;
        }
    }
    return true;
}

static void forget(void) {
    memset(cpc_is_proved, 0, sizeof cpc_is_proved);
    memset(is_refused, 0, sizeof is_refused);
    doubt[0] = '\0';
    verified_core = NULL;
}

const char *cpc_verify_as(const struct cpc_layout *layout, const pa_module *module) {
    /* A copy, because sinks' threads read it, and the next table takes the place of this one. */
    static struct cpc_layout own;
    own = *layout;
    cpc_layout = &own;
    forget();
    if (!learn_expected_values()) return "its memory cannot be read";
    const char *wrong = check(CPC_KIND_pa_module, module);
    if (wrong != NULL) return doubt_of(CPC_KIND_pa_module, wrong);
    const void *core = word(module, L(pa_module_core));
    if ((wrong = check(CPC_KIND_pa_core, core)) != NULL) return doubt_of(CPC_KIND_pa_core, wrong);
    verified_core = core;
    cpc_is_proved[CPC_KIND_pa_core] = true;
    return cpc_prove(CPC_KIND_pa_module, module) && prove_all() ? NULL : doubt;
}

const char *cpc_verify(pa_module *module) {
    static char kept[sizeof doubt];
    if (verified_core != NULL) {
        /* The difference was found by a module that was loaded earlier and may still be active. */
        if (doubt[0] != '\0') return doubt;
        return check(CPC_KIND_pa_module, module) == NULL ? NULL : "the daemon does not list the module";
    }
    /* Report the difference from the first layout tried, which most daemons have. */
    kept[0] = '\0';
    for (enum cpc_variant variant = 0; variant < CPC_VARIANTS; variant++) {
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
        copy(entry, L(volume_factor_entry_volume), &volume, sizeof volume) && pa_cvolume_valid(&volume);
}

bool cpc_prove_handler(const void *handler, const char *path) {
    char name[NAME_SIZE];
    return is_text(word(handler, L(pa_message_handler_object_path)), name) && strcmp(name, path) == 0 &&
        file_of(word(handler, L(pa_message_handler_callback))) != NULL;
}
