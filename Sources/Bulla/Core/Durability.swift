/// When a commit is acknowledged.
public enum Durability: Sendable, Equatable {
    /// When it survives power loss: after its flush, which commits of other processes may share.
    ///
    /// Where another process holds the flush lock for too long, `notYetDurable` is thrown, and the
    /// commit stands.
    case full
    /// At once; the flush follows within the given time.
    ///
    /// Until then the commit survives the death of its process, but neither power loss nor the
    /// death of every process that has the store open.
    case relaxed(within: Duration)
}
