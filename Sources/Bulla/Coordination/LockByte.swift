internal import BullaMemory

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

    /// Held by the opener that recovers, until it has read the log.
    package static let recovering = base + 3
    /// Held by a writer that does without a coordination file, and so without company.
    package static let alone = base + 4
    /// Shared by readers that cannot make a coordination file and read without one.
    ///
    /// Nobody can write meanwhile.
    package static let looking = base + 5
    /// Shared by checks and salvages of a store that nobody has open.
    package static let checking = base + 6
    /// Shared by readers that could make a coordination file, but read without because somebody
    /// holds ``looking`` or ``checking``.
    package static let lookingToo = base + 7

    /// Held by the one that seals all pages anew.
    package static let reencrypting = base + 8

    /// Held by the one that changes the trees, where there is a log.
    package static let tree = base + 9

    /// Shared by those whose newest master secret begins with a key epoch.
    package static func secret(_ firstEpoch: UInt64) -> UInt64 {
        secrets.lowerBound + firstEpoch / epochDistance % UInt64(secrets.count)
    }
    static let secrets = base + 64..<base + 128
    /// How far apart the first epochs of two secrets lie at least.
    private static let epochDistance: UInt64 = 1024

    /// The first key epoch of the secret that takes over from another, in whatever epoch the store
    /// is by then.
    static func firstEpoch(after epoch: UInt64, _ former: UInt64) -> UInt64 {
        // A gap: epochs that begin until the new secret is named are the former one's.
        var first = (epoch / epochDistance + 2) * epochDistance
        if secret(first) == secret(former) { first += epochDistance }
        invariant(first > epoch, "a secret takes over in a later key epoch")
        invariant(secret(first) != secret(former), "two secrets in use have two bytes")
        return first
    }

    /// Held by the owner of a reader slot.
    package static func slot(_ index: Int) -> UInt64 {
        invariant(index >= 0 && index <= ReaderSlotLayout.limit, "there are so many reader slots")
        return base + (1 << 20) + UInt64(index)
    }

    /// Whether a reader never takes the byte exclusively: presence, the writer's, the flush lock.
    ///
    /// The tree lock is not one of them: a follower that was overtaken takes it.
    static func isOfWriters(_ byte: UInt64) -> Bool { (presence...flush).contains(byte) }

    /// Whether it is that of a reader slot.
    static func isOfSlots(_ byte: UInt64) -> Bool { byte >= slot(0) && byte < worlds.lowerBound }

    /// The bytes of all coordination files there can be.
    package static let worlds = base + (1 << 40)..<base + (1 << 41)

    /// Shared by all who use one coordination file.
    ///
    /// A copy of that file is another file, and nobody holds the byte that it leads to.
    static func world(_ world: Identifier, in file: FileIdentity) -> UInt64 {
        // Spread by 2^64 over the golden ratio: inodes of one folder differ in their lowest bits.
        let mixed = world.low ^ (file.inode ^ file.device) &* 0x9E37_79B9_7F4A_7C15
        let byte = worlds.lowerBound + (mixed >> 24)
        invariant(worlds.contains(byte), "a world's byte is one of those of worlds")
        return byte
    }
}
