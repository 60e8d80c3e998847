/// Says which history's identifier goes into the key of each key epoch.
///
/// Two copies of a store that are written independently share its master secret. So a history that
/// forks from another begins an epoch whose key is derived from its own identifier. Thus no two
/// histories seal under one key, even where their epochs have the same numbers. Earlier epochs keep
/// their keys.
struct KeyEpochs: Hashable, Sendable {
    /// The epochs of one history, from `first` up to the last epoch before the next span.
    struct Span: Hashable, Sendable {
        let first: UInt64
        let history: Identifier
    }

    /// One or more spans, in ascending order of their first epochs.
    let spans: [Span]

    /// - Returns: `nil` unless a store could have written these spans.
    init?(_ spans: [Span]) {
        let isAscending = zip(spans, spans.dropFirst()).allSatisfy { $0.first < $1.first }
        guard let first = spans.first, let last = spans.last, first.first >= 1, isAscending,
            last.first < Self.epochNumberLimit, spans.count <= KeyEpochTable.spanLimit
        else { return nil }
        self.spans = spans
    }

    /// The epochs of a history that did not fork from another.
    init(of history: Identifier) { spans = [Span(first: 1, history: history)] }

    /// Every epoch is below this number, because a page stores its epoch in 32 bits.
    ///
    /// The greatest number stays unused, so that every epoch has a next one.
    private static let epochNumberLimit = UInt64(UInt32.max)

    /// The history from whose identifier the key of an epoch is derived.
    ///
    /// A page can claim any epoch, but it does not open under the key of a wrong one.
    func history(of epoch: UInt32) -> Identifier {
        (spans.last { $0.first <= UInt64(epoch) } ?? spans[0]).history
    }

    /// The spans up to and including the span of `history`; `nil` if `history` has none.
    ///
    /// Any later span belongs to a fork that a crash cut short.
    func upTo(_ history: Identifier) -> KeyEpochs? {
        guard let index = spans.firstIndex(where: { $0.history == history }) else { return nil }
        return KeyEpochs(Array(spans[...index]))
    }

    /// These spans and one more; `nil` if the table is full or no epoch is left.
    func adding(_ history: Identifier, from epoch: UInt64) -> KeyEpochs? {
        KeyEpochs(spans + [Span(first: epoch, history: history)])
    }
}

extension CommitRecord {
    /// Whether the commit's history forked from another.
    var isOfFork: Bool { parentHistory != Identifier(high: 0, low: 0) }

    /// This commit's record, moved to the first key epoch of the commit's history.
    func beginning(epoch: UInt64) -> CommitRecord {
        var record = self
        record.keyEpoch = epoch
        record.keyHistory = history
        record.sealedCount = 0
        record.reservedCount = 0
        return record
    }
}
