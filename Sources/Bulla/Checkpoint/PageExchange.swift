internal import BullaMemory

/// Where a merge gets its pages' numbers from, and where those go that it gives up.
///
/// When a merge fails, none of it counts: neither what was taken nor what was given up.
protocol PageExchange: AnyObject {
    /// Sees to it that so many pages can be taken.
    func reservePages(_ count: UInt64) throws(BullaError)
    /// A page that was reserved.
    func takePage() -> UInt64
    /// Takes a page that the tree no longer refers to, by its number and birth.
    func release(_ pointer: PagePointer)
    /// Caches a sealed page for readers of this process, which may see it once the merge is
    /// committed.
    ///
    /// - Parameter content: good for this call.
    func keep(_ content: ByteView, as pointer: PagePointer)
    /// What seals the pages of a merge.
    var writer: ChangeWriter { get }
}
