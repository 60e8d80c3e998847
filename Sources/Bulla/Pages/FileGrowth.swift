internal import BullaMemory
internal import Synchronization

/// Makes the file long enough before a page is used, so that a full disk is an error and not a
/// fault.
final class FileGrowth: Sendable {
    private let file: any StorageFile
    private let format: PageFormat
    private let flusher: any PageFlusher
    /// How long the file is known to be on the disk: a longer one may be so by somebody who died
    /// before he flushed it.
    private let known = Mutex<UInt64>(0)

    /// From how many pages on a commit allocates blocks for itself, not written with zeros ahead.
    private static let largeRunPageCount: UInt64 = 256
    private static let smallestChunk: UInt64 = 256 << 10
    private static let largestSmallChunk: UInt64 = 4 << 20
    private static let largestChunk: UInt64 = 64 << 20

    init(file: any StorageFile, format: PageFormat, flusher: any PageFlusher) {
        self.file = file
        self.flusher = flusher
        self.format = format
    }

    /// Makes pages below `pageCount` exist, durably.
    ///
    /// - Parameters:
    ///   - runCount: how many pages are wanted at once.
    ///   - check: asked before anything is done to the file.
    func ensure(
        pageCount: UInt64, runCount: UInt64, first check: () throws(BullaError) -> Void
    ) throws(BullaError) {
        let needed = format.offset(pageCount)
        try known.withLock { known throws(BullaError) in
            guard needed > known else { return }
            try check()
            let found = try file.byteCount()
            let end =
                needed <= found
                ? found
                : try grow(from: found, to: needed, isLarge: runCount >= Self.largeRunPageCount)
            if !PlantedBug.isPlanted(.growthNotFlushed) { try flusher.flushPages() }
            known = end
        }
    }

    /// Makes the file longer, and returns how long it is then.
    private func grow(
        from start: UInt64, to needed: UInt64, isLarge: Bool
    ) throws(BullaError) -> UInt64 {
        // Ahead of need by a sixteenth, or by a quarter for small commits, which would wait for
        // its flush each time: few growths, and little that is never used.
        let ahead = max(
            isLarge
                ? min(start / 16, Self.largestChunk) : min(start / 4, Self.largestSmallChunk),
            Self.smallestChunk)
        let page = UInt64(format.pageByteCount)
        let end = max(needed, (start + ahead) / page * page)
        if isLarge {
            try file.allocate(at: start, byteCount: end - start)
        } else {
            // Blocks that were written before cost a small commit less than blocks only allocated.
            try writeZeros(from: start, to: end)
        }
        return end
    }

    private func writeZeros(from start: UInt64, to end: UInt64) throws(BullaError) {
        let zeros = try Buffer.make(1 << 20)
        var position = start
        while position < end {
            let count = min(UInt64(zeros.bytes.byteCount), end - position)
            try file.write(zeros.bytes.view.slice(0, Int(count)), at: position)
            position += count
        }
    }
}

/// Flushes pages, and knows what a flush that fails means for everybody.
protocol PageFlusher: AnyObject, Sendable {
    func flushPages() throws(BullaError)
}
