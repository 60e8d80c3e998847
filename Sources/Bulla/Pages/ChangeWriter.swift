internal import BullaMemory

/// What seals the pages of a change, and writes them behind its back.
///
/// A change has one writer, so its pages are written in the order in which they were sealed: a page
/// that takes the number of one given up is written after it. What large values leave to be written
/// is finished by the first step that needs it:
///
///     step                              why
///     a read of a page of this commit   it is read from the file
///     the beginning of a savepoint      what fails later is the savepoint's fault alone
///     the end of a savepoint            what fails later is not its fault
///     pages sealed early, a merge       they are read from the file
///     the commit                        others read what it names
///     rolling back, giving up           others may take the numbers
final class ChangeWriter {
    private let pager: Pager
    private let board: any ReclaimBoard
    private let staging: ScratchBuffer
    /// The key epoch that pages are sealed in.
    private let epoch: UInt32
    private let commit: UInt64
    /// What has sealed large values, and writes the last pages of them while others are sealed.
    private var writer: SealedWriter?

    init(
        _ pager: Pager, board: any ReclaimBoard, staging: ScratchBuffer, epoch: UInt32,
        commit: UInt64
    ) {
        self.pager = pager
        self.board = board
        self.staging = staging
        self.epoch = epoch
        self.commit = commit
    }

    /// The writer that seals this change's pages; it may still have pages to write.
    ///
    /// There is one at a time: it is to be finished, or given back by ``giveBack(_:)``.
    func take() throws(BullaError) -> SealedWriter {
        if let writer = writer.take() { return writer }
        return try SealedWriter(
            pager: pager, board: board, staging: staging, epoch: epoch, commit: commit)
    }

    /// Takes a writer back with what it has still to write.
    func giveBack(_ writer: consuming SealedWriter) {
        precondition(self.writer == nil, "a change has one writer at a time")
        self.writer = consume writer
    }

    /// Writes what large values have left to be written.
    ///
    /// - Throws: why one of them could not be written; then the change cannot be committed, unless
    ///   it is put back to a savepoint.
    @inline(never)
    func finish() throws(BullaError) {
        guard writer != nil else { return }
        try Epoch.suspended { () throws(BullaError) in try writer?.finish() }
    }

    /// Waits for what is being written, and forgets what is not.
    ///
    /// To be called before others may take the pages' numbers, or the memory that they lie in.
    func drop() { writer = nil }
}
