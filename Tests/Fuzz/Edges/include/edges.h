/* The places in the code that are counted: which there are, and how often each was reached, as far as one byte goes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

size_t fuzz_edge_count(void);
uint8_t *fuzz_edge_counters(void);
/* Prints a line for each: its address as in the program's file, and how often it was reached. */
void fuzz_print_edges(void);
