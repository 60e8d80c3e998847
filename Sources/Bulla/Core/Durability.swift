/// When a commit is acknowledged.
public enum Durability: Sendable, Equatable {
    /// When it survives power loss: after its flush, which commits of other processes may share.
    ///
    /// Where another process holds the flush lock for too long, `notYetDurable` is thrown, and the
    /// commit stands.
    case full
    /// At once; the flush follows within the given time.
    ///
    /// Until then the commit survives the death of its process, and of every process that has the
    /// store open, but not power loss.
    case relaxed(within: Duration)
}
