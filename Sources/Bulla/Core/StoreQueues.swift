internal import Dispatch

/// Where a store works and its tasks block, off the threads that tasks share.
struct StoreQueues: Sendable {
    let reading = DispatchQueue(label: "bulla.read", attributes: .concurrent)
    let writing = DispatchQueue(label: "bulla.write")
    let flushing = DispatchQueue(label: "bulla.flush")
    let checkpointing = DispatchQueue(label: "bulla.checkpoint")
}
