/* How much one thread asks of the allocator, of the system and of Swift's reference counts during a
 * stretch of work: numbers that do not depend on the machine. For one test program only, because
 * linking this replaces entry points of the allocator and of Swift's runtime. */
#ifndef CBULLA_COUNT_H
#define CBULLA_COUNT_H

#include <stdint.h>

/* The costs of a stretch; a number that is not available is BULLA_COUNT_UNKNOWN. */
typedef struct {
    uint64_t allocations;  /* this thread's requests for memory, or for more of it */
    uint64_t system_calls; /* this thread's, while `bulla_count_traced` traces it */
    uint64_t references;   /* how often this thread retained or released an object */
} bulla_counts;

#define BULLA_COUNT_UNKNOWN UINT64_MAX

/* Begins a stretch; stretches do not nest. */
void bulla_count_begin(bulla_counts *_Nonnull counts);
/* Ends the stretch, and stores what it cost. */
void bulla_count_end(bulla_counts *_Nonnull counts);

/* Requests memory three times, makes two system calls, and counts a reference up and down. */
void bulla_count_probe(void);

/* Runs a program, and reports to its first thread how many system calls each stretch made.
 * `arguments` begins with the program's path and ends with NULL. Returns the program's exit status;
 * 128 plus the signal's number if a signal ended it; -1 if the program cannot be started, or cannot
 * be traced to its end, for example because the system lets no process trace another. */
int bulla_count_traced(char *_Nullable const *_Nonnull arguments);

#endif
