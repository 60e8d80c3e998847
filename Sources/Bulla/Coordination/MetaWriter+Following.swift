internal import BullaMemory

/// Waiting for what others commit.
extension MetaWriter {
    /// The longest sleep of a follower, which does not wake when its own process closes the store.
    private static let followLimit: Duration = .milliseconds(200)

    /// Waits until a commit after `commit`, by any process, is durable, but only for a limited
    /// time.
    ///
    /// The leader of a flush wakes all threads that wait for a flush.
    ///
    /// - Parameter newest: returns the newest durable commit.
    /// - Returns: the newest durable commit, if it is after `commit`.
    func awaitFollowing(
        _ commit: UInt64, until deadline: ContinuousClock.Instant,
        newest: () throws(BullaError) -> UInt64
    ) throws(BullaError) -> UInt64? {
        // Read the count of turns before the durable record, so that any later release of the flush
        // lock, which raises the count, ends the sleep.
        let turns = board.words.loadAcquire(WorldLayout.flushTurns)
        let durable = try newest()
        guard durable <= commit else { return durable }
        try checkPoison()
        let left = min(deadline - .now, Self.followLimit)
        guard left > .zero else { return nil }
        lock.sleep(while: turns, atMost: left)
        let now = try newest()
        return now > commit ? now : nil
    }
}
