/// What a worker answers, likewise.
package enum WorkerReply: Codable, Sendable {
    case done
    case opened(EngineFacts)
    case ran(SliceResult)
    case holds(Digest)
    /// The worker ends, with the status that this names.
    case failed(exit: Int32, message: String)
}
