/// What keeps the pages that are read: a claim on a checkpoint, which can be lost meanwhile.
struct ReaderClaim: Sendable {
    let core: StoreCore
    /// The checkpoint that has the pages.
    let pinned: PinnedCommit
    /// What is read, where the pages are an older commit's.
    let commit: UInt64

    private var pager: Pager { core.pager }

    /// Runs a read, and tells of pages that are gone because the snapshot was ended.
    @inline(__always)
    func reading<R>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        let entry = try core.entrance.enter()
        defer { core.entrance.leave(entry) }
        do throws(BullaError) {
            let result = try body()
            if pager.isPlain { try check() }
            return result
        } catch { throw explained(error) }
    }

    /// The same for a read that runs a caller's closure, whose errors come out as they are.
    @inline(__always)
    func lending<R>(_ body: () throws -> R) throws -> R {
        let entry = try core.entrance.enter()
        defer { core.entrance.leave(entry) }
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

    /// Runs the caller's closure inside of ``lending(_:)``.
    @inline(__always)
    static func callers<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch { throw CallersError(error: error) }
    }

    /// An error of a caller's closure, on its way through what the store itself may throw.
    private struct CallersError: Error { let error: any Error }

    /// For scans of a plain store: asked after each leaf, before the next one is lent.
    var checkAfterLeaf: (() throws(BullaError) -> Void)? {
        guard pager.isPlain else { return nil }
        return { () throws(BullaError) in try check() }
    }

    /// Refuses what was read in the mapping of a plain store while the claim did not stand: writers
    /// may have used its pages again.
    @inline(__always)
    private func check() throws(BullaError) {
        guard core.slots.isHeld(pinned) else { throw expired }
    }

    /// Refuses a snapshot whose pages writers may have taken.
    func checkExpiry() throws(BullaError) {
        if isLost { throw expired }
    }

    private var isLost: Bool { core.slots.isExpired(pinned) || !core.slots.isHeld(pinned) }

    /// The error of a read, or that the snapshot was ended where its pages are gone for that.
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
