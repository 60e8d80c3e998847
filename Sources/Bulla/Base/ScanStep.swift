/// Whether a scan goes on.
public enum ScanStep: Sendable {
    /// On to the next entry.
    case next
    /// No further entry is wanted.
    case stop
}
