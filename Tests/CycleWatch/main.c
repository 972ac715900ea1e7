/* Says which nodes of PipeWire's graph have not finished a cycle when the next one began, which costs sound. The daemon's own
 * log says so of one cycle in two seconds.
 *
 *   cycle-watch    prints a line for each such node and cycle, with the clock of PipeWire's logs, until it is ended
 *
 * The daemon tells of its cycles some at a time, within a second. After each such time a line that ends with "seen" says up to
 * which moment. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <pipewire/impl.h>
#include <pipewire/pipewire.h>
#include <pipewire/extensions/profiler.h>
#include <spa/param/profiler.h>
#include <spa/pod/iter.h>
#include <spa/pod/parser.h>

/* As in the activation of a node: it was told to begin, or has begun. */
enum { TRIGGERED = 1, AWAKE = 2 };

/* How many cycles a node had missed when it was last told of. Numbers of nodes are small, and are used again. */
enum { NODES = 4096 };
static struct {
    int id, count;
} missed[NODES];

/* Whether a node has missed a cycle since it was last told of. */
static int has_missed(int id, int count) {
    unsigned place = (unsigned)id % NODES;
    int is_more = missed[place].id == id && count > missed[place].count;
    missed[place].id = id;
    missed[place].count = count;
    return is_more;
}

struct watch {
    struct pw_main_loop *loop;
    struct pw_registry *registry;
    struct pw_proxy *profiler;
    struct spa_hook core_listener, registry_listener, profiler_listener;
};

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void print(int64_t moment, const char *text) {
    printf("[I][%05lld.%06lld] %s\n", (long long)(moment / 1000000000), (long long)(moment / 1000 % 1000000), text);
    fflush(stdout);
}

/* Returns when the cycle began. */
static int64_t look(const struct spa_pod *profile) {
    int64_t position = 0, signal = 0;
    struct spa_pod_prop *property;
    SPA_POD_OBJECT_FOREACH((struct spa_pod_object *)profile, property) {
        struct spa_fraction latency;
        int32_t id, status, count;
        int64_t before, begin, awake, end;
        const char *name;
        if (property->key == SPA_PROFILER_clock) {
            int32_t flags, number;
            int64_t moment;
            struct spa_fraction rate;
            if (spa_pod_parse_struct(
                    &property->value, SPA_POD_Int(&flags), SPA_POD_Int(&number), SPA_POD_String(&name), SPA_POD_Long(&moment),
                    SPA_POD_Fraction(&rate), SPA_POD_Long(&position)) < 0)
                return 0;
        }
        if (property->key != SPA_PROFILER_driverBlock && property->key != SPA_PROFILER_followerBlock) continue;
        if (spa_pod_parse_struct(
                &property->value, SPA_POD_Int(&id), SPA_POD_String(&name), SPA_POD_Long(&before), SPA_POD_Long(&begin),
                SPA_POD_Long(&awake), SPA_POD_Long(&end), SPA_POD_Int(&status)) < 0)
            continue;
        if (property->key == SPA_PROFILER_driverBlock) {
            signal = begin + nanoseconds(CLOCK_MONOTONIC_RAW) - nanoseconds(CLOCK_MONOTONIC);
            continue;
        }
        /* Since 0.3.71 the daemon counts. Since 1.2 a node may take until the next cycle, and at the end of this one it may
         * not even have begun. */
        int counts = spa_pod_parse_struct(
                         &property->value, SPA_POD_Int(&id), SPA_POD_String(&name), SPA_POD_Long(&before),
                         SPA_POD_Long(&begin), SPA_POD_Long(&awake), SPA_POD_Long(&end), SPA_POD_Int(&status),
                         SPA_POD_Fraction(&latency), SPA_POD_Int(&count)) >= 0;
        if (counts ? has_missed(id, count) : status == TRIGGERED || status == AWAKE) {
            char text[512];
            snprintf(text, sizeof(text), "pw.node | (%s-%d) missed a cycle, pos:%lld", name, id, (long long)position);
            print(signal, text);
        }
    }
    return signal;
}

static void profiled(void *data, const struct spa_pod *pod) {
    struct spa_pod *profile;
    int64_t seen = 0;
    (void)data;
    SPA_POD_STRUCT_FOREACH(pod, profile) {
        if (spa_pod_is_object_type(profile, SPA_TYPE_OBJECT_Profiler)) seen = SPA_MAX(seen, look(profile));
    }
    if (seen != 0) print(seen, "seen");
}

static const struct pw_profiler_events profiler_events = {PW_VERSION_PROFILER_EVENTS, .profile = profiled};

static void found(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *properties) {
    struct watch *watch = data;
    (void)permissions, (void)version, (void)properties;
    if (watch->profiler != NULL || strcmp(type, PW_TYPE_INTERFACE_Profiler) != 0) return;
    watch->profiler = pw_registry_bind(watch->registry, id, type, PW_VERSION_PROFILER, 0);
    if (watch->profiler != NULL)
        pw_proxy_add_object_listener(watch->profiler, &watch->profiler_listener, &profiler_events, watch);
}

static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = found};

static void failed(void *data, uint32_t id, int sequence, int result, const char *message) {
    struct watch *watch = data;
    (void)sequence, (void)result, (void)message;
    if (id == PW_ID_CORE) pw_main_loop_quit(watch->loop);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .error = failed};

int main(void) {
    struct watch watch = {0};
    pw_init(NULL, NULL);
    watch.loop = pw_main_loop_new(NULL);
    struct pw_context *context = pw_context_new(pw_main_loop_get_loop(watch.loop), NULL, 0);
    /* Which knows how to read what the daemon tells of its cycles. */
    pw_context_load_module(context, PW_EXTENSION_MODULE_PROFILER, NULL, NULL);
    struct pw_core *core = pw_context_connect(context, NULL, 0);
    if (core == NULL) {
        fprintf(stderr, "cycle-watch: no server\n");
        return 1;
    }
    pw_core_add_listener(core, &watch.core_listener, &core_events, &watch);
    watch.registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(watch.registry, &watch.registry_listener, &registry_events, &watch);
    pw_main_loop_run(watch.loop);
    return 0;
}
