/// What a run is asked for.
package struct ComparisonOptions: Sendable {
    package var workers = 1
    package var threads = 1
    package var records = RecordOptions()
    /// Real records beside the generated ones.
    package var input: RecordInput?
    /// Nil: what the store chooses by itself.
    package var pageByteCount: Int?
    package var suite = BenchSuite.aes256GCM
    package var cacheByteLimit = 256 << 20
    package var secondLimit = 150
    package var roundLimit = 40
    /// How narrow the interval of a ratio is to be before its row ends: 0.02 for 2 % of width;
    /// nil: only time and rounds end it.
    package var precision: Double?
    /// What encryption may cost: 0.10 for 10 %.
    package var target = 0.10
    package var workloads = Workload.usual
    /// What is to be at hand when a slice begins: each makes rows of its own.
    package var temperatures = [Temperature.hot]
    package var readsPerSnapshot = 10_000
    package var readsPerBatch = 100
    package var largeValueByteCount = 4 << 20
    package var durability = BenchDurability.full
    /// Operations by the second, of all threads together, in open loop.
    package var rate: Double?
    /// Operations of all threads together in each slice; nil: as many as fill its time.
    package var operationCount: Int?
    /// What a replay follows.
    package var tracePath: String?
    package var shard = Shard.whole
    /// Names the run where several results belong together; nil: a name of its own.
    package var runName: String?
    package var placement = Placement()
    /// What all workers of a store together may have where the regime is memory-bound; nil: what
    /// ``MemoryBudget`` says.
    package var memoryByteLimit: Int?
    package var directory = "."
    package var isKept = false
    package var seed: UInt64 = 1

    package init() {}

    package var laneCount: Int { workers * threads }
    /// The threads of all shards together.
    package var runLaneCount: Int { laneCount * shard.count }

    /// - Throws: ``BenchExit/usage`` where something makes no sense.
    package func check() throws {
        try require((1...1_024).contains(workers), "--workers is \(workers), expected 1 to 1024")
        try require((1...256).contains(threads), "--threads is \(threads), expected 1 to 256")
        try checkRecords()
        try require(cacheByteLimit > 0, "--cache is \(cacheByteLimit), expected some bytes")
        try require(secondLimit > 0, "--time is \(secondLimit), expected some seconds")
        try require(roundLimit > 0, "--rounds is \(roundLimit), expected some rounds")
        try require(target > -1 && target < 100, "--target is \(target * 100) %, expected a cost")
        try require(
            precision.map { $0 > 0 && $0 < 10 } ?? true, "--precision must be above 0 %")
        try require(rate.map { $0 > 0 && $0 <= 1e9 } ?? true, "--rate must be above 0")
        try checkWorkloads()
    }

    private func checkRecords() throws {
        let count = records.count
        try require(
            count == 0 || (count >= laneCount * 2 && count <= 1 << 32),
            "--records is \(count), expected 0 or at least two for each thread")
        try require(count > 0 || input != nil, "--records is 0 and there is no --input")
        try require(
            (1...1_000).contains(records.fieldCount),
            "--fields is \(records.fieldCount), expected 1 to 1000")
        try require(
            records.fieldByteCount >= 0 && records.fieldByteCount <= 1 << 24
                && records.valueByteCount <= 1 << 24,
            "--field-bytes is \(records.fieldByteCount), expected values of up to \(1 << 24) bytes")
    }

    private func checkWorkloads() throws {
        try require(!workloads.isEmpty, "--workloads names none")
        try require(
            readsPerSnapshot > 0, "--reads-per-snapshot is \(readsPerSnapshot), expected some")
        try require(
            (1...1 << 20).contains(readsPerBatch),
            "--reads-per-batch is \(readsPerBatch), expected 1 to \(1 << 20)")
        try require(
            (1...1 << 24).contains(largeValueByteCount),
            "--large-bytes is \(largeValueByteCount), expected 1 to \(1 << 24)")
        try require(
            operationCount.map { (runLaneCount...1 << 32).contains($0) } ?? true,
            "--operations is \(operationCount ?? 0), expected one or more for each of the "
                + "\(runLaneCount) threads of all shards")
        try require(
            !workloads.contains(.replay) || tracePath != nil, "replay needs a --trace")
    }

    private func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
        guard holds else { throw BenchError(.usage, message()) }
    }
}
