/* A sound card that does not exist: a client that exports a device, which the session manager takes for a real one.
 *
 *   fixture-card KIND SOCKET [INSTANCE]
 *
 * It has plugs that a test can pull (commands.c), and what comes out of each can be recorded (outlets.c). With an
 * instance, its names differ from those of another card of its kind. Under FIXTURE_CARD=absent in the environment it
 * is not there until it is told to appear; FIXTURE_CARD_BUFFER is the length of its buffer in frames. What happens goes
 * to standard error, with the time.
 *
 * With a folder in FIXTURE_CARD_FOLDER it is only what is outside of the driver: it makes a file there that describes the
 * card, and records what comes out of its plugs. The session manager, which has loaded the plugin in ../ManagerCard, finds
 * the file as it finds real cards, and the plugin is the driver, which listens to the commands too. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model.h"
#include "program.h"

static void quit(void *data, int number) {
    (void)number;
    pw_main_loop_quit(data);
}

static void failed(void *data, uint32_t id, int sequence, int result, const char *message) {
    (void)sequence;
    note("error of object %u: %d %s", id, result, message);
    /* The daemon is gone. */
    if (id == PW_ID_CORE && result == -EPIPE) pw_main_loop_quit(data);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .error = failed};

/* In a file that gets its name when it is complete. */
static struct shared *share(const char *folder, const struct card_plan *plan, const char *socket, const char *instance,
                            char *path, size_t size) {
    char unfinished[256];
    snprintf(unfinished, sizeof(unfinished), "%s/.new-%d", folder, getpid());
    snprintf(path, size, "%s/%d.card", folder, getpid());
    int descriptor = open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0 || ftruncate(descriptor, sizeof(struct shared)) < 0) return NULL;
    struct shared *shared =
        mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (shared == MAP_FAILED) return NULL;
    shared_init(shared, plan, socket, instance);
    return rename(unfinished, path) < 0 ? NULL : shared;
}

int main(int argc, char *argv[]) {
    static struct card card;
    static struct shared own;
    struct shared *shared = &own;
    struct spa_hook core_listener = {0};
    const struct card_plan *plan = NULL;
    const char *folder = getenv("FIXTURE_CARD_FOLDER");
    char path[256] = "";
    if (argc < 3 || (plan = find_plan(argv[1])) == NULL) {
        fprintf(stderr, "usage: fixture-card KIND SOCKET [INSTANCE]\nKIND is one of ");
        print_plans(stderr);
        fputc('\n', stderr);
        return 2;
    }
    setvbuf(stderr, NULL, _IOLBF, 0);
    pw_init(NULL, NULL);
    struct pw_main_loop *main_loop = pw_main_loop_new(NULL);
    struct pw_loop *loop = pw_main_loop_get_loop(main_loop);
    pw_loop_add_signal(loop, SIGTERM, quit, main_loop);
    pw_loop_add_signal(loop, SIGINT, quit, main_loop);
    /* As a card's driver in the daemon, its thread for sound has real-time priority. */
    struct pw_context *context = pw_context_new(loop, pw_properties_new(PW_KEY_CONFIG_NAME, "client-rt.conf", NULL), 0);
    struct pw_core *core = pw_context_connect(context, NULL, 0);
    if (core == NULL) {
        fprintf(stderr, "fixture-card: no server\n");
        return 1;
    }
    pw_core_add_listener(core, &core_listener, &core_events, main_loop);

    const char *instance = argc > 3 ? argv[3] : "";
    if (folder != NULL)
        shared = share(folder, plan, argv[2], instance, path, sizeof(path));
    else
        shared_init(shared, plan, argv[2], instance);
    if (shared == NULL) {
        fprintf(stderr, "fixture-card: %s: %s\n", folder, strerror(errno));
        return 1;
    }
    make_outlets(core, shared, plan);
    if (folder == NULL) {
        card.plan = plan;
        card.shared = shared;
        card.loop = loop->utils;
        card_init(&card);
        nodes_init(core);
        if (shared->present) appear(&card);
        int result = serve(&card);
        if (result < 0) {
            fprintf(stderr, "fixture-card: %s: %s\n", argv[2], strerror(-result));
            return 1;
        }
    }
    note("ready");
    pw_main_loop_run(main_loop);
    if (folder != NULL) unlink(path);
    pw_context_destroy(context);
    pw_main_loop_destroy(main_loop);
    return 0;
}
