internal import BullaMemory

/// Waiting for what others commit.
extension Flusher {
    /// How long a follower sleeps at once: nobody wakes it when the store is closed here.
    private static let followLimit: Duration = .milliseconds(200)

    /// Waits a while for a commit after `commit`, of any process, to be durable.
    ///
    /// The leader of a flush wakes all threads that wait for one.
    ///
    /// - Parameter newest: the newest durable commit.
    /// - Returns: the newest durable commit, if it is after `commit`.
    func awaitFollowing(
        _ commit: UInt64, until deadline: ContinuousClock.Instant,
        newest: () throws(BullaError) -> UInt64
    ) throws(BullaError) -> UInt64? {
        // Before the look at the record: a flush after it ends the sleep.
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
