/// A reader's claim on a checkpoint's pages, which stay in the file until the reader ends or loses
/// the claim.
struct ReaderClaim: Sendable {
    let core: StoreCore
    // Kept here, because a read that fetched them through `core` would retain and release them.
    let pager: Pager
    let entrance: Entrance
    /// The checkpoint that the pages belong to.
    let pinned: PinnedCommit
    /// The commit that is read, which can be newer than the checkpoint.
    let commit: UInt64

    init(core: StoreCore, pinned: PinnedCommit, commit: UInt64) {
        (self.core, self.pinned, self.commit) = (core, pinned, commit)
        (pager, entrance) = (core.pager, core.entrance)
    }

    /// Whether a new snapshot would see the same commit; also `false` if the log must be read to
    /// find out.
    ///
    /// - Throws: what beginning a snapshot throws if the store cannot be used.
    @inline(__always)
    func isNewest(_ visibility: SnapshotVisibility) throws(BullaError) -> Bool {
        let entry = try entrance.enter()
        defer { entrance.leave(entry) }
        try entrance.checkUse()
        // The core, not the claim, refers to the log and to everything else that this check needs,
        // because closing the store must free the log even if snapshots are still referenced.
        return try core.snapshots.isNewest(pinned, commit, visibility) && !isLost
    }

    /// Runs a read; throws `snapshotExpired` if a writer may have reused a page that was read.
    ///
    /// In a plain store, the read throws whenever the claim was lost. In an encrypted store, a
    /// reused page does not open, so the read throws only if a page did not open.
    @inline(__always)
    func reading<R>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        let entry = try entrance.enter()
        defer { entrance.leave(entry) }
        do throws(BullaError) {
            let result = try body()
            if pager.isPlain { try check() }
            return result
        } catch { throw explained(error) }
    }

    /// Runs a read that calls the caller's closure, whose errors pass through unchanged.
    ///
    /// Throws `snapshotExpired` as ``reading(_:)`` does.
    @inline(__always)
    func lending<R>(_ body: () throws -> R) throws -> R {
        let entry = try entrance.enter()
        defer { entrance.leave(entry) }
        do {
            let result = try body()
            if pager.isPlain { try check() }
            return result
        } catch let error as CallersError {
            throw error.error
        } catch let error as BullaError {
            throw explained(error)
        }
    }

    /// Runs the caller's closure inside ``lending(_:)``.
    @inline(__always)
    static func callers<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch { throw CallersError(error: error) }
    }

    /// Wraps an error of a caller's closure, to tell it from an error of the store.
    private struct CallersError: Error { let error: any Error }

    /// The check that a scan of a plain store makes after each leaf, before it lends the next one;
    /// `nil` in an encrypted store.
    var checkAfterLeaf: (() throws(BullaError) -> Void)? {
        guard pager.isPlain else { return nil }
        return { () throws(BullaError) in try check() }
    }

    /// Throws if the claim was lost while pages were read in the mapping of a plain store, because
    /// writers may have reused those pages.
    @inline(__always)
    private func check() throws(BullaError) {
        guard core.slots.isHeld(pinned) else { throw expired }
    }

    /// Throws if writers may have reused the snapshot's pages.
    func checkExpiry() throws(BullaError) {
        if isLost { throw expired }
    }

    private var isLost: Bool { core.slots.isExpired(pinned) || !core.slots.isHeld(pinned) }

    /// The error of a read; `snapshotExpired` instead of `corrupted` if the claim was lost.
    @inline(never)
    func explained(_ error: BullaError) -> BullaError {
        error.code == .corrupted && isLost ? expired : error
    }

    private var expired: BullaError {
        BullaError(
            .snapshotExpired,
            "read commit \(commit) of \(core.parts.path): the snapshot was ended, because "
                + "writers needed its pages, or because somebody wrote over its slot in the "
                + "coordination file",
            commit: commit)
    }
}
