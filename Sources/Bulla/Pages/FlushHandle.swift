/// A file that is opened once more, only so that it can be flushed.
///
/// The kernel reports each failed write-back once to each open file. If two threads flushed through
/// one handle, one would get the error, and the other a success that means nothing.
package protocol FlushHandle: AnyObject, Sendable {
    /// Makes everything written to the file so far durable, no matter which open file wrote it.
    ///
    /// - Throws: `io` or `full` if a write-back has failed since the handle was opened, and this
    ///   handle has not reported that yet.
    func flush() throws(BullaError)
    /// Makes a part of the file durable; the rest need not be flushed.
    ///
    /// The log shares its file with pages, and its flush must not wait for theirs. If the system
    /// cannot flush a part, the whole file is flushed.
    func flush(at offset: UInt64, byteCount: UInt64) throws(BullaError)
    /// Closes the handle, which flushes nothing from then on.
    func close()
}

extension FlushHandle {
    package func flush(at offset: UInt64, byteCount: UInt64) throws(BullaError) { try flush() }
}
