/// The right to append one commit, which one thread of all processes has at a time.
///
///     step          what a death after it leaves
///     lock          the log as it was; the kernel gives the lock up
///     append        see ``LogWriter``
///     release       a commit that others see; a relaxed one needs no more
///
/// It ends by a commit, or by going away, which leaves no trace.
package struct LogTurn: ~Copyable {
    private let lock: WriterLock
    private let writer: LogWriter
    private let hand: LogWriter.Hand

    /// For the holder of the lock.
    init(_ lock: WriterLock, _ writer: LogWriter, _ hand: LogWriter.Hand) {
        (self.lock, self.writer, self.hand) = (lock, writer, hand)
    }

    deinit {
        writer.giveBack(hand)
        lock.release()
    }

    /// Says what the commit does, too.
    ///
    /// - Throws: `outOfMemory`; then nothing has changed.
    package mutating func append(_ operation: LogOperation) throws(BullaError) {
        try hand.draft.append(operation)
    }

    /// Commits, and lets others see it.
    ///
    /// - Parameter taken: called once the commit stands; the sink is not given it.
    /// - Returns: its number.
    /// - Throws: `full` where the log has no room before a checkpoint; `poisoned`; `io`. Then there
    ///   is no commit.
    package consuming func commit(
        taken: (borrowing LogDraft, LogPosition) -> Void = { _, _ in }
    ) throws(BullaError) -> UInt64 {
        try writer.append(hand, taken: taken).commit
    }
}
