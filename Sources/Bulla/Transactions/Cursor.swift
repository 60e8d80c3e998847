internal import BullaMemory

/// A movable position in a tree.
///
/// A cursor keeps its snapshot's pages from being reused, and lends entries in place.
///
/// Besides the errors that its own documentation names, each method throws `corrupted`,
/// `snapshotExpired`, `io`, `outOfMemory`, `closed` and `usedAfterFork`.
///
/// - Complexity: a move to an end or to a key visits one page for each level of the tree. A step
///   visits another page only at the end of a leaf. On their way, both step over any keys that were
///   deleted since the last checkpoint.
public struct Cursor: ~Copyable {
    let access: TreeAccess
    var path: TreePath
    /// Whether ``path`` stands on an entry; always `false` if ``changes`` is set, because
    /// ``changes`` keeps the position in that case.
    var isOnEntry = false
    /// Whether the cursor was never moved.
    var isNew = true
    /// Replaces ``path`` if the log has changes for the tree.
    let changes: ChangedPath?

    init(_ access: TreeAccess, _ root: TreeRoot, under changes: ChangedPath? = nil) {
        self.access = access
        path = TreePath(root)
        self.changes = changes
    }
}

/// Reads the entry on which the cursor stands.
extension Cursor {
    /// Lends the entry's key.
    ///
    /// - Throws: what `body` throws; `invalidArgument` if the cursor stands on no entry.
    public func withKey<R>(_ body: (RawSpan) throws -> R) throws -> R {
        guard isOnEntry, let leaf = path.leaf else {
            return try changed().withKey(access, body)
        }
        try access.claim.entrance.checkAlive()
        return try access.claim.lending { try LeafEntry(leaf, in: access.pager).withKey(body) }
    }

    /// Lends the entry's value; a large value is lent as a copy.
    ///
    /// - Throws: what `body` throws; `invalidArgument` if the cursor stands on no entry;
    ///   `valueTooLarge` for a value above 16 MiB.
    public func withValue<R>(_ body: (RawSpan) throws -> R) throws -> R {
        guard isOnEntry, let leaf = path.leaf else {
            return try changed().withValue(access, body)
        }
        try access.claim.entrance.checkAlive()
        return try access.claim.lending { try LeafEntry(leaf, in: access.pager).withValue(body) }
    }

    /// The length of the entry's value in bytes.
    ///
    /// - Throws: `invalidArgument` if the cursor stands on no entry.
    public var valueByteCount: Int {
        get throws(BullaError) {
            guard isOnEntry, let leaf = path.leaf else {
                return try changed().valueByteCount(access)
            }
            try access.claim.entrance.checkAlive()
            return try access.claim.reading { () throws(BullaError) in
                try LeafEntry(leaf, in: access.pager).valueByteCount()
            }
        }
    }

    /// The position that takes the log's changes into account.
    ///
    /// Call this only when ``path`` stands on no entry. If the log has no changes for the tree,
    /// this throws, because the cursor then has no position at all.
    @inline(never)
    private func changed() throws(BullaError) -> ChangedPath {
        try access.claim.entrance.checkAlive()
        guard let changes else { throw .standsNowhere(access.core.parts.path) }
        return changes
    }
}

extension BullaError {
    /// The error for reading an entry through a cursor that stands on none.
    static func standsNowhere(_ path: String) -> BullaError {
        BullaError(
            .invalidArgument,
            "read an entry of \(path): the cursor stands on none; move it to one first")
    }
}
