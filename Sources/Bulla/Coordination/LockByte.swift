internal import BullaMemory

/// The bytes of the data file that serve as locks.
///
/// All of them lie far beyond any page, and none is ever written.
///
/// A lock on such a byte belongs to an open file. The kernel releases it when the file is closed or
/// its process dies. Process numbers play no part in it.
package enum LockByte {
    private static let base: UInt64 = 1 << 62

    /// Shared by all that have the store open; exclusive for the first opener and the last closer.
    package static let presence = base
    /// Held by the process that writes.
    package static let writer = base + 1
    /// Held by the process that flushes.
    package static let flush = base + 2

    /// Held by the opener that recovers, until it has read the log.
    package static let recovering = base + 3
    /// Held by a writer that works without a coordination file, and so has the store to itself.
    package static let alone = base + 4
    /// Shared by readers that read without a coordination file, because they cannot make one.
    ///
    /// Nobody can write meanwhile.
    package static let looking = base + 5
    /// Shared by checks and salvages of a store that nobody has open.
    package static let checking = base + 6
    /// Shared by readers that could make a coordination file, but do without one because somebody
    /// holds ``looking`` or ``checking``.
    package static let lookingToo = base + 7

    /// Held by the process that seals all pages anew.
    package static let reencrypting = base + 8

    /// Held by the process that changes the trees, or by a follower that a checkpoint has
    /// overtaken.
    package static let tree = base + 9

    /// Shared by the processes whose newest master secret begins with key epoch `firstEpoch`.
    package static func secret(_ firstEpoch: UInt64) -> UInt64 {
        secrets.lowerBound + firstEpoch / epochDistance % UInt64(secrets.count)
    }
    static let secrets = base + 64..<base + 128
    /// The minimum distance between the first epochs of two secrets.
    private static let epochDistance: UInt64 = 1024

    /// The first key epoch of a secret that replaces another one.
    static func firstEpoch(after epoch: UInt64, _ former: UInt64) -> UInt64 {
        // Leave a gap for the key epochs that begin before a commit names the new secret: they
        // still belong to the former one.
        var first = (epoch / epochDistance + 2) * epochDistance
        if secret(first) == secret(former) { first += epochDistance }
        invariant(first > epoch, "a secret takes over in a later key epoch")
        invariant(secret(first) != secret(former), "two secrets in use have two bytes")
        return first
    }

    /// Held by the owner of a reader slot.
    package static func slot(_ index: Int) -> UInt64 { base + (1 << 20) + UInt64(index) }

    /// Whether the byte is ``presence``, ``writer`` or ``flush``, none of which is ever locked
    /// exclusively by a process that only reads.
    ///
    /// The result for ``tree`` is `false`, because a reading process, too, takes that lock when a
    /// checkpoint has overtaken it.
    static func isOfWriters(_ byte: UInt64) -> Bool { (presence...flush).contains(byte) }

    /// Whether the byte is the lock of a reader slot.
    static func isOfSlots(_ byte: UInt64) -> Bool { byte >= slot(0) && byte < worlds.lowerBound }

    /// The lock bytes of all possible coordination files.
    package static let worlds = base + (1 << 40)..<base + (1 << 41)

    /// Shared by all processes that use one coordination file.
    ///
    /// A copy of that file is another file, and leads to a byte that nobody holds.
    static func world(_ world: Identifier, in file: FileIdentity) -> UInt64 {
        // The factor, 2^64 divided by the golden ratio, spreads the inodes of one folder, which
        // differ only in their lowest bits.
        let mixed = world.low ^ (file.inode ^ file.device) &* 0x9E37_79B9_7F4A_7C15
        let byte = worlds.lowerBound + (mixed >> 24)
        invariant(worlds.contains(byte), "a world's byte is one of those of worlds")
        return byte
    }
}
