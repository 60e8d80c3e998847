internal import BullaText

/// The operations of a trace, repeated endlessly.
///
/// The hash of a key selects the lane that does all operations on the key. So these operations keep
/// their order, whatever the other lanes do, and the final content of the store is known.
final class TraceSource: OperationSource {
    /// What is known of a key's record: the value's length, and the hash that goes into a digest.
    private struct Content {
        var valueByteCount: Int
        var hash: UInt64
    }

    private let lines: [TraceLine]
    private let records: MappedRecords
    private let seed: UInt64
    private var places: [UInt64: Int] = [:]
    /// The records that were changed, by their keys; nil for a key that was deleted.
    private var contents: [[UInt8]: Content?] = [:]
    private var next = 0
    private var putCount: UInt64 = 0
    private var change = Digest()

    init(_ plan: WorkloadPlan, _ records: MappedRecords) throws {
        guard let path = plan.tracePath else {
            throw BenchError(.usage, "replay: there is no --trace")
        }
        self.records = records
        seed = Random.mixed(plan.seed ^ UInt64(plan.lane))
        lines = try TraceFile.lines(of: Descriptor.open(path)).filter {
            plan.shard.owns($0.key) && plan.shard.lane($0.key, of: plan.laneCount) == plan.lane
        }
        for index in 0..<records.count {
            places[records.withKey(index) { RecordHash.hash($0, seed: 0) }] = index
        }
    }

    func fill(_ list: inout OperationList, slice: Int, count: Int) {
        guard !lines.isEmpty else { return }
        for _ in 0..<count {
            append(lines[next], to: &list)
            next = (next + 1) % lines.count
        }
    }

    func takeChange() -> Digest {
        defer { change = Digest() }
        return change
    }

    private func append(_ line: TraceLine, to list: inout OperationList) {
        let key = line.key.withSpan { list.place(ofKey: $0) }
        switch line.verb {
        case .read:
            list.append(.read(key: key))
            list.expect(content(line.key)?.valueByteCount)
        case .scan: list.append(.scan(key: key, limit: line.number))
        case .put: list.append(.put(key: key, value: put(line, &list)))
        case .update:
            list.expect(content(line.key)?.valueByteCount)
            list.append(.update(key: key, value: put(line, &list)))
        case .delete:
            list.append(.delete(key: key))
            replace(line.key, by: nil)
        }
    }

    private func put(_ line: TraceLine, _ list: inout OperationList) -> Int {
        var random = Random(seed, putCount)
        putCount += 1
        list.values.append { YCSBValue.append(line.number, &random, to: &$0) }
        let value = list.values.count - 1
        let hash = line.key.withSpan { key in
            list.values.withBytes(value) { RecordHash.hash(key, $0) }
        }
        replace(line.key, by: Content(valueByteCount: line.number, hash: hash))
        return value
    }

    private func content(_ key: [UInt8]) -> Content? {
        if let content = contents[key] { return content }
        let hash = key.withSpan { RecordHash.hash($0, seed: 0) }
        guard let index = places[hash], records.withKey(index, { [UInt8]($0) }) == key else {
            return nil
        }
        return records.withKey(index) { key in
            records.withValue(index) {
                Content(valueByteCount: $0.byteCount, hash: RecordHash.hash(key, $0))
            }
        }
    }

    private func replace(_ key: [UInt8], by content: Content?) {
        if let old = self.content(key) { change.remove(old.hash) }
        if let content { change.add(content.hash) }
        contents.updateValue(content, forKey: key)
    }
}

package struct TraceRecorder {
    private let options: RecordOptions
    private let seed: UInt64

    package init(_ options: RecordOptions, seed: UInt64) {
        (self.options, self.seed) = (options, seed)
    }

    package func record(_ workloads: [Workload], operationCount: Int, to path: String) throws {
        guard options.count >= 2, operationCount > 0 else {
            throw BenchError(.usage, "record needs --records of 2 or more and some --operations")
        }
        let file = try Descriptor.replace(path)
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let table = YCSBRecords.table(options, seed: seed)
        let source = try Source(name: "trace", table, to: scratch.file("records"), seed: seed)
        let records = try MappedRecords(path: source.path)
        try file.write(Array((TraceFile.heading + "\n").utf8))
        for workload in workloads {
            try write(self.source(workload, records), operationCount, to: file)
        }
    }

    private func source(
        _ workload: Workload, _ records: MappedRecords
    ) throws -> any OperationSource {
        var plan = WorkloadPlan(workload, lane: 0, laneCount: 1, seed: seed)
        (plan.fieldCount, plan.fieldByteCount) = (options.fieldCount, options.fieldByteCount)
        if let mix = workload.ycsb { return YCSBSource(plan, mix, records) }
        guard workload == .smallCommit else {
            throw BenchError(
                .usage, "record writes ycsb-a to ycsb-f and small-commit, not \(workload.rawValue)")
        }
        return UniformChanges(plan, records)
    }

    private func write(_ source: any OperationSource, _ count: Int, to file: Descriptor) throws {
        var list = OperationList()
        for (slice, first) in stride(from: 0, to: count, by: 10_000).enumerated() {
            list.removeAll()
            source.fill(&list, slice: slice, count: min(10_000, count - first))
            let lines = list.operations.flatMap { Self.lines($0, list) }
            try file.write(Array(lines.map { $0.text + "\n" }.joined().utf8))
        }
    }

    private static func lines(_ operation: Operation, _ list: OperationList) -> [TraceLine] {
        let key = { (place: Int) in list.keys.withBytes(place) { [UInt8]($0) } }
        let size = { (place: Int) in list.values.withBytes(place) { $0.byteCount } }
        return switch operation {
        case .read(let place): [TraceLine(.read, key(place))]
        case .scan(let place, let limit): [TraceLine(.scan, key(place), limit)]
        case .put(let place, let value): [TraceLine(.put, key(place), size(value))]
        case .update(let place, let value): [TraceLine(.update, key(place), size(value))]
        case .readModifyWrite(let place, let value):
            [TraceLine(.read, key(place)), TraceLine(.update, key(place), size(value))]
        case .delete(let place): [TraceLine(.delete, key(place))]
        }
    }
}
