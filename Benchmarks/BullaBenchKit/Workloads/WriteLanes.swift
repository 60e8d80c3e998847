/// Writes large values, one per commit, and reads each back.
///
/// A lane rewrites its few slots (keys) in turn, with random values, which contain no repeats.
final class LargeValueLane: Lane {
    private static let slotCount = 4

    private let plan: WorkloadPlan
    private var keys = ByteRun()
    private var values = ByteRun()
    private var hashes = [UInt64?](repeating: nil, count: slotCount)
    private var change = Digest()
    private var expected: UInt64 = 0
    /// The slot of each write; the lane reads the same slot after the write.
    private var writes: [Int] = []

    init(_ plan: WorkloadPlan) {
        self.plan = plan
        for slot in 0..<Self.slotCount {
            keys.append { $0.append(contentsOf: "large-\(plan.lane)-\(slot)".utf8) }
        }
        var random = Random(plan.seed, UInt64(plan.lane), 0x1A46E)
        for _ in 0..<Self.slotCount {
            values.append { YCSBValue.append(plan.largeValueByteCount, &random, to: &$0) }
        }
    }

    var stepCount: Int { 2 * writes.count }
    var work: Int { stepCount * plan.largeValueByteCount }

    func prepare(slice: Int, operations: Int) {
        writes.removeAll()
        expected = 0
        for number in 0..<max(operations / 2, 1) { layOut(slot: number % Self.slotCount) }
    }

    func run(_ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally) throws {
        for step in steps {
            let (slot, value) = place(step)
            if step % 2 == 0 {
                try session.put(keys, slot, values, value)
                tally.mark()
            } else {
                try session.read(keys, slot..<slot + 1, perSnapshot: 1, &tally)
            }
        }
    }

    func settle(_ tally: borrowing Tally) throws -> Digest {
        guard tally.sum == expected, tally.missedCount == 0 else {
            throw BenchError(.digest, "large values came back different from what was written")
        }
        defer { change = Digest() }
        return change
    }

    func isTold(_ index: Int) -> Bool { index % 2 == 0 }

    /// The slot of a step, and the value that the slot gets, which changes from turn to turn.
    private func place(_ step: Int) -> (slot: Int, value: Int) {
        let write = step / 2
        return (writes[write], (writes[write] + write / Self.slotCount) % Self.slotCount)
    }

    private func layOut(slot: Int) {
        writes.append(slot)
        let value = place(2 * writes.count - 2).value
        expected &+= values.withBytes(value) { RecordHash.glance($0) }
        let hash = keys.withBytes(slot) { key in
            values.withBytes(value) { RecordHash.hash(key, $0) }
        }
        if let old = hashes[slot] { change.remove(old) }
        change.add(hash)
        hashes[slot] = hash
    }
}

/// Loads the lane's share of the records in the order of the file, 10 000 per commit.
final class LoadLane: Lane {
    private let records: MappedRecords
    private let end: Int
    private var coming: Range<Int>

    init(_ plan: WorkloadPlan, _ records: MappedRecords) {
        self.records = records
        let share = plan.share(of: records.count)
        end = share.upperBound
        coming = share.lowerBound..<share.lowerBound
    }

    var work: Int { coming.count }
    var stepCount: Int {
        (coming.count + Workload.recordsPerCommit - 1) / Workload.recordsPerCommit
    }

    func prepare(slice: Int, operations: Int) {
        let start = coming.upperBound
        coming = start..<min(start + operations * Workload.recordsPerCommit, end)
    }

    func run(_ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally) throws {
        for step in steps {
            let first = coming.lowerBound + step * Workload.recordsPerCommit
            try session.load(
                records, first..<min(first + Workload.recordsPerCommit, coming.upperBound))
            tally.mark()
        }
    }

    /// Returns no change, because the digest of the records already counts what is loaded.
    func settle(_ tally: borrowing Tally) throws -> Digest { Digest() }
}
