package import Dispatch
internal import Synchronization

/// Runs one write on another thread while the caller prepares the next write.
package final class WriteBehind<Failure: Error>: Sendable {
    private let queue: DispatchQueue
    private let writes = DispatchGroup()
    private let failure = Mutex<Failure?>(nil)

    /// - Parameter qos: the quality of service of the writing thread. It must differ from that of
    ///   the threads that wait for the writes: they can occupy all the threads that Dispatch has
    ///   for their quality of service, and then no thread would be left to write.
    package init(_ qos: DispatchQoS) {
        queue = DispatchQueue(label: "bulla.write-behind", qos: qos)
    }

    /// Begins a write; call it only while no write is running.
    package func begin(_ write: @escaping @Sendable () throws(Failure) -> Void) {
        queue.async(group: writes) { [self] in
            do throws(Failure) { try write() } catch { failure.withLock { $0 = error } }
        }
    }

    /// Waits until no write is running.
    ///
    /// - Throws: the error of the last write that failed.
    package func wait() throws(Failure) {
        writes.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
