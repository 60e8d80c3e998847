/// When a commit is acknowledged.
public enum Durability: Sendable, Equatable {
    /// Once it survives power loss: after a flush, which may serve several processes' commits.
    ///
    /// If another process holds the flush lock for too long, the call that commits throws
    /// `notYetDurable`, but the commit stands.
    case full
    /// At once; a flush begins after at most the given time.
    ///
    /// Until that flush has ended, the commit survives the death of its process, and of every
    /// process that has the store open, but not power loss.
    case relaxed(within: Duration)
}
