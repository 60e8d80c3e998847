internal import BullaText

final class OperationLane: Lane {
    private let source: any OperationSource
    private var list = OperationList()

    init(_ source: any OperationSource) { self.source = source }

    var work: Int { list.operations.count }
    var stepCount: Int { list.operations.count }

    func prepare(slice: Int, operations: Int) {
        list.removeAll()
        source.fill(&list, slice: slice, count: operations)
    }

    func run(_ steps: Range<Int>, on session: any EngineSession, _ tally: inout Tally) throws {
        for operation in list.operations[steps] { try run(operation, on: session, &tally) }
    }

    func settle(_ tally: borrowing Tally) throws -> Digest {
        try checkReads(tally)
        return source.takeChange()
    }

    func isTold(_ index: Int) -> Bool { source.isTold(list.operations[index]) }

    @inline(__always)
    private func run(
        _ operation: Operation, on session: any EngineSession, _ tally: inout Tally
    ) throws {
        switch operation {
        case .read(let key):
            // Returns before the mark below, because the session itself marks the time of a read.
            return try session.read(list.keys, key..<key + 1, perSnapshot: 1, &tally)
        case .scan(let key, let limit): try session.scan(list.keys, from: key, limit: limit, &tally)
        case .put(let key, let value): try session.put(list.keys, key, list.values, value)
        case .update(let key, let value):
            try session.update(list.keys, key, list.values, value, &tally)
        case .readModifyWrite(let key, let value):
            try session.read(list.keys, key..<key + 1, perSnapshot: 1, &tally)
            tally.unmark()
            try session.update(list.keys, key, list.values, value, &tally)
        case .delete(let key): try session.delete(list.keys, key)
        }
        tally.mark()
    }

    /// Checks what was read; scans may read more than expected, because other lanes insert records.
    private func checkReads(_ tally: borrowing Tally) throws {
        let (seen, missed, bytes) = (tally.seenCount, tally.missedCount, tally.valueByteCount)
        let expected = list.expected
        let isRight =
            hasScans
            ? seen >= expected.seenCount && bytes >= expected.valueByteCount
            : seen == expected.seenCount && bytes == expected.valueByteCount
        guard isRight, missed == expected.missedCount else {
            throw BenchError(
                .digest,
                "\(work) operations read \(seen) records of \(bytes) bytes and missed "
                    + "\(missed), but should have read \(expected.seenCount) of "
                    + "\(expected.valueByteCount) bytes and missed \(expected.missedCount)")
        }
    }

    private var hasScans: Bool {
        list.operations.contains { if case .scan = $0 { true } else { false } }
    }
}

struct OperationList {
    private(set) var operations: [Operation] = []
    private(set) var keys = ByteRun()
    var values = ByteRun()
    var expected = Expectation()

    /// The expected result of a slice's reads.
    struct Expectation: Equatable {
        var seenCount = 0
        var missedCount = 0
        var valueByteCount = 0
    }

    mutating func removeAll() {
        operations.removeAll(keepingCapacity: true)
        keys.removeAll()
        values.removeAll()
        expected = Expectation()
    }

    mutating func append(_ operation: Operation) { operations.append(operation) }

    mutating func place(ofKey key: RawSpan) -> Int {
        keys.append(key)
        return keys.count - 1
    }

    /// Expects a read to find a value of this many bytes or, for nil, no value.
    mutating func expect(_ valueByteCount: Int?) {
        guard let valueByteCount else { expected.missedCount += 1; return }
        expected.seenCount += 1
        expected.valueByteCount += valueByteCount
    }
}

/// One request to a store; keys and values are indexes into those of an ``OperationList``.
enum Operation {
    case read(key: Int)
    case scan(key: Int, limit: Int)
    case put(key: Int, value: Int)
    /// Reads a record and puts its new value, in one transaction; for YCSB, only one field is new.
    case update(key: Int, value: Int)
    case readModifyWrite(key: Int, value: Int)
    case delete(key: Int)
}

protocol OperationSource: AnyObject {
    func fill(_ list: inout OperationList, slice: Int, count: Int)

    /// How the digest changes with the operations that `fill` has added since the last call.
    func takeChange() -> Digest

    func isTold(_ operation: Operation) -> Bool
}

extension OperationSource { func isTold(_ operation: Operation) -> Bool { true } }
