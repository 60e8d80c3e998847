internal import BullaMemory
internal import Logging

/// How long the log is.
///
/// A half grows while it is free: by the checkpoint that sets it free, or by a commit of trees that
/// its transaction has outgrown the log for. It doubles where writers fill the other half faster
/// than trees take over, and where these had to write far more pages for a half than the half is
/// long: a longer one writes the same pages less often. It becomes no shorter than the other one,
/// and no longer than the store allows.
struct LogGrowth {
    let core: StoreCore

    /// How much room the disk must have for a half that grows.
    private static let roomFactor = 4
    /// How many times the length of a half a checkpoint may write without it growing.
    private static let writingFactor: UInt64 = 2

    /// Lets the half grow that a checkpoint sets free.
    func growFreedHalf(_ change: TreeChange) throws(BullaError) {
        let (former, extent) = (change.base.log.place.sequence, change.log)
        let sequence = extent.place.sequence
        guard former < sequence else { return }
        let (used, freed) = (extent[sequence].count, extent[sequence + 1].count)
        let end = try core.log.demand().shared.durablePosition().place
        let filled = end.sequence > sequence ? .max : end.offset
        let isOutpaced = filled > core.parts.header.format.offset(used) / 4
        let writesMuch = change.pages.space.takenCount > Self.writingFactor * freed
        try grow(sequence + 1, doubling: isOutpaced || writesMuch, change)
    }

    /// Lets the half grow that a transaction has not fitted, where that is free.
    ///
    /// Under the writer's lock: nobody begins to use it.
    func growOtherHalf(_ change: TreeChange, from sequence: UInt64) throws(BullaError) {
        let oldest = try core.log.demand().shared.oldestSequence()
        guard let oldest, oldest >= sequence else { return }
        // No more at once: a process may have made a memtable for the half as it was.
        try grow(sequence + 1, doubling: true, change)
    }

    private func grow(
        _ sequence: UInt64, doubling: Bool, _ change: TreeChange
    ) throws(BullaError) {
        let extent = change.log
        let longer = max(extent.even.count, extent.odd.count)
        let wanted = min(doubling ? 2 * longer : longer, extent.pageLimit)
        // What the change of the trees needs itself comes first.
        let byteCount = Int(clamping: core.parts.header.format.offset(wanted))
        let available = core.parts.file.space().availableByteCount.map { Int(clamping: $0) } ?? .max
        guard wanted > extent[sequence].count, available / Self.roomFactor >= byteCount else {
            return
        }
        let free = try change.pages.ledger.takeFreeRun(wanted)
        do throws(BullaError) {
            let run = if let free { free } else { try change.pages.space.makeRun(wanted) }
            try change.moveHalf(of: sequence, to: run)
        } catch {
            // A log that stays as short as it was does its work.
            core.options.logger?.warning(
                "the log could not grow: \(error)", metadata: ["store": "\(core.parts.path)"])
        }
    }
}
