/// Which commit a snapshot sees.
public enum SnapshotVisibility: Sendable {
    /// The newest commit that survives power loss.
    case durable
    /// The newest commit that any process has published, flushed or not.
    case published
}
