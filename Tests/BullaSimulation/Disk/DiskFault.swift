internal import Bulla

/// The calls that a simulated disk can refuse.
package enum DiskCall: String, CaseIterable, Sendable {
    case open, byteCount, read, write, allocate, truncate, flush, flushRange, map, lock
    case link, rename, remove, identity, flushNames
}

/// What goes wrong, and when.
package struct DiskFault: Sendable {
    package enum Effect: Sendable {
        /// The call fails with this error number, and nothing happens.
        case error(Int32)
        /// The first half of a write happens; then it fails with this error number.
        case half(Int32)
        /// The whole write happens; then it fails with this error number.
        case whole(Int32)
        /// The write, or the flush, is acknowledged, but never happens.
        case lost
        /// The write is acknowledged, but happens this many bytes further on.
        case misdirected(Int64)
        /// The calling process is killed before or after the call.
        case kill(isBefore: Bool)
        /// The disk refuses the writes of a flush, and the process that gets the error is killed
        /// before it can report it.
        case failAndKill
    }

    package let call: DiskCall
    package let effect: Effect
    /// How many such calls succeed before the fault.
    package var skipCount: Int
    /// Whether all later calls also fail.
    package let isLasting: Bool
    /// For calls that name a file: the end of its name.
    package let nameEnd: String
    /// The offsets at which calls fail: those of writes, and the beginnings of flushed ranges.
    package let offsets: Range<UInt64>
    /// Whether flushes of both kinds fail: of a file, and of a range.
    private var isOfAnyFlush = false

    package init(
        _ call: DiskCall, _ effect: Effect, after skipCount: Int = 0, isLasting: Bool = false,
        nameEnd: String = "", fromOffset: UInt64 = 0, toOffset: UInt64 = .max
    ) {
        self.call = call
        self.effect = effect
        self.skipCount = skipCount
        self.isLasting = isLasting
        self.nameEnd = nameEnd
        offsets = fromOffset..<toOffset
    }

    /// A fault of a flush, whether of a whole file or of a range.
    package static func anyFlush(_ effect: Effect, after skipCount: Int = 0) -> DiskFault {
        var fault = DiskFault(.flush, effect, after: skipCount)
        fault.isOfAnyFlush = true
        return fault
    }

    func means(_ call: DiskCall, _ name: String, _ offset: UInt64) -> Bool {
        let isMeant = call == self.call || isOfAnyFlush && call == .flushRange
        return isMeant && name.hasSuffix(nameEnd) && offsets.contains(offset)
    }
}

/// The faults that are yet to occur on a disk.
struct FaultList {
    private var faults: [DiskFault] = []
    /// How many faults have occurred.
    private(set) var struckCount = 0

    mutating func add(_ fault: DiskFault) { faults.append(fault) }
    mutating func clear() { faults = [] }

    /// The fault of this call, if any.
    mutating func strike(
        _ call: DiskCall, _ name: String, offset: UInt64 = 0
    ) -> DiskFault.Effect? {
        for index in faults.indices where faults[index].means(call, name, offset) {
            guard faults[index].skipCount == 0 else {
                faults[index].skipCount -= 1
                continue
            }
            struckCount += 1
            let effect = faults[index].effect
            if !faults[index].isLasting { faults.remove(at: index) }
            return effect
        }
        return nil
    }
}
