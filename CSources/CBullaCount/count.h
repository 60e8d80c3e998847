/* What the parts of this library share. */
#ifndef CBULLA_COUNT_INTERNAL_H
#define CBULLA_COUNT_INTERNAL_H

#include <stdint.h>

/* What marks the ends of a stretch: a system call without effect, with arguments that no other code
 * passes. */
#define MARK_WORD 0x62756c6c61636eUL
#define MARK_BEGIN 1UL
#define MARK_END 2UL

/* How often this thread has asked for memory. */
uint64_t bulla_count_allocations(void);

/* How often this thread has counted a reference, up or down. */
uint64_t bulla_count_references(void);

/* Counts a reference up and down. */
void bulla_count_probe_references(void);

#endif
