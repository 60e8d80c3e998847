internal import Histogram

/// What a contender used in addition to time, in all slices that were measured for a row.
package struct Costs: Codable, Sendable, Equatable {
    package var cpuSeconds = 0.0
    /// The bytes that the engine wrote to its files, if it counts them.
    package var byteCountWritten: UInt64?
    /// The bytes that became dirty in the page cache, in whole folios, if the kernel counts them.
    package var byteCountDirtied: UInt64?
    /// How many minor page faults the workers had, and by how much their own memory grew.
    package var faults: UInt64?
    package var touchedByteCount: UInt64?
    /// Commits and flushes of the engine, if it counts them.
    package var commits: UInt64?
    package var flushes: UInt64?
    /// The peaks of resident memory: the sum over all workers, and the greatest of a single worker.
    package var peakResidentByteCount: UInt64 = 0
    package var peakWorkerByteCount: UInt64 = 0
    package var sharedByteCount: UInt64 = 0
    /// The most bytes of the contender's files that the page cache held at the end of a round.
    package var pageCacheByteCount: UInt64?

    package init() {}

    package init(_ use: ResourceUse, _ counters: EngineCounters) {
        byteCountWritten = counters.byteCountWritten
        byteCountDirtied = use.writtenByteCount.map { UInt64($0) }
        (commits, flushes) = (counters.commits, counters.flushes)
        (faults, touchedByteCount) = (UInt64(use.faultCount), UInt64(use.anonymousByteCount))
        peakResidentByteCount = UInt64(use.peakResidentByteCount)
        peakWorkerByteCount = peakResidentByteCount
    }

    package var flushesPerCommit: Double? {
        guard let commits, let flushes, commits > 0 else { return nil }
        return Double(flushes) / Double(commits)
    }

    private typealias Count = WritableKeyPath<Costs, UInt64?>
    private static var written: [Count] {
        [\.byteCountWritten, \.byteCountDirtied, \.faults, \.touchedByteCount]
    }
    /// The counts that engines keep for all processes together.
    private static var engine: [Count] { [\.commits, \.flushes] }

    /// Adds the costs of another slice or round: adds up the counts, and keeps the greater peaks.
    package mutating func add(_ other: Self) {
        cpuSeconds += other.cpuSeconds
        for count in Self.written + Self.engine { join(count, other, &+) }
        peakResidentByteCount = max(peakResidentByteCount, other.peakResidentByteCount)
        peakWorkerByteCount = max(peakWorkerByteCount, other.peakWorkerByteCount)
        sharedByteCount = max(sharedByteCount, other.sharedByteCount)
        join(\.pageCacheByteCount, other, max)
    }

    /// Adds the costs of another worker, which ran at the same time.
    package mutating func join(_ other: Self) {
        cpuSeconds += other.cpuSeconds
        for count in Self.written { join(count, other, &+) }
        for count in Self.engine { join(count, other, max) }
        addMemory(other)
    }

    /// Adds the costs of a shard that ran at the same time; nil plus any figure is nil.
    mutating func join(shard other: Self) {
        cpuSeconds += other.cpuSeconds
        for count in Self.written + Self.engine + [\.pageCacheByteCount] {
            self[keyPath: count] = self[keyPath: count].flatMap { own in
                other[keyPath: count].map { own &+ $0 }
            }
        }
        addMemory(other)
    }

    private mutating func addMemory(_ other: Self) {
        peakResidentByteCount &+= other.peakResidentByteCount
        peakWorkerByteCount = max(peakWorkerByteCount, other.peakWorkerByteCount)
        sharedByteCount &+= other.sharedByteCount
    }

    private mutating func join(
        _ count: Count, _ other: Self, _ joined: (UInt64, UInt64) -> UInt64
    ) {
        self[keyPath: count] = Self.joined(self[keyPath: count], other[keyPath: count], joined)
    }

    /// Joins the figures if both are known; otherwise returns the known one, if there is one.
    static func joined(
        _ own: UInt64?, _ other: UInt64?, _ joined: (UInt64, UInt64) -> UInt64
    ) -> UInt64? {
        guard let own, let other else { return own ?? other }
        return joined(own, other)
    }
}

/// A histogram of latencies in nanoseconds, up to an hour, with three significant digits.
package struct Latency: Codable, Sendable, Equatable {
    private static let greatest: UInt64 = 3_600_000_000_000
    /// The greatest count that is accepted from a file.
    private static let countLimit: UInt64 = 1 << 50

    private var histogram: Histogram<UInt64>

    package init() {
        histogram = Histogram(
            highestTrackableValue: Self.greatest, numberOfSignificantValueDigits: .three)
    }

    package var count: UInt64 { histogram.totalCount }

    package mutating func record(_ nanoseconds: UInt64, count: UInt64 = 1) {
        histogram.record(min(nanoseconds, Self.greatest), count: count)
    }

    /// Adds another histogram; the result is as if one histogram had counted all latencies.
    package mutating func merge(_ other: Self) { histogram.add(other.histogram) }

    /// The latency that `percent` of all latencies do not exceed; nil if none was counted.
    package func percentile(_ percent: Double) -> UInt64? {
        count == 0 ? nil : histogram.valueAtPercentile(percent)
    }

    /// Reads `[[nanoseconds, count], ...]`, ascending, without empty buckets.
    package init(from decoder: any Decoder) throws {
        self.init()
        for pair in try [[UInt64]](from: decoder) {
            // No run counts more than the limit, and the sum of two such counts cannot overflow.
            guard pair.count == 2, pair[1] <= Self.countLimit, count <= Self.countLimit else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "no pair of nanoseconds and a count"))
            }
            record(pair[0], count: pair[1])
        }
    }

    package func encode(to encoder: any Encoder) throws {
        // A bucket is written as the greatest value that it can hold, but the last bucket as the
        // greatest value that was counted, because no percentile exceeds that.
        let greatest = histogram.maxRecorded
        try histogram.recordedValues().map { [min($0.value, greatest), $0.count] }
            .encode(to: encoder)
    }
}
