internal import BullaMemory
internal import CBullaShared
internal import Glibc

/// The in-memory file of a page pool, opened for one worker.
///
/// The descriptor that workers inherit is one open file for all of them, with one set of locks. So
/// each worker opens the file once more, to have locks of its own.
final class PoolFile: Sendable {
    private let descriptor: Int32
    let byteCount: Int

    /// - Parameter inherited: a descriptor of a ``PagePool``.
    init(inherited: Int32) throws(BullaError) {
        var byteCount: UInt64 = 0
        let opened = unsafe bulla_pool_open(inherited, &byteCount)
        guard opened >= 0 else { throw Self.refusal(inherited, -opened) }
        guard let count = Int(exactly: byteCount), count % PagePool.unit == 0,
            count <= PagePool.byteLimit + PoolLayout.framesOffset
        else {
            _ = Glibc.close(opened)
            throw Self.refusal(inherited, EINVAL)
        }
        try SystemFile.keepFromChildren(opened, "open the page pool")
        descriptor = opened
        self.byteCount = count
    }

    private static func refusal(_ descriptor: Int32, _ number: Int32) -> BullaError {
        if number == EINVAL || number == EBADF {
            return BullaError(
                .invalidArgument,
                "open the page pool: descriptor \(descriptor) is not that of a page pool")
        }
        return BullaError.system("open the page pool, descriptor \(descriptor)", number)
    }

    deinit {
        bulla_keep_in_child(descriptor)
        _ = Glibc.close(descriptor)
    }

    /// Makes a pool, and returns its descriptor.
    static func make(byteCount: Int) throws(BullaError) -> Int32 {
        let descriptor = bulla_pool_make(UInt64(byteCount))
        guard descriptor >= 0 else { throw BullaError.system("make a page pool", -descriptor) }
        return descriptor
    }

    static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    func map() throws(BullaError) -> SharedRegion {
        do { return try SharedRegion(descriptor: descriptor, byteCount: byteCount) } catch {
            throw BullaError.memory("map a page pool of \(byteCount) bytes", error)
        }
    }

    /// Makes every byte zero, for all processes.
    func clear() throws(BullaError) {
        guard bulla_pool_clear(descriptor, UInt64(byteCount)) else {
            throw BullaError.system("clear the page pool")
        }
    }

    /// Takes the lock on one byte, if no other worker has it.
    func lock(_ byte: UInt64) throws(BullaError) -> Bool {
        let refusal = bulla_lock_byte(descriptor, Int64(byte), BULLA_LOCK_EXCLUSIVE)
        guard refusal == 0 || refusal == EAGAIN else {
            throw BullaError.system("lock the page pool", refusal)
        }
        return refusal == 0
    }

    func unlock(_ byte: UInt64) { _ = bulla_lock_byte(descriptor, Int64(byte), BULLA_LOCK_NONE) }

    /// Whether another worker has a lock on any of the bytes.
    func isLocked(_ bytes: Range<UInt64>) throws(BullaError) -> Bool {
        let answer = bulla_lock_probe(
            descriptor, Int64(bytes.lowerBound), Int64(bytes.count), BULLA_LOCK_EXCLUSIVE)
        guard answer >= 0 else { throw BullaError.system("probe a lock of the page pool", -answer) }
        return answer == 1
    }

    /// Gives up the file and all locks on it; the descriptor's number stays taken as long as this
    /// object lives.
    func close() { bulla_void_descriptor(descriptor) }
}
