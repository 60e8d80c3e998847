/* Where memory and processors are: a thin face on libnuma. */
#ifndef CBULLA_TOPOLOGY_H
#define CBULLA_TOPOLOGY_H

#include <stddef.h>

/* How many NUMA nodes this process may use; 1 where the machine or the kernel knows of none. */
int bulla_topology_node_count(void);
/* The node of the processor that the calling thread runs on; 0 where unknown. */
int bulla_topology_current_node(void);
/* The node of a processor, or -1. */
int bulla_topology_node_of_processor(int processor);
/* Spreads the pages of a region, not yet touched, over all nodes. A no-op on one node. */
void bulla_topology_interleave(void *_Nonnull base, size_t byte_count);
/* Prefers `node` for what the calling thread allocates from now on. Returns 0, or -1 where it
 * cannot. */
int bulla_topology_prefer_node(int node);

#endif
