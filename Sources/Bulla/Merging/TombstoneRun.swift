/// Counts the tombstones (deleted keys) that a scan passes without reaching an entry.
///
/// A scan over a million deleted keys would pass a million tombstones each time, until a checkpoint
/// removes them. So a store that can write makes a checkpoint.
struct TombstoneRun {
    /// How many tombstones in a row are worth a checkpoint.
    static let limit = 4096

    /// Called each time ``limit`` tombstones have been passed in a row.
    private let report: (() -> Void)?
    private var count = 0

    init(_ report: (() -> Void)?) { self.report = report }

    @inline(__always)
    mutating func pass() {
        count &+= 1
        if count == Self.limit { tell() }
    }

    /// Notes that the scan has reached an entry.
    @inline(__always)
    mutating func end() { count = 0 }

    @inline(never)
    private mutating func tell() {
        count = 0
        report?()
    }
}
