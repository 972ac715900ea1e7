#include "edges.h"

#include <stdio.h>

/* The compiler's tables for libFuzzer: for each edge, a counter, and an address with flags. */
struct edge {
    uintptr_t address, flags;
};
extern uint8_t counters[] __asm__("__start___sancov_cntrs"), counters_end[] __asm__("__stop___sancov_cntrs");
extern const struct edge places[] __asm__("__start___sancov_pcs");
extern const char start[] __asm__("__ehdr_start");

size_t fuzz_edge_count(void) { return (size_t)(counters_end - counters); }

uint8_t *fuzz_edge_counters(void) { return counters; }

void fuzz_print_edges(void) {
    for (size_t index = 0; index < fuzz_edge_count(); index++)
        printf("%016zx %d\n", (size_t)(places[index].address - (uintptr_t)start), counters[index]);
}
