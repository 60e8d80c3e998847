/// What a worker answers, likewise.
package enum WorkerReply: Codable, Sendable {
    case done
    /// The store is open, and the threads are where they could be.
    case opened(EngineFacts, [ObtainedPlacement])
    case moved([ObtainedPlacement])
    case ran(SliceResult)
    case holds(Digest)
    /// The worker ends, with the status that this names.
    case failed(exit: Int32, message: String)
}
