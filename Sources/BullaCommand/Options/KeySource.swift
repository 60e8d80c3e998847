internal import Bulla

/// A place that a key is read from.
struct KeySource {
    let file: String?
    let descriptor: Int32?

    /// The key, or `nil` where there is no place.
    ///
    /// - Parameter timeout: how long to wait where it comes through a pipe.
    /// - Throws: ``CommandExit/noPermission`` for a key that is none, or that others may read.
    func key(within timeout: Duration) throws -> StoreKey? {
        do {
            if let file { return try StoreKey(contentsOfFile: file, timeout: timeout) }
            guard let descriptor else { return nil }
            Descriptor.keepFromChildren(descriptor)
            return try StoreKey(readingFrom: descriptor, timeout: timeout)
        } catch {
            throw CommandError(error, as: error.code == .invalidArgument ? .noPermission : nil)
        }
    }
}
