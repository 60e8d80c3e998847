#if PostgreSQL
import Synchronization

/// Loses one of every `period` commits: its request and its reply by turns.
final class LossPlan: Sendable {
    private let period: Int
    private let commitCount = Atomic(0)
    private let replyCount = Atomic(0)

    init(period: Int) { self.period = period }

    /// How many replies were lost after a commit.
    var lostReplyCount: Int { replyCount.load(ordering: .relaxed) }

    func next() -> LossyRelay.Loss {
        let number = commitCount.add(1, ordering: .relaxed).newValue
        guard number.isMultiple(of: period) else { return .none }
        guard !(number / period).isMultiple(of: 2) else { return .commit }
        replyCount.add(1, ordering: .relaxed)
        return .reply
    }
}
#endif
