/* A module that simulates what a distribution may do to the daemon's structs: one after the other, it takes each of them
 * to have a member more, or one less, before each of the fields that are used, and sees whether the proof (verify.c)
 * notices. Loaded only if all are noticed, and if the daemon as it is passes.
 *
 * What is not there cannot be looked at: the daemon must have a card with ports, a client, a stream and a recording. */
#include "layout.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct place {
    const char *type, *field;
    size_t offset;
} places[] = {
#define PLACE(type, field, value, ...) {#type, #field, offsetof(struct cpc_layout, type##_##field)},
    CPC_FIELDS(PLACE, PLACE)
    {"pa_core", "hooks", offsetof(struct cpc_layout, pa_core_hooks)},
    {"pa_source", "muted", offsetof(struct cpc_layout, pa_source_muted)},
    {"pa_sink_input", "muted", offsetof(struct cpc_layout, pa_sink_input_muted)},
};
enum { PLACES = sizeof places / sizeof places[0] };

static uint16_t *entry(struct cpc_layout *layout, const struct place *place) {
    return (uint16_t *)((char *)layout + place->offset);
}

/* Looked at when they are used, not when the module is loaded. Or a number among numbers: where it is read beside its
 * place, another profile of the card may be chosen, and nothing else comes of it. */
static bool is_left_out(const struct place *place) {
    return strcmp(place->type, "volume_factor_entry") == 0 || strcmp(place->type, "pa_message_handler") == 0 ||
        (strcmp(place->type, "pa_card_profile") == 0 && strcmp(place->field, "available") == 0);
}

static int tried, unnoticed;

static void try(const struct cpc_layout *layout, const pa_module *module, const char *what) {
    char line[512];
    const char *noticed = cpc_verify_as(layout, module);
    tried++;
    if (noticed == NULL) unnoticed++;
    snprintf(line, sizeof line, "shifted: %s: %s", what, noticed == NULL ? "NOT NOTICED" : noticed);
    cpc_log(1, line);
}

const char *pa__get_version(void);
const char *pa__get_version(void) { return cpc_running_release(); }

int pa__init(pa_module *module);
int pa__init(pa_module *module) {
    static const int differences[] = {8, 16, 32, -8};
    char line[512];
    if (!cpc_begin(cpc_running_release())) return -1;
    const char *wrong = cpc_verify(module);
    if (wrong != NULL) {
        snprintf(line, sizeof line, "shifted: as it is: %s", wrong);
        cpc_log(0, line);
        return -1;
    }
    const struct cpc_layout copy = *cpc_layout, *known = &copy;
    for (unsigned kind = 0; kind < CPC_KINDS; kind++)
        if (!cpc_is_proved[kind]) {
            snprintf(line, sizeof line, "shifted: there is no example of kind %u", kind);
            cpc_log(0, line);
            unnoticed++;
        }
    for (size_t first = 0; first < PLACES; first++) {
        if (is_left_out(&places[first])) continue;
        for (size_t index = 0; index < sizeof differences / sizeof differences[0]; index++) {
            struct cpc_layout shifted = *known;
            int from = *entry(&shifted, &places[first]);
            if (from + differences[index] < 0) continue;
            for (size_t place = 0; place < PLACES; place++)
                if (strcmp(places[place].type, places[first].type) == 0 && *entry(&shifted, &places[place]) >= from)
                    *entry(&shifted, &places[place]) = (uint16_t)(*entry(&shifted, &places[place]) + differences[index]);
            snprintf(
                line, sizeof line, "%+d bytes before %s.%s", differences[index], places[first].type,
                places[first].field);
            try(&shifted, module, line);
        }
    }
    for (int count = -1; count <= 1; count += 2) {
        struct cpc_layout shifted = *known;
        shifted.hook_count = (uint16_t)(shifted.hook_count + count);
        snprintf(line, sizeof line, "%+d hooks", count);
        try(&shifted, module, line);
    }
    wrong = cpc_verify_as(known, module);
    if (wrong != NULL) unnoticed++;
    snprintf(line, sizeof line, "shifted: %d tried, %d not noticed", tried, unnoticed);
    cpc_log(1, line);
    return unnoticed == 0 ? 0 : -1;
}

void pa__done(pa_module *module);
void pa__done(pa_module *module) { (void)module; }
