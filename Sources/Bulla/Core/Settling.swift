internal import Dispatch

/// Makes commits durable, at once or later.
struct Settling {
    let core: StoreCore

    /// Waits for a commit's flush, or schedules the flush, as the durability demands.
    ///
    /// - Parameters:
    ///   - start: when the wait began.
    ///   - isInside: whether the caller is already inside the gate, on this thread or on another.
    func settle(
        _ commit: UInt64, _ durability: Durability, since start: ContinuousClock.Instant = .now,
        isInside: Bool = false
    ) throws(BullaError) {
        if isInside { return try settleInside(commit, durability, start) }
        do throws(BullaError) {
            try core.entrance.use { () throws(BullaError) in
                try settleInside(commit, durability, start)
            }
        } catch {
            // If a thread has closed the store since the commit, closing may have flushed the
            // commit.
            guard error.code == .closed, core.log.wasDurable(commit) else { throw error }
        }
    }

    private func settleInside(
        _ commit: UInt64, _ durability: Durability, _ start: ContinuousClock.Instant
    ) throws(BullaError) {
        switch durability {
        case .full:
            // A caller can also await a relaxed commit, whose writer may have skipped this check.
            try core.place.check(unlessWithin: PlaceCheck.age)
            try core.log.awaitDurable(commit, since: start)
            core.chores.markWhenIdle(core)
        case .relaxed(let delay):
            core.chores.flush(core, by: .now() + delay.inSeconds)
        }
    }

    /// Waits until the commit that a caller names is durable.
    func awaitDurable(
        _ commit: UInt64, since start: ContinuousClock.Instant
    ) throws(BullaError) {
        guard try core.entrance.use({ () throws(BullaError) in try isPending(commit) }) else {
            return
        }
        try settle(commit, .full, since: start)
    }

    /// Whether a commit is not durable yet; throws if there is no such commit, or if it needs a
    /// flush that this process cannot make.
    private func isPending(_ commit: UInt64) throws(BullaError) -> Bool {
        try core.entrance.checkUse()
        let published = try core.log.newestCommit()
        guard commit <= published else {
            throw BullaError(
                .invalidArgument,
                "wait for commit \(commit) of \(core.parts.path): the newest is \(published)",
                commit: commit)
        }
        guard try core.log.durableCommit() < commit else { return false }
        guard core.options.access == .readWrite else {
            throw BullaError(
                .readOnly,
                "wait for commit \(commit) of \(core.parts.path): it was opened for reading, and "
                    + "only a writer can make the flush")
        }
        return true
    }

    /// Waits, but only for a short time, until a commit later than `commit` is durable, whichever
    /// process made it.
    ///
    /// The time is short because closing the store waits for this call.
    func awaitFollowing(
        _ commit: UInt64, until deadline: ContinuousClock.Instant
    ) throws(BullaError) -> UInt64? {
        try core.entrance.use { () throws(BullaError) in
            try core.entrance.checkUse()
            return try core.metaWriter.awaitFollowing(commit, until: deadline) {
                () throws(BullaError) in try core.log.durableCommit()
            }
        }
    }
}
