/* A module for the PipeWire daemon that causes faults, for Tests/bin/faults: it loads and unloads modules while the daemon
 * runs, and destroys objects inside the daemon's callbacks.
 *
 * It reads commands from the pipe `faults` in XDG_RUNTIME_DIR:
 *
 *   load NAME                load a module
 *   unload NAME              unload a module
 *   destroy EVENT OBJECT N   destroy OBJECT inside the Nth callback EVENT from now on
 *
 * The events are global-added, global-removed, node-info, node-state, node-active, link-state, link-info, device-info,
 * client-info, and resource-added. The objects are self (the callback's object), client (the client that owns that
 * object), link, node, sink, device (the first one of each) and module (ours). Each action is printed to standard
 * error. */
#include <errno.h>
#include <fcntl.h>
#include <pipewire/impl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ours[] = "libpipewire-module-audio-session";

struct faults {
    struct pw_context *context;
    struct spa_source *source;
    struct spa_hook module_listener, context_listener;
    char event[32], object[32];
    int left;
    struct spa_list watches;
};

/* A listener on one object, which ends with the object. */
struct watch {
    struct spa_list link;
    struct faults *faults;
    struct pw_global *global;
    struct spa_hook listener, global_listener;
};

struct search {
    const char *type, *name, *class;
    struct pw_global *found;
};

static int find(void *data, struct pw_global *global) {
    struct search *search = data;
    if (search->found != NULL || !pw_global_is_type(global, search->type)) return 0;
    const struct pw_properties *properties = pw_global_get_properties(global);
    const char *class = properties == NULL ? NULL : pw_properties_get(properties, PW_KEY_MEDIA_CLASS);
    if (search->class != NULL && (class == NULL || strstr(class, search->class) == NULL)) return 0;
    if (search->name != NULL &&
        strcmp(pw_impl_module_get_info(pw_global_get_object(global))->name, search->name) != 0)
        return 0;
    search->found = global;
    return 0;
}

static struct pw_global *first(struct faults *faults, const char *type, const char *name, const char *class) {
    struct search search = {.type = type, .name = name, .class = class};
    pw_context_for_each_global(faults->context, find, &search);
    return search.found;
}

static struct pw_global *client_of(struct faults *faults, struct pw_global *global) {
    const struct pw_properties *properties = pw_global_get_properties(global);
    const char *id = properties == NULL ? NULL : pw_properties_get(properties, PW_KEY_CLIENT_ID);
    return id == NULL ? NULL : pw_context_find_global(faults->context, (uint32_t)atoi(id));
}

/* Destroys an object, unless it is the daemon's own, such as its core. */
static void destroy(struct pw_global *global) {
    void *object = pw_global_get_object(global);
    if (object == NULL) return;
    if (pw_global_is_type(global, PW_TYPE_INTERFACE_Node)) pw_impl_node_destroy(object);
    else if (pw_global_is_type(global, PW_TYPE_INTERFACE_Link)) pw_impl_link_destroy(object);
    else if (pw_global_is_type(global, PW_TYPE_INTERFACE_Client)) pw_impl_client_destroy(object);
    else if (pw_global_is_type(global, PW_TYPE_INTERFACE_Device)) pw_impl_device_destroy(object);
    else if (pw_global_is_type(global, PW_TYPE_INTERFACE_Module)) pw_impl_module_destroy(object);
}

static void happened(struct faults *faults, const char *event, struct pw_global *global) {
    if (faults->left == 0 || strcmp(event, faults->event) != 0) return;
    if (--faults->left > 0) return;
    struct pw_global *victim = NULL;
    if (strcmp(faults->object, "self") == 0) victim = global;
    if (strcmp(faults->object, "client") == 0) victim = client_of(faults, global);
    if (strcmp(faults->object, "link") == 0) victim = first(faults, PW_TYPE_INTERFACE_Link, NULL, NULL);
    if (strcmp(faults->object, "node") == 0) victim = first(faults, PW_TYPE_INTERFACE_Node, NULL, "Stream/Output");
    if (strcmp(faults->object, "sink") == 0) victim = first(faults, PW_TYPE_INTERFACE_Node, NULL, "Audio/Sink");
    if (strcmp(faults->object, "device") == 0) victim = first(faults, PW_TYPE_INTERFACE_Device, NULL, NULL);
    if (strcmp(faults->object, "module") == 0) victim = first(faults, PW_TYPE_INTERFACE_Module, ours, NULL);
    if (victim == NULL) {
        /* No such object: try again at the next callback. */
        faults->left = 1;
        return;
    }
    fprintf(stderr, "faults: destroys %s %u inside %s of %u\n", pw_global_get_type(victim), pw_global_get_id(victim), event,
            global == NULL ? 0 : pw_global_get_id(global));
    destroy(victim);
    fprintf(stderr, "faults: destroyed\n");
}

#define HAPPENED(name, event, ...) \
    static void name(void *data, ##__VA_ARGS__) { \
        struct watch *watch = data; \
        happened(watch->faults, event, watch->global); \
    }
#define UNUSED __attribute__((unused))

HAPPENED(node_info, "node-info", UNUSED const struct pw_node_info *info)
HAPPENED(node_active, "node-active", UNUSED bool active)
HAPPENED(node_state, "node-state", UNUSED enum pw_node_state old, UNUSED enum pw_node_state state, UNUSED const char *error)
HAPPENED(link_info, "link-info", UNUSED const struct pw_link_info *info)
HAPPENED(link_state, "link-state", UNUSED enum pw_link_state old, UNUSED enum pw_link_state state, UNUSED const char *error)
HAPPENED(device_info, "device-info", UNUSED const struct pw_device_info *info)
HAPPENED(client_info, "client-info", UNUSED const struct pw_client_info *info)
HAPPENED(resource_added, "resource-added", UNUSED struct pw_resource *resource)

static const struct pw_impl_node_events node_events = {
    PW_VERSION_IMPL_NODE_EVENTS, .info_changed = node_info, .active_changed = node_active, .state_changed = node_state};
static const struct pw_impl_link_events link_events = {
    PW_VERSION_IMPL_LINK_EVENTS, .info_changed = link_info, .state_changed = link_state};
static const struct pw_impl_device_events device_events = {PW_VERSION_IMPL_DEVICE_EVENTS, .info_changed = device_info};
static const struct pw_impl_client_events client_events = {
    PW_VERSION_IMPL_CLIENT_EVENTS, .info_changed = client_info, .resource_added = resource_added};

static void forget(struct watch *watch) {
    spa_list_remove(&watch->link);
    spa_hook_remove(&watch->listener);
    spa_hook_remove(&watch->global_listener);
    free(watch);
}

static void global_destroyed(void *data) { forget(data); }

static const struct pw_global_events global_events = {PW_VERSION_GLOBAL_EVENTS, .destroy = global_destroyed};

static int observe(void *data, struct pw_global *global) {
    struct faults *faults = data;
    void *object = pw_global_get_object(global);
    struct watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL || object == NULL) {
        free(watch);
        return 0;
    }
    watch->faults = faults;
    watch->global = global;
    if (pw_global_is_type(global, PW_TYPE_INTERFACE_Node)) pw_impl_node_add_listener(object, &watch->listener, &node_events, watch);
    else if (pw_global_is_type(global, PW_TYPE_INTERFACE_Link)) pw_impl_link_add_listener(object, &watch->listener, &link_events, watch);
    else if (pw_global_is_type(global, PW_TYPE_INTERFACE_Device)) pw_impl_device_add_listener(object, &watch->listener, &device_events, watch);
    else if (pw_global_is_type(global, PW_TYPE_INTERFACE_Client)) pw_impl_client_add_listener(object, &watch->listener, &client_events, watch);
    else {
        free(watch);
        return 0;
    }
    spa_list_append(&faults->watches, &watch->link);
    pw_global_add_listener(global, &watch->global_listener, &global_events, watch);
    return 0;
}

static void global_added(void *data, struct pw_global *global) {
    struct faults *faults = data;
    observe(faults, global);
    happened(faults, "global-added", global);
}

static void global_removed(void *data, struct pw_global *global) { happened(data, "global-removed", global); }

static const struct pw_context_events context_events = {
    PW_VERSION_CONTEXT_EVENTS, .global_added = global_added, .global_removed = global_removed};

/* Adds the listeners again, so that they are called last: all other listeners still find the object of the event. */
static void move_to_end(struct faults *faults) {
    struct watch *watch, *next;
    spa_list_for_each_safe(watch, next, &faults->watches, link) forget(watch);
    spa_hook_remove(&faults->context_listener);
    pw_context_add_listener(faults->context, &faults->context_listener, &context_events, faults);
    pw_context_for_each_global(faults->context, observe, faults);
}

static void obey(struct faults *faults, char *line) {
    char name[128] = "";
    if (sscanf(line, "load %127s", name) == 1) {
        if (pw_context_load_module(faults->context, name, NULL, NULL) == NULL) fprintf(stderr, "faults: no %s\n", name);
    } else if (sscanf(line, "unload %127s", name) == 1) {
        struct pw_global *module = first(faults, PW_TYPE_INTERFACE_Module, name, NULL);
        if (module != NULL) destroy(module);
    } else {
        move_to_end(faults);
        sscanf(line, "destroy %31s %31s %d", faults->event, faults->object, &faults->left);
    }
}

static void commanded(void *data, int pipe, uint32_t mask) {
    char text[1024], *rest = text;
    (void)mask;
    ssize_t length = read(pipe, text, sizeof text - 1);
    if (length <= 0) return;
    text[length] = '\0';
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (*line != '\0') obey(data, line);
}

static void leave(void *data) {
    struct faults *faults = data;
    struct watch *watch, *next;
    spa_list_for_each_safe(watch, next, &faults->watches, link) forget(watch);
    spa_hook_remove(&faults->module_listener);
    spa_hook_remove(&faults->context_listener);
    pw_loop_destroy_source(pw_context_get_main_loop(faults->context), faults->source);
    free(faults);
}

static const struct pw_impl_module_events module_events = {PW_VERSION_IMPL_MODULE_EVENTS, .destroy = leave};

__attribute__((visibility("default"))) int pipewire__module_init(struct pw_impl_module *module, const char *arguments) {
    char path[108];
    const char *folder = getenv("XDG_RUNTIME_DIR");
    (void)arguments;
    if (folder == NULL || snprintf(path, sizeof path, "%s/faults", folder) >= (int)sizeof path) return -EINVAL;
    if (mkfifo(path, 0600) != 0 && errno != EEXIST) return -errno;
    /* Open for writing too, so that the pipe stays open when a writer closes it. */
    int pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    struct faults *faults = pipe < 0 ? NULL : calloc(1, sizeof *faults);
    if (faults == NULL) return -errno;
    spa_list_init(&faults->watches);
    faults->context = pw_impl_module_get_context(module);
    faults->source = pw_loop_add_io(pw_context_get_main_loop(faults->context), pipe, SPA_IO_IN, true, commanded, faults);
    pw_impl_module_add_listener(module, &faults->module_listener, &module_events, faults);
    pw_context_add_listener(faults->context, &faults->context_listener, &context_events, faults);
    pw_context_for_each_global(faults->context, observe, faults);
    return 0;
}
