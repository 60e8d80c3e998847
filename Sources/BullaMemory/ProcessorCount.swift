internal import CBullaTopology

/// How many processors this process may use (sched_getaffinity(2)), asked once.
package enum ProcessorCount {
    package static let allowed: Int = {
        max(Int(bulla_topology_processors(nil, 0)), 1)
    }()
}
