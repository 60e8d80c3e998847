/// The progress of a re-encryption: the pages that were sealed under former secrets are sealed
/// anew, a portion in each transaction.
///
/// A page that is copied on write is sealed under the keys of the commit that copies it, which are
/// the newest. So it is enough to copy each older page, without changing anything in it.
struct ResealPass {
    /// The first key epoch of the newest secret; pages sealed under earlier epochs are sealed anew.
    let firstEpoch: UInt64
    /// A transaction ends when it has sealed this many pages anew, but never within a value.
    let pageLimit: Int
    /// A transaction also ends when it has visited this many pages, sealed anew or not.
    ///
    /// Without this limit, it would visit too many pages if most of them had been sealed anew
    /// already.
    let visitLimit: Int
    /// How many pages this transaction has sealed anew, and how many it has visited.
    var count = 0
    var visitCount = 0
    /// Where the next transaction continues; `nil` at the end of the trees.
    var next: Position?

    struct Position: Sendable {
        /// `nil` for the catalog, which is sealed anew after all other trees.
        var tree: [UInt8]?
        /// `nil` at the beginning of the tree.
        var key: [UInt8]?
    }

    var isSpent: Bool { count >= pageLimit || visitCount >= visitLimit }

    /// Whether a page was sealed under a former secret.
    ///
    /// The epoch that the page claims is enough to tell: a page with a false claim does not open.
    func isFormer(_ pointer: PagePointer, _ pager: Pager) throws(BullaError) -> Bool {
        try UInt64(pager.claimedEpoch(pointer)) < firstEpoch
    }
}
