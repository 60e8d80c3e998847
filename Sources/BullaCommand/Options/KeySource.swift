internal import Bulla

/// A place that a key is read from.
struct KeySource {
    let file: String?
    let descriptor: Int32?

    /// The key, or `nil` where there is no place.
    ///
    /// - Throws: ``CommandExit/noPermission`` for a key that is none, or that others may read.
    func key() throws -> StoreKey? {
        do {
            if let file { return try StoreKey(contentsOfFile: file) }
            guard let descriptor else { return nil }
            Descriptor.keepFromChildren(descriptor)
            return try StoreKey(readingFrom: descriptor)
        } catch {
            throw CommandError(error, as: error.code == .invalidArgument ? .noPermission : nil)
        }
    }
}
