internal import BullaMemory

/// Seals the pages of a change, and writes them in the background.
///
/// A change has one ``PageSealer`` at a time, which writes pages in the order in which it seals
/// them. So a page that reuses the number of an abandoned page is written after the abandoned one.
/// Pages of large values can wait to be written. Whichever of these steps comes first writes or
/// drops the waiting pages:
///
///     step                              why
///     a read of a page of this commit   the page is read from the file
///     the beginning of a savepoint      so that no error inside it concerns an earlier page
///     the end of a savepoint            so that no error after it concerns a page from inside it
///     sealing pages early, merging      the pages are read from the file
///     the commit                        others read the pages that it names
///     rolling back, giving up           drops them, so that other pages can take their numbers
final class ChangeWriter {
    private let pager: Pager
    private let board: any ReclaimBoard
    private let staging: ScratchBuffer
    /// The key epoch that the pages are sealed in.
    private let epoch: UInt32
    private let commit: UInt64
    /// The sealer that a caller gave back; it may still have pages to write.
    private var writer: PageSealer?

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

    /// Returns the sealer of this change's pages; it may still have pages to write.
    ///
    /// There is only one at a time: the caller must finish it, or return it with ``giveBack(_:)``.
    func take() throws(BullaError) -> PageSealer {
        if let writer = writer.take() { return writer }
        return try PageSealer(
            pager: pager, board: board, staging: staging, epoch: epoch, commit: commit)
    }

    /// Takes back a sealer that may still have pages to write.
    func giveBack(_ writer: consuming PageSealer) {
        precondition(self.writer == nil, "a change has one writer at a time")
        self.writer = consume writer
    }

    /// Writes those pages of large values that are still unwritten.
    ///
    /// - Throws: why one of them could not be written. After that, the change can be committed only
    ///   if it returns to a savepoint.
    @inline(never)
    func finish() throws(BullaError) {
        guard writer != nil else { return }
        try Epoch.suspended { () throws(BullaError) in try writer?.finish() }
    }

    /// Waits for the write under way, and drops unwritten pages.
    ///
    /// Call this before other pages can take the dropped pages' numbers or memory.
    func drop() { writer = nil }
}
