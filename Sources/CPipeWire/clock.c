/* The clock of a graph, in memory that its driver and the daemon share with all nodes in it. */
#include "CPipeWire.h"

#include <stddef.h>

#include <spa/node/io.h>
#include <spa/node/utils.h>

/* Not in the headers, because only the server's own modules use this function. */
__attribute__((weak)) int pw_impl_node_set_driver(struct pw_impl_node *node, struct pw_impl_node *driver);

/* A node that is never registered, and so never runs. The daemon tells it where the clock of its driver is. */
struct probe {
    struct spa_node node;
    struct spa_hook_list hooks;
    struct spa_io_position *position;
};

static int add_listener(void *object, struct spa_hook *hook, const struct spa_node_events *events, void *data) {
    spa_hook_list_append(&((struct probe *)object)->hooks, hook, events, data);
    return 0;
}

static int set_io(void *object, uint32_t id, void *data, size_t size) {
    if (id == SPA_IO_Position)
        ((struct probe *)object)->position = size >= sizeof(struct spa_io_position) ? data : NULL;
    return 0;
}

static int send_command(void *object, const struct spa_command *command) {
    (void)object, (void)command;
    return 0;
}

static const struct spa_node_methods methods = {
    SPA_VERSION_NODE_METHODS,
    .add_listener = add_listener,
    .set_io = set_io,
    .send_command = send_command,
};

const struct spa_io_clock *cpw_node_clock(struct pw_context *context, struct pw_impl_node *driver) {
    struct probe probe = {.position = NULL};
    const struct spa_io_clock *clock = NULL;
    struct pw_impl_node *node = pw_impl_node_set_driver == NULL ? NULL : pw_context_create_node(context, NULL, 0);
    if (node == NULL) return NULL;
    probe.node.iface = SPA_INTERFACE_INIT(SPA_TYPE_INTERFACE_Node, SPA_VERSION_NODE, &methods, &probe);
    spa_hook_list_init(&probe.hooks);
    if (pw_impl_node_set_implementation(node, &probe.node) >= 0 && pw_impl_node_set_driver(node, driver) >= 0) {
        if (probe.position != NULL) clock = &probe.position->clock;
        pw_impl_node_set_driver(node, NULL);
    }
    pw_impl_node_destroy(node);
    return clock;
}

/* The daemon's decision for the next cycle, after the time of that cycle. The headers before 0.3.69 do not have it, and these
 * releases have zeros there. */
struct target {
    struct spa_fraction rate;
    uint64_t duration;
};

bool cpw_clock_read(const struct spa_io_clock *clock, uint32_t *rate, uint32_t *quantum) {
    const struct target *target =
        SPA_PTROFF(clock, offsetof(struct spa_io_clock, next_nsec) + sizeof clock->next_nsec, const struct target);
    uint64_t duration = __atomic_load_n(&target->duration, __ATOMIC_RELAXED);
    uint32_t denominator = __atomic_load_n(&target->rate.denom, __ATOMIC_RELAXED);
    if (duration == 0 || denominator == 0) {
        duration = __atomic_load_n(&clock->duration, __ATOMIC_RELAXED);
        denominator = __atomic_load_n(&clock->rate.denom, __ATOMIC_RELAXED);
    }
    /* Programs that drive a graph can write here. */
    if (duration == 0 || duration > CPW_MAX_QUANTUM || denominator == 0 || denominator > CPW_MAX_RATE) return false;
    *rate = denominator;
    *quantum = (uint32_t)duration;
    return true;
}
