package import Dispatch
internal import Synchronization

/// Writes on another thread, while this one prepares what follows.
///
/// A write that no thread has begun when it is waited for is made by the one that waits: on a busy
/// machine the other thread may get no processor for longer than the write takes.
package final class WriteBehind<Failure: Error>: Sendable {
    private let queue: DispatchQueue
    /// The write that no thread has begun.
    private let next = Mutex<(@Sendable () throws(Failure) -> Void)?>(nil)
    /// Entered from when a write is left to the other thread until it ends.
    private let writes = DispatchGroup()
    private let failure = Mutex<Failure?>(nil)

    /// - Parameter qos: of which kind its threads are. They have to be of another kind than those
    ///   that wait for them, which may be all that there can be of theirs.
    package init(_ qos: DispatchQoS) {
        queue = DispatchQueue(label: "bulla.write-behind", qos: qos)
    }

    /// Begins to write; to be called when nothing is being written.
    package func begin(_ write: @escaping @Sendable () throws(Failure) -> Void) {
        writes.enter()
        next.withLock { $0 = write }
        queue.async { [self] in writeNext() }
    }

    /// Waits until nothing is being written.
    ///
    /// - Throws: why it could not be written.
    package func wait() throws(Failure) {
        writeNext()
        writes.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Makes the write that no thread has begun, if there is one.
    private func writeNext() {
        guard let write = next.withLock({ $0.take() }) else { return }
        do throws(Failure) { try write() } catch { failure.withLock { $0 = error } }
        writes.leave()
    }
}
