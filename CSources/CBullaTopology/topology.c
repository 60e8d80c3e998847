#define _GNU_SOURCE
#include "CBullaTopology.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <sched.h>

int bulla_topology_node_count(void) {
    return numa_available() < 0 ? 1 : numa_num_configured_nodes();
}

int bulla_topology_node_of_processor(int processor) {
    return numa_available() < 0 ? -1 : numa_node_of_cpu(processor);
}

int bulla_topology_current_node(void) {
    int node = bulla_topology_node_of_processor(sched_getcpu());
    return node < 0 ? 0 : node;
}

void bulla_topology_interleave(void *base, size_t byte_count) {
    if (bulla_topology_node_count() > 1) {
        numa_interleave_memory(base, byte_count, numa_all_nodes_ptr);
    }
}

int bulla_topology_prefer_node(int node) {
    if (numa_available() < 0 || node < 0 || node > numa_max_node()) { return -1; }
    numa_set_preferred(node);
    return 0;
}

/* The most that any build of the kernel allows. */
enum { PROCESSOR_LIMIT = 8192, NODE_LIMIT = 1024 };
enum { WORD_BITS = 8 * sizeof(unsigned long) };

/* A set of processors larger than the C library's fixed type. */
typedef cpu_set_t processor_set[PROCESSOR_LIMIT / CPU_SETSIZE];

int bulla_topology_run_on(const int *processors, size_t count) {
    processor_set set;
    CPU_ZERO_S(sizeof(set), set);
    for (size_t i = 0; i < count; i++) {
        if (processors[i] < 0 || processors[i] >= PROCESSOR_LIMIT) { return EINVAL; }
        CPU_SET_S((size_t)processors[i], sizeof(set), set);
    }
    return sched_setaffinity(0, sizeof(set), set) == 0 ? 0 : errno;
}

int bulla_topology_processors(int *processors, size_t limit) {
    processor_set set;
    if (sched_getaffinity(0, sizeof(set), set) != 0) { return -errno; }
    size_t count = 0;
    for (int i = 0; i < PROCESSOR_LIMIT; i++) {
        if (!CPU_ISSET_S((size_t)i, sizeof(set), set)) { continue; }
        if (count < limit) { processors[count] = i; }
        count++;
    }
    return (int)count;
}

/* The kernel reads one bit less than this count. */
static const unsigned long MASK_BITS = NODE_LIMIT + 1;

static int mode_of(bulla_memory_policy policy) {
    switch (policy) {
    case BULLA_MEMORY_DEFAULT: return MPOL_DEFAULT;
    case BULLA_MEMORY_PREFERRED: return MPOL_PREFERRED;
    case BULLA_MEMORY_BOUND: return MPOL_BIND;
    case BULLA_MEMORY_INTERLEAVED: return MPOL_INTERLEAVE;
    case BULLA_MEMORY_LOCAL: return MPOL_LOCAL;
    }
    return -1;
}

int bulla_topology_take_memory(bulla_memory_policy policy, const int *nodes, size_t count) {
    unsigned long mask[NODE_LIMIT / WORD_BITS] = {0};
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] < 0 || nodes[i] >= NODE_LIMIT) { return EINVAL; }
        mask[nodes[i] / WORD_BITS] |= 1UL << (nodes[i] % WORD_BITS);
    }
    long result = set_mempolicy(mode_of(policy), count == 0 ? NULL : mask, MASK_BITS);
    return result == 0 ? 0 : errno;
}

int bulla_topology_memory(bulla_memory_policy *policy, int *nodes, size_t limit) {
    unsigned long mask[NODE_LIMIT / WORD_BITS] = {0};
    int mode = 0;
    if (get_mempolicy(&mode, mask, MASK_BITS, NULL, 0) != 0) { return -errno; }
    size_t count = 0;
    for (int i = 0; i < NODE_LIMIT; i++) {
        if ((mask[i / WORD_BITS] >> (i % WORD_BITS) & 1) == 0) { continue; }
        if (count < limit) { nodes[count] = i; }
        count++;
    }
    /* The higher bits say how the nodes are named. Older kernels report local memory as a
     * preference for no node. */
    mode &= 0xFF;
    *policy = mode == MPOL_PREFERRED && count == 0 ? BULLA_MEMORY_LOCAL : (bulla_memory_policy)mode;
    return (int)count;
}
