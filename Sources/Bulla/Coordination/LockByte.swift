/// Which byte of the data file stands for what.
///
/// All lie far beyond any page, and none is ever written.
///
/// A lock on such a byte belongs to an open file; the kernel gives it up when the file is closed or
/// its process dies, whatever process numbers mean to whom.
package enum LockByte {
    private static let base: UInt64 = 1 << 62

    /// Shared by all who have the store open; exclusive for who opens first or leaves last.
    package static let presence = base
    /// Held by the one that writes.
    package static let writer = base + 1
    /// Held by the one that flushes.
    package static let flush = base + 2

    /// Held by the owner of a reader slot.
    package static func slot(_ index: Int) -> UInt64 { base + (1 << 20) + UInt64(index) }

    /// The bytes of all coordination files there can be.
    static let worlds = base + (1 << 40)..<base + (1 << 41)

    /// Shared by all who use one coordination file.
    ///
    /// A copy of that file is another file, and nobody holds the byte that it leads to.
    static func world(_ world: Identifier, in file: FileIdentity) -> UInt64 {
        // Spread by 2^64 over the golden ratio: inodes of one folder differ in their lowest bits.
        let mixed = world.low ^ (file.inode ^ file.device) &* 0x9E37_79B9_7F4A_7C15
        return worlds.lowerBound + (mixed >> 24)
    }
}
