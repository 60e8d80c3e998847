internal import BullaMemory

/// Gives a merge its page numbers, and takes the pages that the merge gives up.
///
/// A failed merge counts as having taken no page and given up none.
protocol PageExchange: AnyObject {
    /// Makes sure that `count` pages can be taken.
    func reservePages(_ count: UInt64) throws(BullaError)
    /// Takes a reserved page.
    func takePage() -> UInt64
    /// Takes back a page that the tree no longer refers to, identified by its number and birth.
    func release(_ pointer: PagePointer)
    /// Keeps a sealed page, so that readers of this process can find it in the cache once the merge
    /// is committed.
    ///
    /// - Parameter content: valid during this call.
    func keep(_ content: ByteView, as pointer: PagePointer)
    /// Seals the pages of a merge.
    var writer: ChangeWriter { get }
}
