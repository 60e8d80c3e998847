internal import BullaMemory

/// Memory in which the worker processes of one program share the opened pages of one encrypted
/// store.
///
/// The program that starts the workers makes the pool, and lets them inherit its descriptor. Each
/// worker opens the store with ``StoreOptions/pagePool``. See <doc:Sharing>.
///
/// The memory has no name that leads to it, is not in core dumps, and is given back when the owner
/// and the last worker have closed it. A process that has the descriptor can read every page in the
/// pool: the descriptor is as secret as the store's key.
public struct PagePool: ~Copyable, Sendable {
    /// The descriptor for ``StoreOptions/pagePool``.
    ///
    /// A program that `exec` starts inherits it only if the caller of `exec` has duplicated it, or
    /// has cleared its close-on-exec flag.
    public let descriptor: Int32

    /// The maximum number of bytes that a pool can have: 1 TiB.
    public static let byteLimit = 1 << 40

    /// The length of a huge page in bytes; for every page size, a multiple of the length of a group
    /// of frames (``PoolLayout/groupFrameCount``).
    static let unit = 2 << 20

    /// Makes a pool for `byteCount` bytes of opened pages.
    ///
    /// The memory is taken only as pages are opened.
    ///
    /// - Throws: `invalidArgument` unless there are 1 to ``byteLimit`` bytes; `io`; `outOfMemory`.
    public init(byteCount: Int) throws(BullaError) {
        guard byteCount > 0, byteCount <= Self.byteLimit else {
            throw BullaError(
                .invalidArgument,
                "make a page pool: it must have 1 to \(Self.byteLimit) bytes, not \(byteCount)")
        }
        descriptor = try PoolFile.make(
            byteCount: PoolLayout.framesOffset + byteCount.roundedUp(toMultipleOf: Self.unit))
    }

    deinit { PoolFile.close(descriptor) }
}
