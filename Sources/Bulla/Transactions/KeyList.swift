internal import BullaMemory

/// Copies of the keys that a range deletion will delete through the log.
///
/// The copies are wiped when the list is destroyed.
struct KeyList: ~Copyable {
    private(set) var views: [ByteView] = []
    /// Whether the range has more keys than the list may hold.
    private(set) var isCut = false
    private var arena = ByteArena()
    private var byteCount: UInt64 = 0
    private let byteLimit: UInt64

    /// Lists a tree's keys in a range, from the first one up to the last one that fits the limit.
    ///
    /// - Parameter byteLimit: the maximum number of bytes that the deletions of the keys may take
    ///   in the log.
    init(
        of tree: Tree, _ range: KeyRange, in access: TreeAccess, byteLimit: UInt64
    ) throws(BullaError) {
        self.byteLimit = byteLimit
        do {
            // Pass the store's gate once for all keys, as a scan does.
            try access.claim.lending {
                // Use a cursor, because a scan would lend each value too, however large it is.
                var cursor = try access.makeCursor(in: tree)
                var isThere =
                    try range.lower.isEmpty ? cursor.moveToFirst() : cursor.seek(to: range.lower)
                while isThere {
                    let isKept = try cursor.withKey { key in
                        try key.withView { key in try range.reaches(key) ? keep(key) : false }
                    }
                    guard isKept else { return }
                    isThere = try cursor.moveToNext()
                }
            }
        } catch {
            throw error as? BullaError
                ?? access.pager.defect(access.claim.pinned.catalog.pointer, "\(error)")
        }
    }

    deinit { arena.wipe() }

    /// Keeps a copy of a key; `false` if there is no room for it.
    private mutating func keep(_ key: ByteView) throws(BullaError) -> Bool {
        let end = byteCount + UInt64(LogOperation.headByteLimit + key.byteCount)
        guard end <= byteLimit else {
            isCut = true
            return false
        }
        do throws(MemoryError) { views.append(try arena.keep(key)) } catch {
            throw BullaError.memory("keep a key", error)
        }
        byteCount = end
        return true
    }
}
