/// The operations of a trace, over and over.
///
/// A key's hash says which lane follows its lines: so each key's operations come in their order,
/// whatever the other lanes do, and what the store must hold is known.
final class TraceSource: OperationSource {
    /// What a key's record is: its value's length and what it adds to a digest.
    private struct Content {
        var valueByteCount: Int
        var hash: UInt64
    }

    private let lines: [TraceLine]
    private let records: MappedRecords
    private let seed: UInt64
    private var places: [UInt64: Int] = [:]
    /// What changed; nil for a key that was deleted.
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
        lines = try TraceFile.lines(path).filter {
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
        case .scan:
            list.append(.scan(key: key, limit: line.number))
        case .put:
            list.append(.put(key: key, value: put(line, &list)))
        case .update:
            list.expect(content(line.key)?.valueByteCount)
            list.append(.update(key: key, value: put(line, &list)))
        case .delete:
            list.append(.delete(key: key))
            replace(line.key, by: nil)
        }
    }

    /// Makes up the value of a put.
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
