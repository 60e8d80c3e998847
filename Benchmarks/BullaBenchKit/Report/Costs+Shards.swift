extension Costs {
    /// What shards used that ran at the same time: all of it adds up, but for the largest worker.
    init(shards: [Costs]) {
        self.init()
        cpuSeconds = shards.map(\.cpuSeconds).reduce(0, +)
        byteCountWritten = Self.sum(shards.map(\.byteCountWritten))
        byteCountDirtied = Self.sum(shards.map(\.byteCountDirtied))
        commits = Self.sum(shards.map(\.commits))
        flushes = Self.sum(shards.map(\.flushes))
        peakResidentByteCount = shards.map(\.peakResidentByteCount).reduce(0, +)
        peakWorkerByteCount = shards.map(\.peakWorkerByteCount).max() ?? 0
        sharedByteCount = shards.map(\.sharedByteCount).reduce(0, +)
        pageCacheByteCount = Self.sum(shards.map(\.pageCacheByteCount))
    }

    /// Nil where one of them is not known: the sum of the others would be too small.
    private static func sum(_ counts: [UInt64?]) -> UInt64? {
        counts.contains { $0 == nil } ? nil : counts.compactMap { $0 }.reduce(0, +)
    }
}
