/// With which history's identifier the key of each epoch is derived.
///
/// Copies of a store that go on by themselves have its master secret in common. A history that
/// forks therefore begins an epoch whose key comes from its own identifier: no two histories seal
/// under one key, though they give their epochs the same numbers. Earlier epochs keep the keys that
/// they had.
struct KeyEpochs: Hashable, Sendable {
    /// Epochs of one history, up to where the next one's begin.
    struct Span: Hashable, Sendable {
        let first: UInt64
        let history: Identifier
    }

    /// By their first epochs, ascending; at least one.
    let spans: [Span]

    /// - Returns: `nil` where the spans cannot be what a store wrote.
    init?(_ spans: [Span]) {
        let isAscending = zip(spans, spans.dropFirst()).allSatisfy { $0.first < $1.first }
        guard let first = spans.first, let last = spans.last, first.first >= 1, isAscending,
            last.first < Self.epochNumberLimit, spans.count <= KeyEpochTable.spanLimit
        else { return nil }
        self.spans = spans
    }

    /// Those of a history that forked from none.
    init(of history: Identifier) { spans = [Span(first: 1, history: history)] }

    /// A page stores its epoch in 32 bits.
    ///
    /// The greatest number stays unused, so that every epoch has a next one.
    private static let epochNumberLimit = UInt64(UInt32.max)

    /// The history whose identifier the key of an epoch is derived with.
    ///
    /// A page may claim any epoch; under the key of a false one it does not open.
    func history(of epoch: UInt32) -> Identifier {
        (spans.last { $0.first <= UInt64(epoch) } ?? spans[0]).history
    }

    /// The spans up to that of a history; `nil` where it has none.
    ///
    /// What stands behind it is of a fork that a crash cut short.
    func upTo(_ history: Identifier) -> KeyEpochs? {
        guard let index = spans.firstIndex(where: { $0.history == history }) else { return nil }
        return KeyEpochs(Array(spans[...index]))
    }

    /// The spans with one more; `nil` where the table is full, or the epochs are.
    func adding(_ history: Identifier, from epoch: UInt64) -> KeyEpochs? {
        KeyEpochs(spans + [Span(first: epoch, history: history)])
    }
}

extension CommitRecord {
    /// Whether its history forked from another.
    var isOfFork: Bool { parentHistory != Identifier(high: 0, low: 0) }

    /// The same commit in the first key epoch of its history.
    func beginning(epoch: UInt64) -> CommitRecord {
        var record = self
        record.keyEpoch = epoch
        record.keyHistory = history
        record.sealedCount = 0
        record.reservedCount = 0
        return record
    }
}
