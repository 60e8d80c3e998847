internal import Dispatch
internal import Synchronization

/// Writes pages on another thread, while this one seals those that follow.
final class WriteBehind: Sendable {
    /// Its threads are of a kind of their own: those of other queues, which may be all that there
    /// can be, wait for them.
    private let queue = DispatchQueue(label: "bulla.write-behind", qos: .userInitiated)
    private let writes = DispatchGroup()
    private let failure = Mutex<BullaError?>(nil)

    /// Begins to write; to be called when nothing is being written.
    func begin(_ write: @escaping @Sendable () throws(BullaError) -> Void) {
        queue.async(group: writes) { [self] in
            do throws(BullaError) { try write() } catch { failure.withLock { $0 = error } }
        }
    }

    /// Waits until nothing is being written.
    ///
    /// - Throws: why it could not be written.
    func wait() throws(BullaError) {
        writes.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
