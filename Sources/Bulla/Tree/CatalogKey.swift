internal import BullaMemory

/// The keys of the catalog, the tree that leads to all others.
///
/// A key begins with its mark, which is one byte. Pending frees are freed pages that may still be
/// needed.
///
///     mark  then                                     value
///        1  the tree's name                          root pointer, height, entries, large
///                                                    values, number
///        2  commit (8), sequence (4), big-endian     pending frees
///        3  chunk (8), big-endian                    free map
///        4  snapshot's commit (8), then as for 2     pending frees that the snapshot holds back
enum CatalogKey {
    static let treeMark: UInt8 = 1
    static let pendingMark: UInt8 = 2
    static let chunkMark: UInt8 = 3
    static let heldMark: UInt8 = 4

    /// Lends the key of a tree's record; `nil` if the name is too long for a tree.
    static func withTree<R>(
        _ name: ByteView, _ body: (ByteView) throws(BullaError) -> R
    ) throws(BullaError) -> R? {
        guard name.byteCount <= PageFormat.treeNameByteLimit else { return nil }
        return try name.withCopy(after: treeMark) { key throws(BullaError) in try body(key) }
    }

    static func pending(_ commit: UInt64, _ sequence: UInt32) -> [UInt8] {
        var key = number(pendingMark, commit, byteCount: 13)
        key.append(bigEndian: sequence)
        return key
    }

    static func held(by snapshot: UInt64, _ commit: UInt64, _ sequence: UInt32) -> [UInt8] {
        var key = number(heldMark, snapshot, byteCount: 21)
        key.append(bigEndian: commit)
        key.append(bigEndian: sequence)
        return key
    }

    /// The keys of the records of freed pages that are held back by snapshots of the commit `first`
    /// or of later commits.
    static func held(from first: UInt64) -> KeyRange {
        .from(number(heldMark, first, byteCount: 9), upTo: [heldMark + 1])
    }

    static func held(by snapshot: UInt64) -> KeyRange {
        .prefix(number(heldMark, snapshot, byteCount: 9))
    }

    static func chunk(_ chunk: UInt64) -> [UInt8] { number(chunkMark, chunk, byteCount: 9) }

    private static func number(_ mark: UInt8, _ number: UInt64, byteCount: Int) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(byteCount)
        key.append(mark)
        key.append(bigEndian: number)
        return key
    }

    /// The number after a key's mark: a commit, a snapshot's commit or a chunk; 0 if the key is too
    /// short.
    static func number(_ key: ByteView) -> UInt64 { key.load(UInt64.self, at: 1).byteSwapped }

    /// The keys of all trees' records.
    static let trees = KeyRange.prefix([treeMark])
}
