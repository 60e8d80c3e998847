internal import BullaMemory
internal import Synchronization

/// Makes the file long enough before a page is used, so that a full disk is an error and not a
/// fault.
final class FileGrowth: Sendable {
    private let file: any StorageFile
    private let format: PageFormat
    private let flusher: any PageFlusher
    /// The file length that a flush of this process has covered.
    ///
    /// The file may be longer: a process that extended it may have died before it flushed.
    private let known = Mutex<UInt64>(0)

    /// A commit that wants this many pages allocates blocks; a smaller one writes zeros.
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

    /// Makes pages below `pageCount` exist, durably.
    ///
    /// - Parameters:
    ///   - runCount: how many pages are wanted at once.
    ///   - former: how long the file was before the change that wants them made it longer; `nil`
    ///     where it has not.
    ///   - check: asked before anything is done to the file.
    /// - Returns: how long the file was, if it had to be made longer.
    func ensure(
        pageCount: UInt64, runCount: UInt64, since former: UInt64? = nil,
        first check: () throws(BullaError) -> Void
    ) throws(BullaError) -> UInt64? {
        let needed = format.offset(pageCount)
        return try known.withLock { known throws(BullaError) -> UInt64? in
            let found = try file.byteCount()
            // Another writer may have given back what this process knew of.
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

    /// Cuts the file to little more than `byteCount`, unless little would be gained.
    ///
    /// To be called by the writer, or by who is alone: nothing may refer to what lies beyond.
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

    /// Small commits would wait for the flush of each growth: ahead of need by a quarter.
    private static func ahead(of start: UInt64) -> UInt64 {
        max(min(start / 4, largestSmallChunk), smallestChunk)
    }

    /// Makes the file longer, and returns how long it is then.
    ///
    /// - Parameter grown: what one change has made it longer by already: it gets as much again, for
    ///   commits wait while the file system notes that the file is longer.
    private func grow(
        from start: UInt64, to needed: UInt64, isLarge: Bool, doubling grown: UInt64
    ) throws(BullaError) -> UInt64 {
        // Ahead of need by a sixteenth, or more for small commits: few growths, and little that is
        // never used.
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
        // Without what is ahead of need there may be room: for a deletion, say.
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
                // Blocks that were written before cost a small commit less than blocks only
                // allocated.
                try writeZeros(from: start, to: end)
            }
        } catch {
            // What was made before it failed is of use to nobody.
            try? file.truncate(to: start)
            throw error
        }
    }

    private func explained(_ error: BullaError) -> BullaError {
        BullaError(
            .full,
            "\(error.message); nothing was lost. A deletion writes pages, too: give the disk a "
                + "little room, and delete in several transactions, of which each gives the next "
                + "ones its pages", errno: error.errno)
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
