internal import BullaMemory

/// Writing behind what is sealed.
///
/// A transaction has one writer, so its pages are written in the order in which they were sealed:
/// a page that takes the number of one given up is written after it. What large values leave to be
/// written is finished by the first step that needs it:
///
///     step                              why
///     a read of a page of this commit   it is read from the file
///     the beginning of a savepoint      what fails later is the savepoint's fault alone
///     the end of a savepoint            what fails later is not its fault
///     pages sealed early, a merge       they are read from the file
///     the commit                        others read what it publishes
///     rolling back, aborting            others may take the numbers
extension WriteState {
    func makeWriter() throws(BullaError) -> SealedWriter {
        if let writer = writer.take() { return writer }
        return try SealedWriter(
            pager: pager, board: board, staging: memory.staging,
            epoch: UInt32(clamping: base.keyEpoch), commit: commit)
    }

    func keep(_ writer: consuming SealedWriter) {
        precondition(self.writer == nil, "a transaction has one writer at a time")
        self.writer = consume writer
    }

    /// Writes what large values have left to be written.
    ///
    /// - Throws: why one of them could not be written; then the transaction cannot be committed,
    ///   unless it is put back to a savepoint.
    @inline(never)
    func finishWrites() throws(BullaError) {
        guard writer != nil else { return }
        try Epoch.suspended { () throws(BullaError) in try writer?.finish() }
    }

    /// Waits for what is being written, and forgets what is not.
    ///
    /// To be called before others may take the pages' numbers, or the memory that they lie in.
    func dropWrites() { writer = nil }
}
