internal import Synchronization

/// Makes the disk write parts of a file while later parts are still being made, and keeps the
/// disk's queue short.
///
/// A flush waits for everything in the disk's queue, and commits wait for flushes of the log. So
/// the pages of a checkpoint go to the disk in small parts, one after the other.
final class WriteBackPace: Sendable {
    /// The length of a part; also the limit for one write call, because no other thread or process
    /// can write to the file during the call.
    static let partByteCount = 128 << 10

    private let file: any StorageFile
    private let state = Mutex(State())

    fileprivate struct State {
        /// The range that was written to the file, but that the disk has not been told to write
        /// yet.
        var pending: Range<UInt64>?
        var pendingByteCount = 0
        /// The last part that the disk was told to write.
        var begun: Range<UInt64>?
    }

    init(_ file: any StorageFile) { self.file = file }

    /// Notes a range that was just written.
    ///
    /// Once the noted ranges make up a part, starts the disk on that part, and waits until the disk
    /// has written the previous part.
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
