/* The cards, as the session manager has them: an object that finds them, as udev does, and one for each card, which says
 * what profiles, routes and nodes there are. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <spa/monitor/event.h>
#include <spa/monitor/utils.h>
#include <spa/node/node.h>
#include <spa/param/audio/raw.h>
#include <spa/param/props.h>
#include <spa/pod/builder.h>
#include <spa/utils/keys.h>
#include <spa/utils/names.h>
#include <spa/utils/string.h>

#include "../FixtureCard/model.h"
#include "plugin.h"

/* A card that has a file. */
struct known_card {
    struct card card;
    struct known_card *next;
    uint32_t id;
    char path[256];
    /* As the session manager's rules for ALSA make it. */
    char name[160];
};

/* What finds the cards. */
struct monitor {
    struct spa_handle handle;
    struct spa_device device;
    struct spa_hook_list hooks;
    struct spa_loop_utils *loop;
    struct spa_source *watch;
    const char *folder;
    bool is_heard;
    uint32_t last_id;
};

/* There is one in a process. */
static struct monitor *monitor;
static struct known_card *cards;

/* MARK: - A card */

struct device_handle {
    struct spa_handle handle;
    struct card *card;
};

uint32_t describe_more(const struct card *card, struct spa_dict_item *items) {
    const struct known_card *known = SPA_CONTAINER_OF(card, struct known_card, card);
    items[0] = SPA_DICT_ITEM_INIT(KEY_CARD, known->path);
    /* Takes the place of the card's own. With another one the session manager would not use the name again. */
    items[1] = SPA_DICT_ITEM_INIT(SPA_KEY_DEVICE_NAME, known->name);
    return 2;
}

void show_card(struct card *card) {
    const struct known_card *known = SPA_CONTAINER_OF(card, struct known_card, card);
    struct description description;
    char number[16];
    struct spa_dict_item items[16 + MOST_PROPERTIES];
    if (!monitor->is_heard) return;
    describe(card, &description);
    uint32_t count = description.dictionary.n_items;
    memcpy(items, description.dictionary.items, count * sizeof(*items));
    /* The session manager puts it before the name. */
    const char *prefix = "alsa_card.";
    for (uint32_t index = 0; index < count; index++)
        if (spa_streq(items[index].key, SPA_KEY_DEVICE_NAME) && spa_strstartswith(items[index].value, prefix))
            items[index].value += strlen(prefix);
    snprintf(number, sizeof(number), "%u", known->id);
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_API_ALSA_CARD, number);
    struct spa_device_object_info info = SPA_DEVICE_OBJECT_INFO_INIT();
    info.type = SPA_TYPE_INTERFACE_Device;
    info.factory_name = SPA_NAME_API_ALSA_PCM_DEVICE;
    info.change_mask = SPA_DEVICE_OBJECT_CHANGE_MASK_FLAGS | SPA_DEVICE_OBJECT_CHANGE_MASK_PROPS;
    info.props = &SPA_DICT_INIT(items, count);
    spa_device_emit_object_info(&monitor->hooks, known->id, &info);
}

void hide_card(struct card *card) {
    const struct known_card *known = SPA_CONTAINER_OF(card, struct known_card, card);
    spa_device_emit_object_info(&monitor->hooks, known->id, NULL);
}

static void tell_node(struct card *card, uint32_t number) {
    const struct known_card *known = SPA_CONTAINER_OF(card, struct known_card, card);
    const struct device_plan *plan = &card->plan->devices[number];
    bool is_sink = plan->direction == SPA_DIRECTION_OUTPUT;
    struct spa_dict_item items[16 + MOST_PROPERTIES];
    uint32_t count = 0;
    char text[16], path[128], name[256];
    node_path(card->shared, number, path, sizeof(path));
    snprintf(text, sizeof(text), "%u", number);
    items[count++] = SPA_DICT_ITEM_INIT(KEY_CARD, known->path);
    items[count++] = SPA_DICT_ITEM_INIT(KEY_NUMBER, text);
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_OBJECT_PATH, path);
    items[count++] = SPA_DICT_ITEM_INIT("card.profile.device", text);
    items[count++] = SPA_DICT_ITEM_INIT("device.profile.description", plan->description);
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_DEVICE_API, card->plan->api);
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_API_ALSA_PCM_STREAM, is_sink ? "playback" : "capture");
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_AUDIO_CHANNELS, "2");
    items[count++] = SPA_DICT_ITEM_INIT(SPA_KEY_AUDIO_POSITION, "[ FL, FR ]");
    /* What comes out of the plug is as loud as the volume says. */
    items[count++] = SPA_DICT_ITEM_INIT("monitor.channel-volumes", "true");
    /* The session manager gives a name to those of ALSA. */
    if (!spa_strstartswith(plan->prefix, "alsa")) {
        const char *instance = card->shared->instance;
        snprintf(name, sizeof(name), "%s.%s%s%s.%s", plan->prefix, strchr(card->plan->name, '.') + 1,
                 instance[0] != '\0' ? "." : "", instance, plan->suffix);
        items[count++] = SPA_DICT_ITEM_INIT("node.name", name);
    }
    for (int index = 0; index < MOST_PROPERTIES && plan->properties[index].key != NULL; index++) {
        items[count++] = SPA_DICT_ITEM_INIT(plan->properties[index].key, plan->properties[index].value);
        /* Or the session manager would set both. */
        if (spa_streq(plan->properties[index].key, "priority.session"))
            items[count++] = SPA_DICT_ITEM_INIT("priority.driver", plan->properties[index].value);
    }
    struct spa_device_object_info info = SPA_DEVICE_OBJECT_INFO_INIT();
    info.type = SPA_TYPE_INTERFACE_Node;
    info.factory_name = is_sink ? SPA_NAME_API_ALSA_PCM_SINK : SPA_NAME_API_ALSA_PCM_SOURCE;
    info.change_mask = SPA_DEVICE_OBJECT_CHANGE_MASK_PROPS;
    info.props = &SPA_DICT_INIT(items, count);
    note("node %s", path);
    spa_device_emit_object_info(&card->hooks, number, &info);
    apply_volumes(&card->devices[number]);
}

static bool has_node(const struct card *card, uint32_t number) {
    return (card->plan->profiles[card->profile].devices & ONLY(number)) != 0;
}

void tell_nodes(struct card *card) {
    for (uint32_t number = 0; number < card->plan->device_count; number++)
        if (has_node(card, number)) tell_node(card, number);
}

void make_nodes(struct card *card) {
    for (uint32_t number = 0; number < card->plan->device_count; number++)
        if (has_node(card, number) && card->shared->devices[number].node == SPA_ID_INVALID) tell_node(card, number);
}

void remove_nodes(struct card *card, uint32_t keep) {
    for (uint32_t number = 0; number < card->plan->device_count; number++)
        if ((keep & ONLY(number)) == 0) spa_device_emit_object_info(&card->hooks, number, NULL);
}

void apply_volumes(struct device *device) {
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof(buffer));
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(&builder, &frame, SPA_TYPE_EVENT_Device, SPA_DEVICE_EVENT_ObjectConfig);
    spa_pod_builder_add(&builder, SPA_EVENT_DEVICE_Object, SPA_POD_Int(device->number), 0);
    spa_pod_builder_prop(&builder, SPA_EVENT_DEVICE_Props, 0);
    spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_Props, SPA_EVENT_DEVICE_Props, SPA_PROP_mute, SPA_POD_Bool(device->muted),
        SPA_PROP_softMute, SPA_POD_Bool(device->muted), SPA_PROP_channelVolumes,
        SPA_POD_Array(sizeof(float), SPA_TYPE_Float, CHANNELS, device->volumes), SPA_PROP_softVolumes,
        SPA_POD_Array(sizeof(float), SPA_TYPE_Float, CHANNELS, device->volumes));
    struct spa_event *event = spa_pod_builder_pop(&builder, &frame);
    spa_device_emit_event(&device->card->hooks, event);
}

/* The latency of a source is what its node says, and that one is the daemon's. */
bool set_latency(struct card *card, uint32_t port, double milliseconds) {
    (void)card, (void)port, (void)milliseconds;
    return false;
}

static int get_card(struct spa_handle *handle, const char *type, void **interface) {
    struct device_handle *this = (struct device_handle *)handle;
    if (!spa_streq(type, SPA_TYPE_INTERFACE_Device)) return -ENOENT;
    *interface = &this->card->object;
    return 0;
}

static int clear_card(struct spa_handle *handle) {
    (void)handle;
    return 0;
}

static int init_card(const struct spa_handle_factory *factory, struct spa_handle *handle, const struct spa_dict *info,
                     const struct spa_support *support, uint32_t support_count) {
    struct device_handle *this = (struct device_handle *)handle;
    const char *path = info != NULL ? spa_dict_lookup(info, KEY_CARD) : NULL;
    (void)factory, (void)support, (void)support_count;
    for (struct known_card *known = cards; known != NULL && path != NULL; known = known->next) {
        if (!spa_streq(known->path, path)) continue;
        handle->get_interface = get_card;
        handle->clear = clear_card;
        this->card = &known->card;
        return 0;
    }
    return -ENODEV;
}

/* MARK: - Finding them */

static void add_card(const char *file) {
    struct known_card *known = calloc(1, sizeof(*known));
    if (known == NULL) return;
    snprintf(known->path, sizeof(known->path), "%s/%s", monitor->folder, file);
    struct card *card = &known->card;
    card->shared = map_card(known->path);
    card->plan = card->shared != NULL ? find_plan(card->shared->kind) : NULL;
    card->loop = monitor->loop;
    known->id = monitor->last_id++;
    if (card->plan == NULL) {
        note("no card in %s", known->path);
        free(known);
        return;
    }
    char name[128];
    card_name(card->shared, card->plan, name, sizeof(name));
    snprintf(known->name, sizeof(known->name), "%s%s", spa_strstartswith(name, "alsa_card.") ? "" : "alsa_card.", name);
    card_init(card);
    known->next = cards;
    cards = known;
    if (card->shared->present) appear(card);
    int result = serve(card);
    note("card %s: %s", known->path, strerror(-result));
}

static void remove_card(struct known_card *known) {
    struct known_card **place = &cards;
    while (*place != known) place = &(*place)->next;
    *place = known->next;
    stop_serving(&known->card);
    if (known->card.shared->present) hide_card(&known->card);
    unmap_card(known->card.shared);
    free(known);
}

static void read_folder(void *data, int descriptor, uint32_t mask) {
    _Alignas(struct inotify_event) char events[4096];
    (void)data, (void)mask;
    ssize_t size = read(descriptor, events, sizeof(events));
    for (ssize_t place = 0; place < size;) {
        const struct inotify_event *event = (const struct inotify_event *)(events + place);
        place += (ssize_t)(sizeof(*event) + event->len);
        if (!spa_strendswith(event->name, ".card")) continue;
        if ((event->mask & IN_MOVED_TO) != 0) add_card(event->name);
        for (struct known_card *known = cards, *next; (event->mask & IN_DELETE) != 0 && known != NULL; known = next) {
            next = known->next;
            if (spa_strendswith(known->path, event->name)) remove_card(known);
        }
    }
}

static int find_cards(void *object, struct spa_hook *listener, const struct spa_device_events *events, void *data) {
    struct monitor *this = object;
    struct spa_device_info info = SPA_DEVICE_INFO_INIT();
    struct spa_dict_item items[] = {{SPA_KEY_DEVICE_API, "udev"}, {SPA_KEY_DEVICE_NICK, "alsa-udev"}};
    spa_hook_list_append(&this->hooks, listener, events, data);
    info.props = &SPA_DICT_INIT_ARRAY(items);
    info.change_mask = SPA_DEVICE_CHANGE_MASK_PROPS;
    spa_device_emit_info(&this->hooks, &info);
    if (this->is_heard) return 0;
    this->is_heard = true;
    int descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (descriptor < 0 || inotify_add_watch(descriptor, this->folder, IN_MOVED_TO | IN_DELETE) < 0) return -errno;
    this->watch = spa_loop_utils_add_io(this->loop, descriptor, SPA_IO_IN, true, read_folder, this);
    DIR *folder = opendir(this->folder);
    for (struct dirent *file; folder != NULL && (file = readdir(folder)) != NULL;)
        if (spa_strendswith(file->d_name, ".card")) add_card(file->d_name);
    if (folder != NULL) closedir(folder);
    return 0;
}

static const struct spa_device_methods monitor_methods = {SPA_VERSION_DEVICE_METHODS, .add_listener = find_cards};

static int get_monitor(struct spa_handle *handle, const char *type, void **interface) {
    struct monitor *this = (struct monitor *)handle;
    if (!spa_streq(type, SPA_TYPE_INTERFACE_Device)) return -ENOENT;
    *interface = &this->device;
    return 0;
}

static int clear_monitor(struct spa_handle *handle) {
    struct monitor *this = (struct monitor *)handle;
    spa_hook_list_clean(&this->hooks);
    while (cards != NULL) remove_card(cards);
    if (this->watch != NULL) spa_loop_utils_destroy_source(this->loop, this->watch);
    monitor = NULL;
    return 0;
}

static int init_monitor(const struct spa_handle_factory *factory, struct spa_handle *handle, const struct spa_dict *info,
                        const struct spa_support *support, uint32_t support_count) {
    struct monitor *this = (struct monitor *)handle;
    (void)factory, (void)info;
    this->folder = getenv("FIXTURE_CARD_FOLDER");
    this->loop = spa_support_find(support, support_count, SPA_TYPE_INTERFACE_LoopUtils);
    if (this->folder == NULL || this->loop == NULL || monitor != NULL) return -EINVAL;
    handle->get_interface = get_monitor;
    handle->clear = clear_monitor;
    spa_hook_list_init(&this->hooks);
    this->device.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Device, SPA_VERSION_DEVICE, &monitor_methods, this);
    monitor = this;
    return 0;
}

static size_t monitor_size(const struct spa_handle_factory *factory, const struct spa_dict *info) {
    (void)factory, (void)info;
    return sizeof(struct monitor);
}

static size_t device_size(const struct spa_handle_factory *factory, const struct spa_dict *info) {
    (void)factory, (void)info;
    return sizeof(struct device_handle);
}

static int tell_interface(const struct spa_handle_factory *factory, const struct spa_interface_info **info,
                          uint32_t *index) {
    static const struct spa_interface_info device = {SPA_TYPE_INTERFACE_Device};
    (void)factory;
    if (*index > 0) return 0;
    *info = &device;
    ++*index;
    return 1;
}

const struct spa_handle_factory monitor_factory = {
    SPA_VERSION_HANDLE_FACTORY, SPA_NAME_API_ALSA_ENUM_UDEV, NULL, monitor_size, init_monitor, tell_interface};
const struct spa_handle_factory device_factory = {
    SPA_VERSION_HANDLE_FACTORY, SPA_NAME_API_ALSA_ACP_DEVICE, NULL, device_size, init_card, tell_interface};
