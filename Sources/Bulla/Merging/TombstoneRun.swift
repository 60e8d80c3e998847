/// Counts the tombstones that a walk passes without coming to an entry.
///
/// A walk over the place where a million keys were deleted would pass a million of them each time,
/// until a checkpoint takes them out: a store that may write makes one.
struct TombstoneRun {
    /// So many in a row are worth a checkpoint.
    static let limit = 4096

    /// Told each time when as many have been passed.
    private let report: (() -> Void)?
    private var count = 0

    init(_ report: (() -> Void)?) { self.report = report }

    @inline(__always)
    mutating func pass() {
        count &+= 1
        if count == Self.limit { tell() }
    }

    /// The walk has come to an entry.
    @inline(__always)
    mutating func end() { count = 0 }

    @inline(never)
    private mutating func tell() {
        count = 0
        report?()
    }
}
