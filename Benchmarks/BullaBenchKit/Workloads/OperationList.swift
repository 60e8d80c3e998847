/// The operations of a slice, laid out before the clock starts.
struct OperationList {
    private(set) var operations: [Operation] = []
    private(set) var keys = ByteRun()
    var values = ByteRun()
    /// What the reads must find, in all.
    var expected = Expectation()

    /// What a slice's reads must come to, whoever else changes the records: no change alters a
    /// length.
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

    mutating func append(_ operation: Operation) {
        operations.append(operation)
    }

    /// The place of a key that is appended now.
    mutating func place(ofKey key: RawSpan) -> Int {
        keys.append(key)
        return keys.count - 1
    }

    /// Expects a read to find a value of so many bytes; nil: none.
    mutating func expect(_ valueByteCount: Int?) {
        guard let valueByteCount else { expected.missedCount += 1; return }
        expected.seenCount += 1
        expected.valueByteCount += valueByteCount
    }
}
