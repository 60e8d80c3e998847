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
    /// Gives the handle up: it flushes nothing any more.
    func close()
}
