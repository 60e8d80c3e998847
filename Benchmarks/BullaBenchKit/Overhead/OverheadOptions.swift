/// What a run is asked for.
package struct OverheadOptions: Sendable {
    package var workers = 1
    package var threads = 1
    /// Generated records; 0 for none.
    package var recordCount = 1_000_000
    package var valueByteCount = 100
    /// Real records beside the generated ones.
    package var input: RecordInput?
    /// Nil: what the store chooses by itself.
    package var pageByteCount: Int?
    package var suite = BenchSuite.aes256GCM
    package var cacheByteLimit = 256 << 20
    package var secondLimit = 150
    package var roundLimit = 40
    /// What encryption may cost: 0.10 for 10 %.
    package var target = 0.10
    package var workloads = Workload.allCases
    package var readsPerSnapshot = 10_000
    package var durability = BenchDurability.full
    package var directory = "."
    package var isKept = false
    package var seed: UInt64 = 1

    package init() {}

    package var laneCount: Int { workers * threads }

    /// - Throws: ``BenchExit/usage`` where something makes no sense.
    package func check() throws {
        try require((1...1_024).contains(workers), "--workers is \(workers), expected 1 to 1024")
        try require((1...256).contains(threads), "--threads is \(threads), expected 1 to 256")
        try require(
            recordCount == 0 || recordCount >= laneCount * 2,
            "--records is \(recordCount), expected 0 or at least two for each thread")
        try require(recordCount > 0 || input != nil, "--records is 0 and there is no --input")
        try require(
            (0...1 << 24).contains(valueByteCount),
            "--value-bytes is \(valueByteCount), expected 0 to \(1 << 24)")
        try require(cacheByteLimit > 0, "--cache is \(cacheByteLimit), expected some bytes")
        try require(secondLimit > 0, "--time is \(secondLimit), expected some seconds")
        try require(roundLimit > 0, "--rounds is \(roundLimit), expected some rounds")
        try require(target > -1 && target < 100, "--target is \(target * 100) %, expected a cost")
        try require(!workloads.isEmpty, "--workloads names none")
        try require(
            readsPerSnapshot > 0, "--reads-per-snapshot is \(readsPerSnapshot), expected some")
    }

    private func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
        guard holds else { throw BenchError(.usage, message()) }
    }
}
