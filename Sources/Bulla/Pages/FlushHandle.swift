/// A file, opened once more to be flushed.
///
/// The kernel keeps of each open file which failed write-backs it has told it of, and tells it of
/// each once. A handle that two flushers share tells one of them, and gives the other one a success
/// that means nothing.
package protocol FlushHandle: AnyObject, Sendable {
    /// Makes everything written to the file so far durable, through whatever open file.
    ///
    /// - Throws: `io` when a write-back has failed since the handle was opened, and it was not told
    ///   of that yet; `full`.
    func flush() throws(BullaError)
    /// The same for a part of the file: what lies elsewhere may stay where it is.
    ///
    /// A log shares its file with pages, and its flush is not to wait for theirs. Where the system
    /// cannot do that, the whole file is flushed.
    func flush(at offset: UInt64, byteCount: UInt64) throws(BullaError)
    /// Gives the handle up: it flushes nothing any more.
    func close()
}

extension FlushHandle {
    package func flush(at offset: UInt64, byteCount: UInt64) throws(BullaError) { try flush() }
}
