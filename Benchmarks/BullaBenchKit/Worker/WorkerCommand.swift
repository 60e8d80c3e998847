/// What a parent tells a worker: one line of JSON each, on the worker's input.
///
/// Each has one reply.
package enum WorkerCommand: Codable, Sendable {
    /// Open the store and start the threads.
    case open(WorkerSetup)
    /// Read everything once.
    case warm
    /// Close the store and forget it, but stay.
    case release
    /// Open it again.
    case reopen
    /// Lay out a slice and be ready to start it.
    case arm(SliceOrder)
    /// Start it, with all other workers' threads.
    case go
    /// Tell what the store holds.
    case digest
    /// Close the store and end.
    case close
}
