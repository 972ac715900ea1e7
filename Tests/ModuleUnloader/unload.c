// A PipeWire module for tests, which unloads another one: the one whose name is written to the pipe `unload` in
// XDG_RUNTIME_DIR. Clients could do that with `pw-cli destroy` once; since 0.3.77 no client may. With a + before the name it is
// loaded, which clients could never have done. A ~ and a number of milliseconds makes the main loop wait that long at each
// of its turns; the number has to be below 1000.

#include "include/ModuleUnloader.h"

#include <errno.h>
#include <fcntl.h>
#include <pipewire/impl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct unloader {
    struct pw_context *context;
    struct spa_hook turns;
    unsigned delay;
    struct spa_source *source;
    struct spa_hook listener;
};

struct search {
    char name[128];
    struct pw_impl_module *found;
};

static int find(void *data, struct pw_global *global) {
    struct search *search = data;
    if (!pw_global_is_type(global, PW_TYPE_INTERFACE_Module)) return 0;
    struct pw_impl_module *module = pw_global_get_object(global);
    if (strcmp(pw_impl_module_get_info(module)->name, search->name) == 0) search->found = module;
    return 0;
}

static void turn(void *data) {
    struct unloader *unloader = data;
    if (unloader->delay > 0) usleep(unloader->delay * 1000);
}

static const struct spa_loop_control_hooks hooks = {.version = SPA_VERSION_LOOP_CONTROL_HOOKS, .after = turn};

static void unload(void *data, int pipe, uint32_t mask) {
    struct unloader *unloader = data;
    struct search search = {0};
    (void) mask;
    if (read(pipe, search.name, sizeof search.name - 1) <= 0) return;
    if (search.name[0] == '+') {
        pw_context_load_module(unloader->context, search.name + 1, NULL, NULL);
        return;
    }
    if (search.name[0] == '~') {
        unloader->delay = (unsigned) atoi(search.name + 1) % 1000;
        return;
    }
    pw_context_for_each_global(unloader->context, find, &search);
    if (search.found) pw_impl_module_destroy(search.found);
}

static void leave(void *data) {
    struct unloader *unloader = data;
    spa_hook_remove(&unloader->listener);
    spa_hook_remove(&unloader->turns);
    pw_loop_destroy_source(pw_context_get_main_loop(unloader->context), unloader->source);
    free(unloader);
}

static const struct pw_impl_module_events events = {.version = PW_VERSION_IMPL_MODULE_EVENTS, .destroy = leave};

int pipewire__module_init(struct pw_impl_module *module, const char *arguments) {
    char path[108];
    const char *folder = getenv("XDG_RUNTIME_DIR");
    (void) arguments;
    if (folder == NULL || snprintf(path, sizeof path, "%s/unload", folder) >= (int) sizeof path) return -EINVAL;
    if (mkfifo(path, 0600) != 0 && errno != EEXIST) return -errno;
    // For writing too, so that it stays open when a writer has gone.
    int pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    struct unloader *unloader = pipe < 0 ? NULL : calloc(1, sizeof *unloader);
    if (unloader == NULL) return -errno;
    unloader->context = pw_impl_module_get_context(module);
    unloader->source =
        pw_loop_add_io(pw_context_get_main_loop(unloader->context), pipe, SPA_IO_IN, true, unload, unloader);
    pw_loop_add_hook(pw_context_get_main_loop(unloader->context), &unloader->turns, &hooks, unloader);
    pw_impl_module_add_listener(module, &unloader->listener, &events, unloader);
    return 0;
}
