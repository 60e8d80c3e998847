/// Sealing pages anew that lie under a former secret, a portion in each transaction.
///
/// A page that is copied on write is sealed under the key epoch of its commit. So it is enough to
/// change each page that was sealed before, and nothing in it.
struct ResealPass {
    /// Pages that lie under key epochs before it are sealed anew.
    let firstEpoch: UInt64
    /// After this many pages a transaction stops; it never splits a value.
    let pageLimit: Int
    /// How many it looks at: in a store whose pages were sealed anew already it finds none.
    let visitLimit: Int
    /// How many it has taken, and looked at.
    var count = 0
    var visitCount = 0
    /// Where the next transaction goes on; `nil` where the trees end.
    var next: Position?

    struct Position: Sendable {
        /// `nil` in the catalog, which is the last.
        var tree: [UInt8]?
        /// `nil` where the tree begins.
        var key: [UInt8]?
    }

    var isSpent: Bool { count >= pageLimit || visitCount >= visitLimit }

    /// Whether a page lies under a former secret.
    ///
    /// Its claim is enough: where it is false, the page does not open.
    func isFormer(_ pointer: PagePointer, _ pager: Pager) throws(BullaError) -> Bool {
        try UInt64(pager.claimedEpoch(pointer)) < firstEpoch
    }
}
