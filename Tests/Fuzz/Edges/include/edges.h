/* The edges of the instrumented code, and how often each was reached, up to 255. */
#pragma once

#include <stddef.h>
#include <stdint.h>

size_t fuzz_edge_count(void);
uint8_t *fuzz_edge_counters(void);
/* Prints a line for each edge: its address in the program's file, and how often it was reached. */
void fuzz_print_edges(void);
