#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plugin.h"

SPA_EXPORT int spa_handle_factory_enum(const struct spa_handle_factory **factory, uint32_t *index) {
    static const struct spa_handle_factory *const factories[] = {&monitor_factory, &device_factory, &sink_factory,
                                                                 &source_factory};
    if (*index >= SPA_N_ELEMENTS(factories)) return 0;
    *factory = factories[(*index)++];
    return 1;
}

struct shared *map_card(const char *path) {
    int descriptor = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0) return NULL;
    void *shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    return shared != MAP_FAILED ? shared : NULL;
}

void unmap_card(struct shared *shared) { munmap(shared, sizeof(*shared)); }
