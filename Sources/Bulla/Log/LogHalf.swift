internal import BullaCipher
internal import BullaMemory

/// One half of the log: a few runs of pages of the data file, one after another.
package struct LogHalf: Hashable, Sendable {
    package let runs: [PageRun]
    private let format: PageFormat

    /// - Parameter runs: the runs that a meta slot names, whose bytes have been written; or a new
    ///   run, to be filled.
    package init(_ runs: [PageRun], _ format: PageFormat) {
        self.runs = runs
        self.format = format
    }

    /// This half as it is once it has been moved to `run`.
    func moved(to run: PageRun) -> LogHalf { LogHalf([run], format) }

    package var byteCount: UInt64 { runs.reduce(0) { $0 + format.offset($1.count) } }

    /// Splits a part of the half into pieces that are each contiguous in the file.
    ///
    /// - Parameter body: gets each piece's offset in the file, and which bytes of the part lie
    ///   there.
    func forEachPiece(
        _ offset: UInt64, _ count: UInt64,
        _ body: (UInt64, Range<UInt64>) throws(BullaError) -> Void
    ) throws(BullaError) {
        precondition(
            offset <= byteCount && count <= byteCount - offset, "what is asked for is of the half")
        let wanted = offset..<offset + count
        var start: UInt64 = 0
        for run in runs {
            let end = start + format.offset(run.count)
            let piece = wanted.clamped(to: start..<end)
            if !piece.isEmpty {
                let inside = piece.lowerBound - offset..<piece.upperBound - offset
                try body(format.offset(run.start) + piece.lowerBound - start, inside)
            }
            start = end
        }
    }

    /// Fills the half with random bytes, which in an encrypted store look like the log's content.
    ///
    /// This allocates the half's blocks, so appending allocates none, and no copy of the file turns
    /// them into holes. The caller flushes the bytes; those of a new half must be flushed before a
    /// meta slot names it.
    package func fill(_ file: any StorageFile) throws(BullaError) {
        try fill(file, 0..<byteCount)
    }

    /// Fills a part of the half with random bytes.
    func fill(_ file: any StorageFile, _ range: Range<UInt64>) throws(BullaError) {
        invariant(range.upperBound <= byteCount, "what is filled of a half lies in it")
        let portion = try Buffer.make(Self.portionByteCount)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(range.upperBound - offset, UInt64(portion.bytes.byteCount))
            do throws(CipherError) {
                try KernelRandom.expand(into: portion.bytes.slice(0, Int(count)))
            } catch { throw BullaError.cipher("draw the bytes of a half of the log", error) }
            try forEachPiece(offset, count) { place, bytes throws(BullaError) in
                try file.write(
                    portion.bytes.view.slice(Int(bytes.lowerBound), bytes.count), at: place)
            }
            offset += count
        }
    }

    private static let portionByteCount = 1 << 20
}
