/* The layout tables of the releases, and the choice of one. */
#define _GNU_SOURCE
#include "layout.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* More than the longest release number needs. */
enum { CPC_RELEASE_SIZE = 16 };

const struct cpc_layout *cpc_layout;
unsigned cpc_major;

const struct cpc_layout *cpc_layout_of(unsigned major, enum cpc_variant variant) {
/* The tables hold for little-endian machines with 64-bit pointers and longs. */
#if defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static struct cpc_layout layout;
    if (major < 14 || major > 17) return NULL;
    const unsigned since_15 = major >= 15, since_17 = major >= 17, is_ubuntu = variant == CPC_UBUNTU;
#define OFFSET(type, field, value, offset, ...) .type##_##field = (uint16_t)(offset),
#define BIT(type, field, offset, mask, ...) .type##_##field = offset, .type##_##field##_mask = mask,
/* Since 15, there is one more hook, for a changed preference, among those of sink inputs and among those of source outputs. */
#define HOOK(name, number) \
    (uint8_t)(number + since_15 * ((CPC_##name >= CPC_SOURCE_OUTPUT_PUT) + (CPC_##name >= CPC_CLIENT_PUT))),
    layout = (struct cpc_layout){
        .major = major,
        CPC_FIELDS(OFFSET, OFFSET)
        CPC_BITS(BIT)
        /* As far behind as the default sink. */
        .pa_core_hooks = (uint16_t)(568 + 16 * since_17),
        .hook_size = 24,
        /* Ubuntu adds its own behind the daemon's. */
        .hook_count = (uint16_t)(74 + 2 * since_15 + 42 * is_ubuntu),
        .hooks = {CPC_HOOK_NAMES(HOOK)},
    };
    return &layout;
#endif
    (void)major;
    (void)variant;
    return NULL;
}

const char *cpc_known_releases(void) { return "14, 15, 15.99, 16, 17"; }

bool cpc_begin(const char *release) {
    if (release == NULL) return false;
    char *end;
    unsigned long major = strtoul(release, &end, 10);
    if (end == release || *end != '.' || major > UINT8_MAX) return false;
    /* A minor number of 90 or more marks a prerelease of the next major version, whose layout is unknown. The
     * exception is the one that a distribution has shipped for years. */
    const char *minor = end + 1;
    bool is_prerelease = strtoul(minor, &end, 10) >= 90;
    if (end == minor || (is_prerelease && strcmp(release, "15.99") != 0)) return false;
    if (is_prerelease) major++;
    if (cpc_layout_of((unsigned)major, CPC_AS_RELEASED) == NULL) return false;
    cpc_major = (unsigned)major;
    return true;
}

static int look_for_library(struct dl_phdr_info *object, size_t size, void *data) {
    static const char prefix[] = "libpulsecore-", suffix[] = ".so";
    char *release = data;
    (void)size;
    const char *name = strrchr(object->dlpi_name, '/');
    name = name == NULL ? object->dlpi_name : name + 1;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return 0;
    name += sizeof prefix - 1;
    const char *end = strstr(name, suffix);
    if (end == NULL || end == name || end - name >= CPC_RELEASE_SIZE) return 0;
    memcpy(release, name, (size_t)(end - name));
    release[end - name] = '\0';
    return 1;
}

const char *cpc_running_release(void) {
    static char release[CPC_RELEASE_SIZE];
    return dl_iterate_phdr(look_for_library, release) != 0 ? release : NULL;
}

const char *cpc_own_file(void) {
    Dl_info file;
    return dladdr((const void *)cpc_own_file, &file) != 0 ? file.dli_fname : NULL;
}
