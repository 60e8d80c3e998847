#define _GNU_SOURCE
#include "CBullaTopology.h"

#include <numa.h>
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
