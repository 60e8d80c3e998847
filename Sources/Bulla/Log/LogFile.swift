internal import BullaMemory

/// The log as bytes of a file: two halves, read, written and flushed by places.
///
/// What stands there is nobody's word: readers authenticate it.
package struct LogFile: Sendable {
    package let file: any StorageFile
    private let halves: [LogHalf]

    package init(_ file: any StorageFile, _ first: LogHalf, _ second: LogHalf) {
        self.file = file
        halves = [first, second]
    }

    /// How many bytes the half has that a sequence number names.
    package func byteCount(_ sequence: UInt64) -> UInt64 { half(sequence).byteCount }

    /// How many bytes the half has from a place on.
    func room(at place: LogPlace) -> UInt64 {
        byteCount(place.sequence).subtractingOrZero(place.offset)
    }

    private func half(_ sequence: UInt64) -> LogHalf {
        halves[LogPlace(sequence: sequence, offset: 0).half]
    }

    func read(_ bytes: MutableByteView, at place: LogPlace) throws(BullaError) {
        try half(place.sequence).forEachPiece(place.offset, UInt64(bytes.byteCount)) {
            offset, part throws(BullaError) in
            try file.read(bytes.slice(Int(part.lowerBound), part.count), at: offset)
        }
    }

    func write(_ bytes: ByteView, at place: LogPlace) throws(BullaError) {
        try half(place.sequence).forEachPiece(place.offset, UInt64(bytes.byteCount)) {
            offset, part throws(BullaError) in
            try file.write(bytes.slice(Int(part.lowerBound), part.count), at: offset)
        }
    }

    /// Makes durable what stands from one place to a later one, headers of segments among it.
    ///
    /// Where they lie in different uses, the whole rest of the older half is flushed too: so
    /// a leader need not know where it ended, and what was not written costs nothing.
    ///
    /// - Parameters:
    ///   - place: up to which the log was durable before.
    ///   - end: how far the leader has verified it before this call.
    ///   - handle: the leader's own.
    /// - Throws: `io`, `full`: then what the range covers is in doubt, and the log is to be
    ///   poisoned.
    package func flush(
        from place: LogPlace, to end: LogPlace, through handle: any FlushHandle
    ) throws(BullaError) {
        precondition(place.sequence <= end.sequence, "a flush goes forwards")
        guard !PlantedBug.isPlanted(.logFlushSkipped) else { return }
        guard place.sequence < end.sequence else {
            return try flush(place.sequence, place.offset..<end.offset, handle)
        }
        if !PlantedBug.isPlanted(.formerHalfNotFlushed) {
            let start = end.sequence - place.sequence > 1 ? 0 : place.offset
            let former = end.sequence - 1
            try flush(former, start..<byteCount(former), handle)
        }
        try flush(end.sequence, 0..<end.offset, handle)
    }

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
