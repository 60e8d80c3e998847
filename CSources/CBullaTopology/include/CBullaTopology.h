/* Where memory and processors are: a thin wrapper around libnuma. */
#ifndef CBULLA_TOPOLOGY_H
#define CBULLA_TOPOLOGY_H

#include <stddef.h>

/* How many NUMA nodes the machine has, even if this process can use only some of them; 1 if the
 * machine or the kernel has none. */
int bulla_topology_node_count(void);
/* The node of the processor that the calling thread runs on; 0 if unknown. */
int bulla_topology_current_node(void);
/* The node of a processor, or -1. */
int bulla_topology_node_of_processor(int processor);
/* Spreads the pages of a region that were not touched yet over all nodes that this process can use.
 * Does nothing if the machine has one node. */
void bulla_topology_interleave(void *_Nonnull base, size_t byte_count);
/* Prefers `node` for everything that the calling thread allocates from now on. Returns 0, or -1 if
 * that is impossible. */
int bulla_topology_prefer_node(int node);

/* ---- the calling thread: where it runs, and where its memory comes from ---- */

/* Keeps the thread on these processors. Returns 0 or an errno (EINVAL: it can use none of them). */
int bulla_topology_run_on(const int *_Nonnull processors, size_t count);
/* The processors that the thread can run on, ascending; writes at most `limit`, and needs no array
 * for none. Returns how many there are, or -errno. */
int bulla_topology_processors(int *_Nullable processors, size_t limit);

typedef enum {
    BULLA_MEMORY_DEFAULT = 0,
    BULLA_MEMORY_PREFERRED = 1,
    BULLA_MEMORY_BOUND = 2,
    BULLA_MEMORY_INTERLEAVED = 3,
    BULLA_MEMORY_LOCAL = 4,
} bulla_memory_policy;

/* Chooses the nodes for the memory that the thread is the first to touch, from now on. The default
 * and local policies name no node. Returns 0 or an errno (ENOSYS: the kernel has no nodes). */
int bulla_topology_take_memory(bulla_memory_policy policy, const int *_Nonnull nodes,
                               size_t count);
/* The thread's policy, and the nodes that it names, ascending; writes at most `limit`. Returns how
 * many there are, or -errno. */
int bulla_topology_memory(bulla_memory_policy *_Nonnull policy, int *_Nonnull nodes, size_t limit);

#endif
