internal import Synchronization

/// Has the disk write a file's parts while others are made, a little ahead at most.
///
/// A flush waits for all that stands in the disk's queue, and commits wait for flushes of the log.
/// So what a checkpoint writes goes there in small parts, one after the other.
final class WriteBackPace: Sendable {
    /// So many are written in one call, too: until it is over, nobody else can write to the file.
    static let partByteCount = 128 << 10

    private let file: any StorageFile
    private let state = Mutex(State())

    fileprivate struct State {
        /// What was written, and the disk has not begun with: from the first byte to the last.
        var pending: Range<UInt64>?
        var pendingByteCount = 0
        /// What the disk has begun with.
        var begun: Range<UInt64>?
    }

    init(_ file: any StorageFile) { self.file = file }

    /// Takes what was written just now; where that makes a part, lets the disk begin with it, and
    /// waits until it is done with the one before.
    ///
    /// - Throws: `io`, `full` when the disk could not be written to.
    func add(_ written: Range<UInt64>) throws(BullaError) {
        guard let (part, former) = state.withLock({ $0.add(written) }) else { return }
        file.startWriteBack(at: part.lowerBound, byteCount: UInt64(part.count))
        guard let former else { return }
        try file.awaitWriteBack(at: former.lowerBound, byteCount: UInt64(former.count))
    }
}

extension WriteBackPace.State {
    /// - Returns: a part to begin with, and the one to wait for; `nil` where there is too little.
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
