internal import BullaMemory
internal import Synchronization

/// Makes the file long enough before a page is used, so that a full disk causes an error instead of
/// a fault.
final class FileGrowth: Sendable {
    private let file: any StorageFile
    private let format: PageFormat
    private let flusher: any PageFlusher
    /// The file length that a flush by this process has made durable.
    ///
    /// The file can be longer, if a process extended it and died before it flushed.
    private let known = Mutex<UInt64>(0)

    /// The file grows by allocated blocks for a run of at least this many pages, and by written
    /// zeros for a shorter run.
    private static let largeRunPageCount: UInt64 = 256
    private static let smallestChunk: UInt64 = 256 << 10
    private static let largestSmallChunk: UInt64 = 4 << 20
    private static let largestChunk: UInt64 = 64 << 20

    private let tailByteLimit: UInt64

    init(
        file: any StorageFile, format: PageFormat, flusher: any PageFlusher, tailByteLimit: UInt64
    ) {
        self.file = file
        self.flusher = flusher
        self.format = format
        self.tailByteLimit = tailByteLimit
    }

    /// Extends the file durably, so that all pages below `pageCount` exist.
    ///
    /// - Parameters:
    ///   - runCount: how many pages the caller takes at once.
    ///   - former: the file's length before the caller's change extended it; `nil` if the change
    ///     has not extended it yet.
    ///   - check: called before the file is touched.
    /// - Returns: the file's length before this call extended it; `nil` if the call did not.
    func ensure(
        pageCount: UInt64, runCount: UInt64, since former: UInt64? = nil,
        first check: () throws(BullaError) -> Void
    ) throws(BullaError) -> UInt64? {
        let needed = format.offset(pageCount)
        return try known.withLock { known throws(BullaError) -> UInt64? in
            let found = try file.byteCount()
            // Another writer may have cut the file since the last call.
            known = min(known, found)
            guard needed > known else { return nil }
            try check()
            let end =
                needed <= found
                ? found
                : try grow(
                    from: found, to: needed, isLarge: runCount >= Self.largeRunPageCount,
                    doubling: found.subtractingOrZero(former ?? found))
            if !PlantedBug.isPlanted(.growthNotFlushed) { try flusher.flushPages() }
            known = end
            return needed <= found ? nil : found
        }
    }

    /// Cuts the file to little more than `byteCount`, if that frees more bytes than a few small
    /// commits would soon take again.
    ///
    /// Only the writer, or a process that has the store to itself, may call this. Nothing may refer
    /// to pages beyond `byteCount`.
    func giveBack(downTo byteCount: UInt64) throws(BullaError) {
        try known.withLock { known throws(BullaError) in
            let found = try file.byteCount()
            guard found.subtractingOrZero(byteCount) > tailByteLimit else { return }
            let page = UInt64(format.pageByteCount)
            let end = byteCount + min(Self.ahead(of: byteCount), tailByteLimit) / page * page
            try file.truncate(to: end)
            known = min(known, end)
        }
    }

    /// Whether ``giveBack(downTo:)`` would cut the file.
    func isWorthGivingBack(downTo byteCount: UInt64) throws(BullaError) -> Bool {
        try file.byteCount().subtractingOrZero(byteCount) > tailByteLimit
    }

    /// How many bytes to grow ahead of need: a quarter of the file, within bounds, because small
    /// commits wait for the flush of each growth.
    private static func ahead(of start: UInt64) -> UInt64 {
        max(min(start / 4, largestSmallChunk), smallestChunk)
    }

    /// Makes the file longer, and returns its new length.
    ///
    /// - Parameter grown: how many bytes this change has already added to the file. The file grows
    ///   by at least as many again, up to a limit, because commits wait while the file system
    ///   records a new length.
    private func grow(
        from start: UInt64, to needed: UInt64, isLarge: Bool, doubling grown: UInt64
    ) throws(BullaError) -> UInt64 {
        // For a large run, the file grows by a sixteenth; for a small run, by a quarter, but with a
        // smaller maximum. So growth is rare, and little stays unused.
        let least =
            isLarge
            ? max(min(start / 16, Self.largestChunk), Self.smallestChunk) : Self.ahead(of: start)
        let ahead = max(least, min(grown, Self.largestChunk))
        let page = UInt64(format.pageByteCount)
        let end = max(needed, (start + ahead) / page * page)
        do throws(BullaError) {
            try extend(from: start, to: end, isLarge)
            return end
        } catch {
            guard error.code == .full else { throw error }
        }
        // If there is no room to grow ahead, there may still be room for what is needed now, such
        // as the pages of a deletion.
        do throws(BullaError) {
            try extend(from: start, to: needed, isLarge)
            return needed
        } catch { throw error.code == .full ? explained(error) : error }
    }

    private func extend(
        from start: UInt64, to end: UInt64, _ isLarge: Bool
    ) throws(BullaError) {
        do throws(BullaError) {
            if isLarge {
                try file.allocate(at: start, byteCount: end - start)
            } else {
                // A small commit costs less if the blocks that it writes to already hold zeros than
                // if they are only allocated.
                try writeZeros(from: start, to: end)
            }
        } catch {
            // Cut off what was added before the failure, because no page there is used.
            try? file.truncate(to: start)
            throw error
        }
    }

    private func explained(_ error: BullaError) -> BullaError {
        BullaError(
            .full,
            "\(error.message); nothing was lost. A deletion writes pages, too: free some space on "
                + "the disk, and delete in several transactions, so that each can use the pages "
                + "that the ones before it freed", errno: error.errno)
    }

    private func writeZeros(from start: UInt64, to end: UInt64) throws(BullaError) {
        let (zeros, pace) = (try Buffer.make(WriteBackPace.partByteCount), WriteBackPace(file))
        var position = start
        while position < end {
            let count = min(UInt64(zeros.bytes.byteCount), end - position)
            try file.write(zeros.bytes.view.slice(0, Int(count)), at: position)
            try pace.add(position..<position + count)
            position += count
        }
    }
}
