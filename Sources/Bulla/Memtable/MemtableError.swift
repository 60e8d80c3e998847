package import BullaMemory

/// Why a memtable cannot take a change, or lend a version.
package enum MemtableError: Error, Equatable {
    /// All the memory that it may have is in use: bytes.
    case full(byteLimit: Int)
    /// The system gave no memory, or no address space.
    case memory(MemoryError)
    /// As many versions are held as there can be.
    case tooManyHeld(limit: Int)
    /// An operation's lengths do not fit the bytes that it stands in.
    case malformedOperation
    /// Every number that a version can have was given.
    case versionsUsedUp
}
