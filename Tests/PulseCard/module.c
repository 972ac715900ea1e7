/* A sound card that does not exist, inside a PulseAudio daemon, which takes it for a real one. For tests only.
 *
 *   load-module module-fixture-card kind=KIND socket=PATH [instance=NAME] [absent=yes] [buffer=FRAMES] [lag=MILLISECONDS]
 *               [delay=MILLISECONDS]
 *
 * It has plugs that a test can pull (commands.c), and what comes out of each can be recorded (sound.c). The kinds are
 * those of the card for PipeWire (../FixtureCard/plans.c), and so are the commands. With an instance, its names differ
 * from those of another card of its kind. One that is absent is not there until it is told to appear. A buffer cannot be
 * taken back: it comes out of the plug that is in use when it comes out. With a lag, its thread comes back to what it plays only so
 * long after it has answered a message, as on a machine that has other work for it. With a delay, so does the daemon's loop when
 * a stream has been started, on whatever device: it is played meanwhile, and other modules have not heard of it. */
#include "fixture.h"

#include <pulse/rtclock.h>
#include <pulse/util.h>
#include <pulse/xmalloc.h>
#include <pulsecore/modargs.h>
#include <pulsecore/sink-input.h>
#include <pulsecore/source-output.h>

PA_MODULE_DESCRIPTION("A sound card that does not exist, for tests");
PA_MODULE_VERSION(PACKAGE_VERSION);
PA_MODULE_LOAD_ONCE(false);

static const char *const argument_names[] = {"kind", "socket", "instance", "absent", "buffer", "lag", "delay", NULL};

void note(const char *format, ...) {
    pa_usec_t now = pa_rtclock_now();
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    fprintf(stderr, "%llu.%06llu card: %s\n", (unsigned long long)(now / PA_USEC_PER_SEC),
            (unsigned long long)(now % PA_USEC_PER_SEC), line);
}

static pa_hook_result_t input_changed(pa_core *core, pa_sink_input *input, struct fixture *fixture) {
    (void)core;
    if (input->state == PA_SINK_INPUT_RUNNING) pa_msleep(fixture->delay);
    return PA_HOOK_OK;
}

static pa_hook_result_t output_changed(pa_core *core, pa_source_output *output, struct fixture *fixture) {
    (void)core;
    if (output->state == PA_SOURCE_OUTPUT_RUNNING) pa_msleep(fixture->delay);
    return PA_HOOK_OK;
}

static void delay_starts(struct fixture *fixture) {
    if (fixture->delay == 0) return;
    const pa_hook_priority_t first = PA_HOOK_EARLY - 1;
    pa_module_hook_connect(fixture->module, &fixture->core->hooks[PA_CORE_HOOK_SINK_INPUT_STATE_CHANGED], first,
                           (pa_hook_cb_t)input_changed, fixture);
    pa_module_hook_connect(fixture->module, &fixture->core->hooks[PA_CORE_HOOK_SOURCE_OUTPUT_STATE_CHANGED], first,
                           (pa_hook_cb_t)output_changed, fixture);
}

static bool start(struct fixture *fixture, pa_modargs *arguments) {
    const char *kind = pa_modargs_get_value(arguments, "kind", "");
    const char *socket = pa_modargs_get_value(arguments, "socket", NULL);
    bool is_absent = false;
    fixture->plan = find_plan(kind);
    if (fixture->plan == NULL || socket == NULL ||
        pa_modargs_get_value_boolean(arguments, "absent", &is_absent) < 0 ||
        pa_modargs_get_value_u32(arguments, "buffer", &fixture->held) < 0 || fixture->held > MOST_HELD ||
        pa_modargs_get_value_u32(arguments, "lag", &fixture->lag) < 0 || fixture->lag > LONGEST_LAG ||
        pa_modargs_get_value_u32(arguments, "delay", &fixture->delay) < 0 || fixture->delay > LONGEST_LAG) {
        note("wrong arguments; kind is one of");
        print_plans(stderr);
        fputc('\n', stderr);
        return false;
    }
    fixture->instance = pa_xstrdup(pa_modargs_get_value(arguments, "instance", ""));
    for (uint32_t port = 0; port < fixture->plan->port_count; port++)
        fixture->available[port] = fixture->plan->ports[port].available;
    if (!start_sound(fixture)) return false;
    delay_starts(fixture);
    if (!is_absent) appear(fixture);
    return start_server(fixture, socket);
}

int pa__init(pa_module *module) {
    pa_modargs *arguments = pa_modargs_new(module->argument, argument_names);
    if (arguments == NULL) return -1;
    struct fixture *fixture = pa_xnew0(struct fixture, 1);
    module->userdata = fixture;
    fixture->core = module->core;
    fixture->module = module;
    bool is_started = start(fixture, arguments);
    pa_modargs_free(arguments);
    if (is_started) return 0;
    pa__done(module);
    return -1;
}

void pa__done(pa_module *module) {
    struct fixture *fixture = module->userdata;
    if (fixture == NULL) return;
    stop_server(fixture);
    vanish(fixture);
    stop_sound(fixture);
    pa_xfree(fixture->instance);
    pa_xfree(fixture);
    module->userdata = NULL;
}
