/* What a stretch of one thread's work asks of the allocator and of the system: numbers that no
 * machine changes. For one test program alone: who links this has the allocator's entry points
 * from here. */
#ifndef CBULLA_COUNT_H
#define CBULLA_COUNT_H

#include <stdint.h>

/* What a stretch cost; a number that could not be had is BULLA_COUNT_UNKNOWN. */
typedef struct {
    uint64_t allocations;  /* memory asked for, or asked to be larger, by this thread */
    uint64_t system_calls; /* of this thread, while `bulla_count_traced` looks on */
} bulla_counts;

#define BULLA_COUNT_UNKNOWN UINT64_MAX

/* Begins a stretch; stretches do not nest. */
void bulla_count_begin(bulla_counts *_Nonnull counts);
/* Ends it, and says what it cost. */
void bulla_count_end(bulla_counts *_Nonnull counts);

/* Asks for memory three times, and calls the system twice. */
void bulla_count_probe(void);

/* Runs a program, and tells its first thread what each stretch of it cost in system calls.
 * `arguments` ends with NULL and begins with the program's path. Returns the program's exit
 * status, 128 and more where a signal ended it, and -1, with nothing run to its end, where the
 * system lets no process trace another. */
int bulla_count_traced(char *_Nullable const *_Nonnull arguments);

#endif
