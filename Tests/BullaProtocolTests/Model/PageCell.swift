/// One page of the file: what the kernel shows of it, and what the disk may have.
struct PageCell: Hashable {
    /// The stamp of what was written last; `nil` after a power loss, until somebody looks.
    var cached: UInt8?
    /// Whether a flush would write it.
    var isDirty = false
    /// The stamps that a power loss may leave, as bits.
    var possible: UInt32

    /// What an attacker or a bad disk leaves.
    static let garbage: UInt8 = 31

    init(stamp: UInt8) {
        cached = stamp
        possible = 1 << stamp
    }

    mutating func write(_ stamp: UInt8) {
        cached = stamp
        isDirty = true
        possible |= 1 << stamp
    }

    mutating func flush() {
        guard isDirty, let cached else { return }
        self = PageCell(stamp: cached)
    }

    mutating func losePower() {
        isDirty = false
        let isCertain = possible & (possible - 1) == 0
        cached = isCertain ? UInt8(possible.trailingZeroBitCount) : nil
    }

    /// What a look at the page may find, each with what is certain from then on.
    var readings: [PageCell] {
        if cached != nil { return [self] }
        return (0..<UInt8(32)).filter { possible & 1 << $0 != 0 }.map { PageCell(stamp: $0) }
    }
}
