/// Whether a scan goes on.
public enum ScanStep: Sendable {
    /// Go on to the next entry, or to the next run of entries.
    case next
    /// Stop: no further entry is wanted.
    case stop
}
