/// When a commit is acknowledged.
public enum Durability: Sendable, Equatable {
    /// Once it survives power loss: after its flush, which other processes' commits may share.
    ///
    /// If another process holds the flush lock for too long, `notYetDurable` is thrown, and the
    /// commit stands.
    case full
    /// At once; the flush follows within the given time.
    ///
    /// Until then the commit survives the death of its process, and of every process that has the
    /// store open, but not power loss.
    case relaxed(within: Duration)
}
