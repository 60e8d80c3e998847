/// What a contender used beside time, in the slices of a row that count.
package struct Costs: Codable, Sendable, Equatable {
    /// Of all workers.
    package var cpuSeconds = 0.0
    /// What the engine wrote to its files, where it counts that.
    package var byteCountWritten: UInt64?
    /// What became dirty in the page cache, where the kernel counts that for each process: more
    /// than is written, since it counts whole folios, of which a part may have changed.
    package var byteCountDirtied: UInt64?
    /// Commits and flushes of the engine, where it counts them.
    package var commits: UInt64?
    package var flushes: UInt64?
    /// The most memory that was resident: of all workers together, and of the largest one.
    package var peakResidentByteCount: UInt64 = 0
    package var peakWorkerByteCount: UInt64 = 0
    /// Of that, what the workers share with others: each page counted in each worker.
    package var sharedByteCount: UInt64 = 0
    /// What of the contender's files was in the page cache at the end of a round: the most seen.
    package var pageCacheByteCount: UInt64?

    package init() {}

    /// Those of one worker in one slice.
    package init(_ use: ResourceUse, _ counters: EngineCounters) {
        cpuSeconds = use.cpuSeconds
        byteCountWritten = counters.byteCountWritten
        byteCountDirtied = use.writtenByteCount.map { UInt64($0) }
        (commits, flushes) = (counters.commits, counters.flushes)
        peakResidentByteCount = UInt64(use.peakResidentByteCount)
        peakWorkerByteCount = peakResidentByteCount
        sharedByteCount = UInt64(use.sharedByteCount ?? 0)
    }

    package var flushesPerCommit: Double? {
        guard let commits, let flushes, commits > 0 else { return nil }
        return Double(flushes) / Double(commits)
    }

    /// Adds what was used at another time: work adds up, peaks do not.
    package mutating func add(_ other: Self) {
        cpuSeconds += other.cpuSeconds
        byteCountWritten = Self.sum(byteCountWritten, other.byteCountWritten)
        byteCountDirtied = Self.sum(byteCountDirtied, other.byteCountDirtied)
        commits = Self.sum(commits, other.commits)
        flushes = Self.sum(flushes, other.flushes)
        peakResidentByteCount = max(peakResidentByteCount, other.peakResidentByteCount)
        peakWorkerByteCount = max(peakWorkerByteCount, other.peakWorkerByteCount)
        sharedByteCount = max(sharedByteCount, other.sharedByteCount)
        pageCacheByteCount = [pageCacheByteCount, other.pageCacheByteCount].compactMap { $0 }.max()
    }

    /// Adds what another worker used at the same time.
    package mutating func join(_ other: Self) {
        cpuSeconds += other.cpuSeconds
        byteCountWritten = Self.sum(byteCountWritten, other.byteCountWritten)
        byteCountDirtied = Self.sum(byteCountDirtied, other.byteCountDirtied)
        // Engines count these for all processes together.
        commits = [commits, other.commits].compactMap { $0 }.max()
        flushes = [flushes, other.flushes].compactMap { $0 }.max()
        peakResidentByteCount &+= other.peakResidentByteCount
        peakWorkerByteCount = max(peakWorkerByteCount, other.peakWorkerByteCount)
        sharedByteCount &+= other.sharedByteCount
    }

    private static func sum(_ left: UInt64?, _ right: UInt64?) -> UInt64? {
        guard let left, let right else { return left ?? right }
        return left &+ right
    }
}
