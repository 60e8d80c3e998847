package import Dispatch
internal import Synchronization

/// Writes on another thread, while this one prepares what follows.
package final class WriteBehind<Failure: Error>: Sendable {
    private let queue: DispatchQueue
    private let writes = DispatchGroup()
    private let failure = Mutex<Failure?>(nil)

    /// - Parameter qos: the class of its thread. It must differ from that of the threads that wait:
    ///   those may take up every thread that the pool has of their class.
    package init(_ qos: DispatchQoS) {
        queue = DispatchQueue(label: "bulla.write-behind", qos: qos)
    }

    /// Begins to write; to be called when nothing is being written.
    package func begin(_ write: @escaping @Sendable () throws(Failure) -> Void) {
        queue.async(group: writes) { [self] in
            do throws(Failure) { try write() } catch { failure.withLock { $0 = error } }
        }
    }

    /// Waits until nothing is being written.
    ///
    /// - Throws: why it could not be written.
    package func wait() throws(Failure) {
        writes.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
