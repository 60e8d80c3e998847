internal import BullaMemory
internal import Logging

/// Decides how long the log is.
///
/// The log has two halves. A half grows only while it is free: a checkpoint can grow the half that
/// it frees, and a transaction that has outgrown the log can grow the half that is not in use. A
/// half doubles if writers have filled more than a quarter of the other half by the time a
/// checkpoint frees this one. It also doubles if that checkpoint had to write far more pages than
/// the half has, because with longer halves, checkpoints write the same pages less often. A half
/// that grows becomes at least as long as the other one, but never longer than the store's limit
/// allows.
struct LogGrowth {
    let core: StoreCore

    /// A half grows only if the file has room to grow by this many times the half's new length.
    private static let roomFactor: UInt64 = 4
    /// A half grows if a checkpoint wrote more pages than this factor times the pages of the half.
    private static let writingFactor: UInt64 = 2
    /// After a large transaction, a half grows to at most this many times the longer half's length,
    /// because that transaction may remain the only one of its size.
    private static let factorLimit: UInt64 = 8

    /// Grows the half that a checkpoint frees, if writers need a longer one.
    func growFreedHalf(_ change: TreeChange) throws(BullaError) {
        let (former, extent) = (change.base.log.place.sequence, change.log)
        let sequence = extent.place.sequence
        guard former < sequence else { return }
        let (used, freed) = (extent[sequence].count, extent[sequence + 1].count)
        let end = try core.log.demand().shared.durablePosition().place
        let filled = end.sequence > sequence ? .max : end.offset
        let isOutpaced = filled > core.parts.header.format.offset(used) / 4
        let writesMuch = change.pages.space.takenCount > Self.writingFactor * freed
        let factor: UInt64 = isOutpaced || writesMuch ? 2 : 1
        try grow(sequence + 1, to: factor * longer(extent), change)
    }

    /// Grows the half that is not in use, if it is free, so that the next transaction that is as
    /// large as the one that made `change` fits into the log.
    ///
    /// The caller holds the writer lock, so no other writer can begin to use that half.
    func growOtherHalf(_ change: TreeChange, from sequence: UInt64) throws(BullaError) {
        let oldest = try core.log.demand().shared.oldestSequence()
        guard let oldest, oldest >= sequence else { return }
        // Do not count large values, because they are best written straight to pages of their own.
        let changed = UInt64(change.pages.memory.usedCount)
        let longer = longer(change.log)
        // Double the sum, because a transaction in the log can be at most half as long as one half
        // of the log. Add `longer`, because `changed` does not count what the transaction drafted
        // for the log before it went direct.
        let wanted = min(2 * (longer + changed), Self.factorLimit * longer)
        try grow(sequence + 1, to: wanted, change)
    }

    private func longer(_ extent: LogExtent) -> UInt64 { max(extent.even.count, extent.odd.count) }

    private func grow(
        _ sequence: UInt64, to pageCount: UInt64, _ change: TreeChange
    ) throws(BullaError) {
        let extent = change.log
        let wanted = min(pageCount, extent.pageLimit)
        // The file must also have room for what the change of the trees itself needs.
        let needed = Self.roomFactor * wanted + UInt64(change.pages.memory.arena.count)
        guard wanted > extent[sequence].count,
            try roomToGrow() >= core.parts.header.format.offset(needed)
        else { return }
        // Let an error here fail the whole change of the trees, because it can leave the free map
        // half changed.
        let free = try change.pages.ledger.takeFreeRun(wanted)
        do throws(BullaError) {
            let run = if let free { free } else { try change.pages.space.makeRun(wanted) }
            try change.moveHalf(of: sequence, to: run)
        } catch {
            // Only warn, because the log still works at its former length.
            core.options.logger?.warning(
                "the log could not grow: \(error)", metadata: ["store": "\(core.parts.path)"])
        }
    }

    /// How many bytes the file can grow by, according to the disk and to this process's limit.
    private func roomToGrow() throws(BullaError) -> UInt64 {
        let space = core.parts.file.space()
        guard let limit = space.fileByteLimit else { return space.availableByteCount ?? .max }
        let room = limit.subtractingOrZero(try core.parts.file.byteCount())
        return min(room, space.availableByteCount ?? .max)
    }
}
