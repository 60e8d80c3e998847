internal import Synchronization

/// Writes parts of a file to the disk while later parts are made, and keeps the disk's queue short.
///
/// A flush waits for everything in the disk's queue, and commits wait for flushes of the log. So
/// the pages of a checkpoint go to the disk in small parts, one after the other.
final class WriteBackPace: Sendable {
    /// Also the limit for one write call, because nobody else can write to the file during one.
    static let partByteCount = 128 << 10

    private let file: any StorageFile
    private let state = Mutex(State())

    fileprivate struct State {
        /// The range that was written, but that the disk has not started on.
        var pending: Range<UInt64>?
        var pendingByteCount = 0
        /// The part that the disk has started on.
        var begun: Range<UInt64>?
    }

    init(_ file: any StorageFile) { self.file = file }

    /// Notes a range that was just written.
    ///
    /// When the noted ranges make up a part, starts the disk on it and waits until the disk has
    /// done the part before.
    ///
    /// - Throws: `io` or `full` when writing to the disk failed.
    func add(_ written: Range<UInt64>) throws(BullaError) {
        guard let (part, former) = state.withLock({ $0.add(written) }) else { return }
        file.startWriteBack(at: part.lowerBound, byteCount: UInt64(part.count))
        guard let former else { return }
        try file.awaitWriteBack(at: former.lowerBound, byteCount: UInt64(former.count))
    }
}

extension WriteBackPace.State {
    /// - Returns: the part to start and the part to wait for; `nil` if there is too little for a
    ///   part.
    fileprivate mutating func add(
        _ written: Range<UInt64>
    ) -> (part: Range<UInt64>, former: Range<UInt64>?)? {
        let lower = min(pending?.lowerBound ?? .max, written.lowerBound)
        let part = lower..<max(pending?.upperBound ?? 0, written.upperBound)
        pendingByteCount += written.count
        guard pendingByteCount >= WriteBackPace.partByteCount else {
            pending = part
            return nil
        }
        (pending, pendingByteCount) = (nil, 0)
        defer { begun = part }
        return (part, begun)
    }
}
