internal import Dispatch

/// The queues that run the store's own work and the blocking work of tasks, so that no thread of
/// the task pool has to wait.
struct StoreQueues: Sendable {
    let reading = DispatchQueue(label: "bulla.read", attributes: .concurrent)
    let writing = DispatchQueue(label: "bulla.write")
    let flushing = DispatchQueue(label: "bulla.flush")
    let checkpointing = DispatchQueue(label: "bulla.checkpoint")
}
