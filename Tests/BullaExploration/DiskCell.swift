/// A place on the disk: what the kernel shows of it, and what the disk may have.
///
/// What is written there is a stamp, a small number whose meaning the model knows.
package struct DiskCell: Hashable {
    /// The stamp of what was written last; `nil` after a power loss, until somebody looks.
    package private(set) var cached: UInt8?
    /// Whether a flush would write it.
    package var isDirty = false
    /// The stamps that a power loss may leave, as bits.
    private var possible: UInt32

    /// What an attacker, a bad disk or a torn write leaves.
    package static let garbage: UInt8 = 31

    package init(stamp: UInt8) {
        cached = stamp
        possible = 1 << stamp
    }

    package mutating func write(_ stamp: UInt8) {
        cached = stamp
        isDirty = true
        possible |= 1 << stamp
    }

    /// Writes what stands in one piece only once it was flushed.
    package mutating func writeTearing(_ stamp: UInt8) {
        if cached != stamp { possible |= 1 << DiskCell.garbage }
        write(stamp)
    }

    package mutating func flush() {
        guard isDirty, let cached else { return }
        self = DiskCell(stamp: cached)
    }

    package mutating func losePower() {
        isDirty = false
        let isCertain = possible & (possible - 1) == 0
        cached = isCertain ? UInt8(possible.trailingZeroBitCount) : nil
    }

    /// What a look at the place may find, each with what is certain from then on.
    package var readings: [DiskCell] {
        if cached != nil { return [self] }
        return (0..<UInt8(32)).filter { possible & 1 << $0 != 0 }.map { DiskCell(stamp: $0) }
    }

    /// What comes of the question whether some stamp stands there, each with what is certain then.
    ///
    /// Where none of those asked for does, it is left open which of the others it is.
    package func readings(for isAsked: (UInt8) -> Bool) -> [(cell: DiskCell, found: UInt8?)] {
        if let cached { return [(self, isAsked(cached) ? cached : nil)] }
        let stamps = (0..<UInt8(32)).filter { possible & 1 << $0 != 0 }
        let asked = stamps.filter(isAsked)
        var readings = asked.map { (cell: DiskCell(stamp: $0), found: Optional($0)) }
        guard asked.count < stamps.count else { return readings }
        var rest = self
        for stamp in asked { rest.possible &= ~(1 << stamp) }
        if stamps.count == asked.count + 1 { rest.losePower() }
        readings.append((rest, nil))
        return readings
    }
}
