internal import BullaMemory
internal import Synchronization

/// The log as bytes of a file: two halves that are read, written and flushed by place.
///
/// The bytes are not trusted; readers authenticate them. A free half can be moved before it is used
/// again. A follower that still stands in such a half finds nothing more there, and begins anew.
package final class LogFile: Sendable {
    package let file: any StorageFile
    private let layout: Mutex<Layout>

    /// Where the halves lie.
    private struct Layout {
        var halves: [LogHalf]
        /// The flush number of the newest record that placed the halves.
        var flush: UInt64 = 0
        /// How many times either half has been moved.
        var moveCount = 0
        /// The pager whose mapping short reads use; `nil` until the store is open.
        var pager: Pager?
    }

    package init(_ file: any StorageFile, _ first: LogHalf, _ second: LogHalf) {
        self.file = file
        layout = Mutex(Layout(halves: [first, second]))
    }

    /// Whether the halves lie where the record with this flush number, or a newer one, says.
    func knows(_ flush: UInt64) -> Bool { layout.withLock { $0.flush >= flush } }

    /// Places the halves where a record says, unless a newer record has placed them.
    ///
    /// - Throws: `corrupted` for a record that shortens a half. No writer makes one, because a
    ///   follower may stand beyond the new end.
    package func use(_ extent: LogExtent, of flush: UInt64) throws(BullaError) {
        try layout.withLock { layout throws(BullaError) in
            guard flush > layout.flush else { return }
            let halves = zip(layout.halves, extent.halves).map { $0.moved(to: $1) }
            guard zip(layout.halves, halves).allSatisfy({ $0.byteCount <= $1.byteCount }) else {
                throw BullaError(
                    .corrupted,
                    "follow the log of \(file.path): a record that no writer made "
                        + "shortens its halves")
            }
            invariant(halves.count == LogPlace.halfCount, "a log has two halves")
            layout.flush = flush
            for (index, half) in halves.enumerated() where layout.halves[index] != half {
                layout.halves[index] = half
                layout.moveCount += 1
            }
        }
    }

    /// How many times either half has been moved.
    var moveCount: Int { layout.withLock { $0.moveCount } }

    /// The first run of each half; in a store, each half has only this one.
    var halfRuns: [PageRun] { layout.withLock { $0.halves.compactMap(\.runs.first) } }

    /// How many bytes the longer half has.
    var longerByteCount: UInt64 {
        layout.withLock { $0.halves.reduce(0) { max($0, $1.byteCount) } }
    }

    /// The length in bytes of the half that a sequence number stands for.
    package func byteCount(_ sequence: UInt64) -> UInt64 { half(sequence).byteCount }

    /// How many bytes the half has left from a place on.
    func room(at place: LogPlace) -> UInt64 {
        byteCount(place.sequence).subtractingOrZero(place.offset)
    }

    /// The half that a sequence number stands for.
    func half(_ sequence: UInt64) -> LogHalf {
        let index = LogPlace(sequence: sequence, offset: 0).half
        return layout.withLock { $0.halves[index] }
    }

    /// Makes short reads copy from the file's mapping, which costs less than a system call.
    ///
    /// This matters because every writer reads the end of the log, which is in memory. The opener
    /// calls this only after recovery, which reads bytes that may have to come from the disk.
    func readShortPieces(through pager: Pager) { layout.withLock { $0.pager = pager } }

    func read(_ bytes: MutableByteView, at place: LogPlace) throws(BullaError) {
        let index = LogPlace(sequence: place.sequence, offset: 0).half
        let (half, pager) = layout.withLock { ($0.halves[index], $0.pager) }
        try half.forEachPiece(place.offset, UInt64(bytes.byteCount)) {
            offset, part throws(BullaError) in
            let piece = bytes.slice(Int(part.lowerBound), part.count)
            let isShort = part.count <= Self.shortByteLimit
            if isShort, pager?.mapping.copy(offset, into: piece) ?? false { return }
            try file.read(piece, at: offset)
        }
    }

    /// Enough for a look at the log's end: the rest of a block, and a segment's header after it.
    private static let shortByteLimit = Int(
        SegmentHeader.blockByteCount + SegmentHeader.frameOffset)

    func write(_ bytes: ByteView, at place: LogPlace) throws(BullaError) {
        try half(place.sequence).forEachPiece(place.offset, UInt64(bytes.byteCount)) {
            offset, part throws(BullaError) in
            try file.write(bytes.slice(Int(part.lowerBound), part.count), at: offset)
        }
    }

    /// Makes durable what lies between two places, headers of segments included.
    ///
    /// If the places lie in different uses of the halves, this flushes the whole rest of the older
    /// half. So a leader need not know where the older use ended; flushing bytes that were not
    /// written costs nothing.
    ///
    /// - Parameters:
    ///   - place: how far the log is durable already.
    ///   - end: how far the leader had verified the log before this call.
    ///   - handle: the leader's own handle.
    /// - Throws: `io`, `full`: then the content of the range is in doubt, and the caller must
    ///   poison the log.
    package func flush(
        from place: LogPlace, to end: LogPlace, through handle: any FlushHandle
    ) throws(BullaError) {
        guard !PlantedBug.isPlanted(.logFlushSkipped) else { return }
        for range in ranges(from: place, to: end) {
            let isFormer = range.sequence < end.sequence
            if isFormer, PlantedBug.isPlanted(.formerHalfNotFlushed) { continue }
            try flush(range.sequence, range.bytes, handle)
        }
    }

    /// The ranges between two places.
    ///
    /// If the places lie in different uses of the halves, there are two ranges: the half that was
    /// in use before the half of `end`, from `place` on; and the half of `end`, up to `end`. If
    /// `place` lies in an even older use, the first range is the whole half.
    private func ranges(from place: LogPlace, to end: LogPlace) -> [LogRange] {
        precondition(place.sequence <= end.sequence, "a range goes forwards")
        guard place.sequence < end.sequence else {
            return [LogRange(sequence: place.sequence, bytes: place.offset..<end.offset)]
        }
        let start = end.sequence - place.sequence > 1 ? 0 : place.offset
        let former = end.sequence - 1
        return [
            LogRange(sequence: former, bytes: start..<byteCount(former)),
            LogRange(sequence: end.sequence, bytes: 0..<end.offset),
        ]
    }

    /// Writes again, byte for byte, what lies between two places, so that the next flush covers it
    /// whatever became of the last flush.
    ///
    /// - Throws: `io`, `outOfMemory`.
    func writeAgain(from place: LogPlace, to end: LogPlace) throws(BullaError) {
        for range in ranges(from: place, to: end) { try writeAgain(range) }
    }

    func writeAgain(_ range: LogRange) throws(BullaError) {
        let portion = try Buffer.make(Self.portionByteCount)
        var place = LogPlace(sequence: range.sequence, offset: range.bytes.lowerBound)
        while place.offset < range.bytes.upperBound {
            let count = min(range.bytes.upperBound - place.offset, UInt64(portion.bytes.byteCount))
            let bytes = portion.bytes.slice(0, Int(count))
            try read(bytes, at: place)
            try write(bytes.view, at: place)
            place.offset += count
        }
    }

    /// Writes random bytes over both halves, except for one part of one of them.
    ///
    /// The caller flushes the bytes.
    func erase(outside live: LogRange) throws(BullaError) {
        let half = half(live.sequence)
        invariant(live.bytes.upperBound <= half.byteCount, "what stays of a half lies in it")
        try self.half(live.sequence + 1).fill(file)
        try half.fill(file, 0..<live.bytes.lowerBound)
        try half.fill(file, live.bytes.upperBound..<half.byteCount)
    }

    private static let portionByteCount = 256 << 10

    private func flush(
        _ sequence: UInt64, _ range: Range<UInt64>, _ handle: any FlushHandle
    ) throws(BullaError) {
        let count = range.upperBound - range.lowerBound
        try half(sequence).forEachPiece(range.lowerBound, count) {
            offset, part throws(BullaError) in
            try handle.flush(at: offset, byteCount: UInt64(part.count))
        }
    }
}

/// A part of a half.
package struct LogRange: Hashable, Sendable {
    package let sequence: UInt64
    package let bytes: Range<UInt64>
}
