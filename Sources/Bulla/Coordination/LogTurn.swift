internal import BullaMemory

/// The right to append one commit; only one thread of all processes has it at a time.
///
///     step          state if the process dies next
///     lock          the log as it was; the kernel releases the lock
///     append        see ``LogWriter``
///     release       a commit that others see; a relaxed commit needs nothing more
///
/// A turn that ends without a commit leaves no trace.
package struct LogTurn: ~Copyable {
    private let lock: WriterLock
    private let writer: LogWriter
    private let hand: LogWriter.Hand

    /// Only the holder of the lock may call this.
    init(_ lock: WriterLock, _ writer: LogWriter, _ hand: LogWriter.Hand) {
        (self.lock, self.writer, self.hand) = (lock, writer, hand)
    }

    deinit {
        writer.giveBack(hand)
        lock.release()
    }

    /// Adds an operation to the commit.
    ///
    /// - Throws: `outOfMemory`; then nothing has changed.
    package mutating func append(_ operation: LogOperation) throws(BullaError) {
        try hand.draft.append(operation)
    }

    /// A copy of a tree's name, valid until the turn ends.
    ///
    /// - Throws: `outOfMemory`.
    mutating func keepName(_ name: ByteView) throws(BullaError) -> ByteView {
        try hand.names.keepName(name)
    }

    /// The state of the draft, to roll back to.
    var mark: LogDraft.Mark { hand.draft.mark }

    /// Forgets the operations since a mark.
    func cut(to mark: LogDraft.Mark) { hand.draft.cut(to: mark) }

    /// The sequence number of the half in which the log ends.
    var sequence: UInt64 { hand.appender.position.place.sequence }

    /// Whether a root frame, which names new trees, still fits in the half in which the log ends.
    var keepsRootFrame: Bool { hand.appender.keepsRootFrame }

    /// The last commit in the log.
    var commit: UInt64 { hand.appender.position.commit }

    /// How many bytes the frames of this turn's commit take so far.
    var frameByteCount: UInt64 { hand.draft.frameByteCount }

    /// Whether the commit changes nothing so far.
    var isEmpty: Bool { hand.draft.isEmpty }

    /// Whether the commit has to wait for a checkpoint, because neither half has room for it yet.
    func needsCheckpoint() throws(BullaError) -> Bool { try writer.needsCheckpoint(hand) }

    /// Makes the commits before this one durable, without waiting for other writers.
    func flush() throws(BullaError) { try writer.flush(hand) }

    /// Writes the marks anew under the secret in use, and flushes them; then writes random bytes,
    /// which the caller flushes, over everything that is no longer part of the log.
    ///
    /// The caller holds the lock on the trees, and both meta slots say that replay begins at
    /// `start`.
    ///
    /// - Returns: `false`, with nothing done, if `start` is not in the half in which the log ends,
    ///   or if no segment of that half begins before `start`.
    func eraseRemains(outside start: LogPosition) throws(BullaError) -> Bool {
        try writer.eraseRemains(hand, outside: start)
    }

    /// Commits, and lets others see the commit; afterwards the turn can only end.
    ///
    /// - Parameter taken: gets the changes once the commit is appended. The log's sink does not get
    ///   them, because this process does not read its own commit from the log.
    /// - Returns: where the log ends with the commit. It is `nil` if only a checkpoint can make
    ///   room; then nothing has changed, and the turn goes on.
    /// - Throws: `poisoned`, `corrupted`, `full`, `io`. Then there is no commit.
    package func commit(
        taken: (borrowing LogDraft, LogPosition) -> Void = { _, _ in }
    ) throws(BullaError) -> LogPosition? { try writer.append(hand, taken: taken) }

    /// Commits a root frame, and keeps the lock; see ``LogWriter/appendRoot(_:_:taken:name:)``.
    func appendRoot(
        _ record: CommitRecord, taken: (CommitRecord, LogPosition) -> Void,
        name: (CommitRecord) throws(BullaError) -> Void
    ) throws(BullaError) { try writer.appendRoot(hand, record, taken: taken, name: name) }
}
