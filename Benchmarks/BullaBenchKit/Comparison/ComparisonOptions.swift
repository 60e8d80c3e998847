internal import BullaText

package struct ComparisonOptions: Sendable {
    package var workers = 1
    package var threads = 1
    package var records = RecordOptions()
    package var input: RecordInput?
    /// Nil: the store chooses.
    package var pageByteCount: Int?
    package var suite = BenchSuite.aes256GCM
    package var cacheByteLimit = 256 << 20
    package var secondLimit = 150
    package var roundLimit = 40
    /// A row ends once each ratio's interval is this narrow: 0.02 for 2 %; nil: no row ends early.
    package var precision: Double?
    /// How much longer encrypted work may take than plain work: 0.10 for 10 %.
    package var target = 0.10
    package var workloads = Workload.usual
    /// The regimes, which say what is cached when a slice begins; each gets rows of its own.
    package var temperatures = [Temperature.hot]
    package var readsPerSnapshot = 10_000
    package var readsPerBatch = 100
    package var largeValueByteCount = 4 << 20
    package var durability = BenchDurability.full
    /// In an open loop, how many operations all threads together begin per second.
    package var rate: Double?
    /// How many operations all threads together do in each slice; nil: as many as fill its time.
    package var operationCount: Int?
    package var tracePath: String?
    package var shard = Shard.whole
    /// The name shared by all results of one run on many machines; nil: the run makes up a name.
    package var runName: String?
    package var placement = Placement()
    /// In the memory-bound regime, the memory of a store's workers; nil: see ``MemoryBudget``.
    package var memoryByteLimit: Int?
    package var directory = "."
    package var isKept = false
    package var seed: UInt64 = 1

    package init() {}

    package var laneCount: Int { workers * threads }
    package var runLaneCount: Int { laneCount * shard.count }

    /// - Throws: ``BenchExit/usage`` if an option makes no sense.
    package func check() throws {
        try require((1...1_024).contains(workers), "--workers is \(workers), expected 1 to 1024")
        try require((1...256).contains(threads), "--threads is \(threads), expected 1 to 256")
        try checkRecords()
        try require(cacheByteLimit > 0, "--cache is \(cacheByteLimit), expected some bytes")
        try require(secondLimit > 0, "--time is \(secondLimit), expected some seconds")
        try require(roundLimit > 0, "--rounds is \(roundLimit), expected some rounds")
        try require(target > -1 && target < 100, "--target is \(target * 100) %, expected a cost")
        try require(precision.map { $0 > 0 && $0 < 10 } ?? true, "--precision must be above 0 %")
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
        try require(!workloads.contains(.replay) || tracePath != nil, "replay needs a --trace")
    }

    private func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
        guard holds else { throw BenchError(.usage, message()) }
    }
}

package struct RecordOptions: Sendable {
    /// How many records to generate; 0 for none.
    package var count = 1_000_000
    /// YCSB's `fieldcount`: the number of fields in a value.
    package var fieldCount = 10
    /// YCSB's `fieldlength`: the bytes of each field.
    package var fieldByteCount = 100
    package var values = ValueKind.random

    package init() {}

    package var valueByteCount: Int { fieldCount * fieldByteCount }
}

/// Part `index` of the `count` parts of a run's work.
package struct Shard: Codable, Sendable, Equatable, LosslessStringConvertible {
    package static let whole = Shard(index: 0, count: 1)

    package let index: Int
    package let count: Int

    package init(index: Int, count: Int) {
        precondition(count > 0 && (0..<count).contains(index), "a shard's index is below the count")
        (self.index, self.count) = (index, count)
    }

    /// Parses `INDEX/COUNT`, such as `0/8` to `7/8`; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1],
            count > 0, count <= 1 << 20, (0..<count).contains(index)
        else { return nil }
        self.init(index: index, count: count)
    }

    package var description: String { "\(index)/\(count)" }
}

extension Shard {
    /// Whether a key belongs to this part of the key space.
    package func owns(_ key: [UInt8]) -> Bool { Self.hash(key) % UInt64(count) == UInt64(index) }

    /// Which of a shard's lanes (the threads of all its workers) works on a key.
    ///
    /// One shard of eight lanes divides the keys in the same way as eight shards of one lane.
    package func lane(_ key: [UInt8], of laneCount: Int) -> Int {
        Int(Self.hash(key) / UInt64(count) % UInt64(laneCount))
    }

    private static func hash(_ key: [UInt8]) -> UInt64 {
        key.withSpan { RecordHash.hash($0, seed: 0x5A4D) }
    }
}
