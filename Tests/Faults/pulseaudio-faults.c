/* A module for the PulseAudio daemon that destroys objects inside the daemon's hooks, for Tests/bin/faults.
 *
 *   load-module module-test-faults hook=HOOK priority=early|late object=OBJECT [count=N]
 *
 * Destroys the object once, inside the Nth call of the hook. The hooks are input-new, input-put, input-state,
 * input-moved, input-volume, input-mute, input-proplist, input-unlink, input-event, client-put, sink-put, sink-state
 * and default-sink. The objects are input (the hook's stream if it plays, otherwise the first one), other (a stream
 * other than the hook's), client (the client of such a stream), module (ours, unloaded at once) and request (ours, by a
 * request to be unloaded). */
#include <config.h>

#include <string.h>

#include <pulse/xmalloc.h>
#include <pulsecore/client.h>
#include <pulsecore/core-util.h>
#include <pulsecore/core.h>
#include <pulsecore/modargs.h>
#include <pulsecore/module.h>
#include <pulsecore/sink-input.h>

PA_MODULE_DESCRIPTION("Destroys objects, for tests");
PA_MODULE_VERSION(PACKAGE_VERSION);
PA_MODULE_LOAD_ONCE(true);

static const char *const argument_names[] = {"hook", "priority", "object", "count", NULL};
static const struct {
    const char *name;
    pa_core_hook_t hook;
    bool is_about_input;
} hooks[] = {
    {"input-put", PA_CORE_HOOK_SINK_INPUT_PUT, true},
    {"input-state", PA_CORE_HOOK_SINK_INPUT_STATE_CHANGED, true},
    {"input-moved", PA_CORE_HOOK_SINK_INPUT_MOVE_FINISH, true},
    {"input-volume", PA_CORE_HOOK_SINK_INPUT_VOLUME_CHANGED, true},
    {"input-mute", PA_CORE_HOOK_SINK_INPUT_MUTE_CHANGED, true},
    {"input-proplist", PA_CORE_HOOK_SINK_INPUT_PROPLIST_CHANGED, true},
    {"input-unlink", PA_CORE_HOOK_SINK_INPUT_UNLINK, true},
    {"input-event", PA_CORE_HOOK_SINK_INPUT_SEND_EVENT, false},
    {"client-put", PA_CORE_HOOK_CLIENT_PUT, false},
    {"sink-put", PA_CORE_HOOK_SINK_PUT, false},
    {"sink-state", PA_CORE_HOOK_SINK_STATE_CHANGED, false},
    {"default-sink", PA_CORE_HOOK_DEFAULT_SINK_CHANGED, false},
};

struct faults {
    char *object;
    uint32_t left;
    bool is_about_input;
};

static pa_sink_input *some_input(pa_core *core, pa_sink_input *but) {
    uint32_t index;
    pa_sink_input *input;
    PA_IDXSET_FOREACH(input, core->sink_inputs, index)
        if (input != but && input->client != NULL && PA_SINK_INPUT_IS_LINKED(input->state)) return input;
    return NULL;
}

static pa_hook_result_t happened(pa_core *core, void *what, struct faults *faults) {
    if (faults->left == 0 || --faults->left > 0) return PA_HOOK_OK;
    pa_sink_input *own = faults->is_about_input ? what : NULL;
    if (pa_streq(faults->object, "module") || pa_streq(faults->object, "request")) {
        uint32_t index;
        pa_module *module;
        PA_IDXSET_FOREACH(module, core->modules, index)
            if (pa_streq(module->name, "module-audio-session")) {
                pa_log_error("faults: unloads %s", module->name);
                if (pa_streq(faults->object, "module")) pa_module_unload(module, true);
                else pa_module_unload_request(module, true);
                break;
            }
        return PA_HOOK_OK;
    }
    pa_sink_input *input = pa_streq(faults->object, "other") || own == NULL ? some_input(core, own) : own;
    if (input == NULL || !PA_SINK_INPUT_IS_LINKED(input->state)) {
        /* No such object: try again at the next call. */
        faults->left = 1;
        return PA_HOOK_OK;
    }
    pa_log_error("faults: destroys %s %u", faults->object, input->index);
    if (pa_streq(faults->object, "client")) pa_client_kill(input->client);
    else pa_sink_input_kill(input);
    pa_log_error("faults: destroyed");
    return PA_HOOK_OK;
}

int pa__init(pa_module *module) {
    pa_modargs *arguments = pa_modargs_new(module->argument, argument_names);
    if (arguments == NULL) return -1;
    struct faults *faults = module->userdata = pa_xnew0(struct faults, 1);
    const char *hook = pa_modargs_get_value(arguments, "hook", "");
    bool is_late = pa_streq(pa_modargs_get_value(arguments, "priority", "early"), "late");
    faults->object = pa_xstrdup(pa_modargs_get_value(arguments, "object", "input"));
    faults->left = 1;
    pa_modargs_get_value_u32(arguments, "count", &faults->left);
    for (size_t index = 0; index < PA_ELEMENTSOF(hooks); index++) {
        if (!pa_streq(hooks[index].name, hook)) continue;
        faults->is_about_input = hooks[index].is_about_input;
        /* Before all other listeners, or after them. */
        pa_module_hook_connect(module, &module->core->hooks[hooks[index].hook], is_late ? PA_HOOK_LATE + 100 : PA_HOOK_EARLY - 100,
                               (pa_hook_cb_t)happened, faults);
    }
    pa_modargs_free(arguments);
    return 0;
}

void pa__done(pa_module *module) {
    struct faults *faults = module->userdata;
    if (faults == NULL) return;
    pa_xfree(faults->object);
    pa_xfree(faults);
}
