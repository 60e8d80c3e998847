internal import CBullaTopology

/// Counts processors.
package enum ProcessorCount {
    /// How many processors the calling thread may run on (sched_getaffinity(2)); at least 1.
    package static var ofThread: Int { max(Int(bulla_topology_processors(nil, 0)), 1) }
}
