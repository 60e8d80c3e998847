/// A place on the disk: what the kernel reads from it, and what the disk may hold.
///
/// Its content is a stamp, a small number to which the model gives a meaning.
package struct DiskCell: Hashable {
    /// The stamp written last; `nil` after a power loss, until a process reads the place.
    package private(set) var cached: UInt8?
    /// Whether a flush would write the stamp.
    package var isDirty = false
    /// The stamps that the disk may hold after a power loss, as bits.
    private var possible: UInt32

    /// What an attacker, a bad disk or a torn write leaves behind.
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

    /// Writes a stamp that a power loss before the flush can tear.
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

    /// The cells that reading this place can lead to; in each of them, the stamp is certain.
    package var readings: [DiskCell] {
        if cached != nil { return [self] }
        return (0..<UInt8(32)).filter { possible & 1 << $0 != 0 }.map { DiskCell(stamp: $0) }
    }

    /// The possible results of a search for certain stamps in this place: the stamp that is found,
    /// if any, and the cell after the search.
    ///
    /// If none is found, the cell after the search leaves open which of the other stamps it has.
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
